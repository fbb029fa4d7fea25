//! A wrapping 32-bit tick counter, widened: for firmware without a 64-bit clock.

use core::num::NonZeroU32;

use leasebeat::{Instant, TickWidener};

use crate::codes::leasebeat_status_t::{self, LEASEBEAT_ERROR_HZ, LEASEBEAT_ERROR_SIZE, LEASEBEAT_OK};
use crate::memory::{grasp, output, put, readable, sound};
use crate::types::leasebeat_ticks_t;

/// Makes a widener of a counter that starts at 0 and counts `hz` ticks a second. Set `clock_resolution_ns` of the config
/// to one tick, rounded up, and `max_wait_ms` below one lap.
///
/// @param ticks  memory to make it in
/// @param size   its bytes, `sizeof *ticks`
/// @param hz     1 or more
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _HZ
///
/// # Safety
/// It is the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_ticks_init(
    ticks: *mut leasebeat_ticks_t,
    size: usize,
    hz: u32,
) -> leasebeat_status_t {
    if let Err(error) = sound(ticks) {
        return error;
    }
    if size < size_of::<leasebeat_ticks_t>() {
        return LEASEBEAT_ERROR_SIZE;
    }
    let Some(hz) = NonZeroU32::new(hz) else { return LEASEBEAT_ERROR_HZ };
    // SAFETY: sound, and the caller's.
    unsafe { put(ticks, TickWidener::new(hz)) };
    LEASEBEAT_OK
}

/// The instant of the counter's reading. Read it at least once a lap: a lap that nobody saw is time that nobody counted.
/// One reader only; a reading older than the last looks like a lap.
///
/// @param ticks    changed
/// @param reading  of the counter
/// @param now_ns   written; sticks at its maximum after 584 years
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the widener meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_ticks_widen(
    ticks: *mut leasebeat_ticks_t,
    reading: u32,
    now_ns: *mut u64,
) -> leasebeat_status_t {
    let check = || {
        output(now_ns, ticks)?;
        // SAFETY: by this function's contract.
        unsafe { grasp(ticks) }
    };
    match check() {
        Err(error) => error,
        Ok(widener) => {
            let now: Instant = widener.widen(reading);
            // SAFETY: sound, and the caller's; it does not lie in the widener.
            unsafe { now_ns.write(now.as_nanos()) };
            LEASEBEAT_OK
        }
    }
}

/// How long the counter takes to wrap, rounded down to whole ms.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_ticks_lap(
    ticks: *const leasebeat_ticks_t,
    lap_ms: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    match unsafe { readable(ticks, lap_ms) } {
        Err(error) => error,
        Ok(widener) => {
            // SAFETY: sound, and the caller's.
            unsafe { lap_ms.write(widener.lap().get()) };
            LEASEBEAT_OK
        }
    }
}
