//! The calls that change a heartbeat.

use leasebeat::{Heartbeat, Instant};

use crate::codes::leasebeat_status_t::{self, LEASEBEAT_ERROR_SIZE, LEASEBEAT_OK};
use crate::config::config_of;
use crate::convert::{decision_from, event_of, misuse};
use crate::memory::{Checked, apart, grasp, put, sound};
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
    match unsafe { handle(heartbeat, event, now_ns, decision) } {
        Ok(()) => LEASEBEAT_OK,
        Err(error) => error,
    }
}

#[inline(always)]
unsafe fn handle(
    heartbeat: *mut leasebeat_heartbeat_t,
    event: *const leasebeat_event_t,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> Checked {
    sound(decision)?;
    sound(event)?;
    apart(decision, heartbeat)?;
    // SAFETY: the caller's, and used by nobody else.
    let kernel = unsafe { grasp(heartbeat) }?;
    // SAFETY: sound, and the caller's; any bytes are an event.
    let event = event_of(unsafe { &*event })?;
    let decided = kernel.handle(event, Instant::from_nanos(now_ns)).map_err(misuse)?;
    // SAFETY: sound, and the caller's; it does not lie in the heartbeat.
    unsafe { decision.write(decision_from(&decided)) };
    Ok(())
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
    match unsafe { tick(heartbeat, now_ns, decision) } {
        Ok(()) => LEASEBEAT_OK,
        Err(error) => error,
    }
}

#[inline(always)]
unsafe fn tick(
    heartbeat: *mut leasebeat_heartbeat_t,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> Checked {
    sound(decision)?;
    apart(decision, heartbeat)?;
    // SAFETY: the caller's, and used by nobody else.
    let kernel = unsafe { grasp(heartbeat) }?;
    let decided = kernel.tick(Instant::from_nanos(now_ns));
    // SAFETY: sound, and the caller's; it does not lie in the heartbeat.
    unsafe { decision.write(decision_from(&decided)) };
    Ok(())
}
