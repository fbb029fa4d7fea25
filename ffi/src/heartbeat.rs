//! The calls that change a heartbeat.

use leasebeat::{Heartbeat, Instant};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_SIZE, LEASEBEAT_ERROR_UNINITIALIZED, LEASEBEAT_OK,
};
use crate::config::config_of;
use crate::convert::{handle_event, write_decision};
use crate::memory::{Checked, apart, grasp, output, put, ready, sound};
use crate::types::{leasebeat_config_t, leasebeat_decision_t, leasebeat_event_t, leasebeat_heartbeat_t};

/// Makes a heartbeat that has sent nothing. Next: LEASEBEAT_EVENT_BEGIN, or LEASEBEAT_EVENT_CREATED for a reservation
/// that the host created itself (L1).
///
/// @param heartbeat  memory to make it in; what was there is lost
/// @param size       its bytes, `sizeof *heartbeat`: at least leasebeat_sizeof()
/// @param config     read, not kept
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _OVERLAP; as leasebeat_config_check
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_init(
    heartbeat: *mut leasebeat_heartbeat_t,
    size: usize,
    config: *const leasebeat_config_t,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    match unsafe { init(heartbeat, size, config) } {
        Ok(()) => LEASEBEAT_OK,
        Err(error) => error,
    }
}

unsafe fn init(
    heartbeat: *mut leasebeat_heartbeat_t,
    size: usize,
    config: *const leasebeat_config_t,
) -> Checked {
    sound(heartbeat)?;
    if size < size_of::<leasebeat_heartbeat_t>() {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    // SAFETY: by the caller's contract.
    let parsed = unsafe { config_of(config) }?;
    apart(heartbeat, config)?;
    // SAFETY: sound, and the caller's.
    unsafe { put(heartbeat, Heartbeat::new(parsed)) };
    Ok(())
}

/// Takes in one event that happened at `now_ns`, and says what to do.
///
/// @param heartbeat  changed, where the call succeeds
/// @param event      what happened; read, not kept
/// @param now_ns     one monotonic clock in ns, best one that counts time asleep (CLOCK_BOOTTIME)
/// @param decision   what to do; may not lie in the heartbeat
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED; of the event _RESERVED, _PRESENT,
///         _EVENT_KIND, _FAILURE, _ERROR_CODE; and where it cannot happen now _UNEXPECTED_EVENT or _STALE_ATTEMPT: drop
///         it then, and go on with the decision you had
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the heartbeat meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_handle(
    heartbeat: *mut leasebeat_heartbeat_t,
    event: *const leasebeat_event_t,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    if let Some(kernel) = unsafe { ready(heartbeat, event, decision) } {
        // SAFETY: sound, and the caller's; any bytes are an event.
        let event = unsafe { &*event };
        // SAFETY: sound, and the caller's; it does not lie in the heartbeat.
        return unsafe { handle_event(kernel, event, Instant::from_nanos(now_ns), decision) };
    }
    // SAFETY: as before.
    unsafe { refusal(heartbeat, event.cast(), decision) }
}

/// What is due at `now_ns`. The same as LEASEBEAT_EVENT_TICK: never a misuse, and early and late calls are fine.
///
/// @param heartbeat  changed, where the call succeeds
/// @param now_ns     as in leasebeat_handle
/// @param decision   what to do; may not lie in the heartbeat
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the heartbeat meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_tick(
    heartbeat: *mut leasebeat_heartbeat_t,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    if let Some(kernel) = unsafe { ready(heartbeat, heartbeat, decision) } {
        let decided = kernel.tick(Instant::from_nanos(now_ns));
        // SAFETY: sound, and the caller's; it does not lie in the heartbeat.
        unsafe { write_decision(decision, &decided) };
        return LEASEBEAT_OK;
    }
    // SAFETY: as before.
    unsafe { refusal(heartbeat, heartbeat.cast_const().cast(), decision) }
}

/// Which of the addresses that are not `ready` is wrong.
///
/// # Safety
/// All are the caller's, in full.
#[cold]
#[inline(never)]
unsafe fn refusal(
    heartbeat: *mut leasebeat_heartbeat_t,
    event: *const u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    // All three are aligned as words.
    let check = || -> Checked {
        sound(heartbeat)?;
        sound(event)?;
        output(decision, heartbeat)?;
        // SAFETY: by this function's contract.
        unsafe { grasp(heartbeat) }.map(|_| ())
    };
    // What is left of what `ready` looks at is the cookie.
    check().err().unwrap_or(LEASEBEAT_ERROR_UNINITIALIZED)
}
