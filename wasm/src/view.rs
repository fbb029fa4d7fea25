//! What can be read from a lease at any time. A question about what is still held reads `now` rounded up; an instant in
//! the answer is rounded against the holder.

use leasebeat::{Instant, Millis};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::lease::Lease;
use crate::number::{round_down, whole};
use crate::out::put;
use crate::time::{earlier, later, up};

/// V1: the fence in ms, -1 for none.
///
/// # Safety
/// Here and below: `lease` is from `lease_new`, and not freed.
#[wasm_bindgen]
#[must_use]
pub unsafe fn fence(lease: *const Lease) -> f64 {
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.fence().map_or(-1.0, earlier)
}

/// V2: the danger instant in ms, -1 for none.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn danger(lease: *const Lease) -> f64 {
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.danger().map_or(-1.0, earlier)
}

/// V4: the next deadline in ms, -1 for none.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn next_deadline(lease: *const Lease) -> f64 {
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.next_deadline().map_or(-1.0, later)
}

/// V3: the lead in whole ms.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn lead(lease: *const Lease, ms: f64, ns: f64) -> f64 {
    // SAFETY: the caller's word.
    let lead = unsafe { &*lease }.heartbeat.lead(Instant::from_nanos(up(ms, ns)));
    round_down(lead.get())
}

/// V3: whether the lease is held for so many whole ms more.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn held(lease: *const Lease, duration: f64, duration_low: f64, ms: f64, ns: f64) -> bool {
    let duration = Millis::new(whole(duration, duration_low));
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.is_held_for(duration, Instant::from_nanos(up(ms, ns)))
}

/// Why it has stopped; -1 where it has not.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn stopped(lease: *const Lease) -> i32 {
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.stopped().map_or(-1, |reason| reason as i32)
}

/// The attempt in flight, -1 for none.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
#[must_use]
pub unsafe fn in_flight(lease: *const Lease) -> f64 {
    // SAFETY: the caller's word.
    unsafe { &*lease }.heartbeat.in_flight().map_or(-1.0, |id| f64::from(id.get()))
}

/// V6: attempts, retries, extensions and failures, to `out`.
///
/// # Safety
/// As `fence`.
#[wasm_bindgen]
pub unsafe fn stats(lease: *const Lease) {
    // SAFETY: the caller's word.
    let stats = unsafe { &*lease }.heartbeat.stats();
    for (index, count) in [stats.attempts, stats.retries, stats.extensions, stats.failures].iter().enumerate() {
        put(index, f64::from(*count));
    }
}
