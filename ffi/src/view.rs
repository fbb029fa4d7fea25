//! What can be read from a heartbeat at any time, without changing it.

use leasebeat::{AttemptId, Heartbeat, Instant, Millis, Plan};

use crate::codes::leasebeat_status_t::{self, LEASEBEAT_NONE, LEASEBEAT_OK};
use crate::convert::stop_number;
use crate::memory::readable;
use crate::raw::leasebeat_stop_t;
use crate::types::{
    LEASEBEAT_PLAN_HAS_ATTEMPT_BUDGET_MS, LEASEBEAT_PLAN_HAS_DELAY_MS, LEASEBEAT_PLAN_HAS_LARGEST_TIMEOUT_MS,
    LEASEBEAT_PLAN_HAS_RETRY_RESERVE_MS, LEASEBEAT_PLAN_HAS_SHORTEST_LEAD_MS, leasebeat_heartbeat_t,
    leasebeat_plan_t, leasebeat_stats_t,
};

/// Writes what `read` finds in the heartbeat, where it finds anything.
///
/// # Safety
/// Both are the caller's, in full.
#[inline(always)]
unsafe fn read<T>(
    heartbeat: *const leasebeat_heartbeat_t,
    out: *mut T,
    read: impl FnOnce(&Heartbeat) -> Option<T>,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    let kernel = match unsafe { readable(heartbeat, out) } {
        Err(error) => return error,
        Ok(kernel) => kernel,
    };
    match read(kernel) {
        None => LEASEBEAT_NONE,
        Some(value) => {
            // SAFETY: sound, and the caller's; it does not lie in the heartbeat.
            unsafe { out.write(value) };
            LEASEBEAT_OK
        }
    }
}

/// When the heartbeat next has something to do: the end of the wait, or the timeout of the attempt in flight.
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: not before the next event; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_next_deadline(
    heartbeat: *const leasebeat_heartbeat_t,
    deadline_ns: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, deadline_ns, |kernel| kernel.next_deadline().map(Instant::as_nanos)) }
}

/// How long the lease is provably still held at `now_ns`, in ms, rounded down (R1). 0 where nothing is proved: in
/// fallback, after lost timing, and for a `now_ns` so far back that timing is lost (T6).
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_lead(
    heartbeat: *const leasebeat_heartbeat_t,
    now_ns: u64,
    lead_ms: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, lead_ms, |kernel| Some(kernel.lead(Instant::from_nanos(now_ns)).get())) }
}

/// The instant until which the lease is provably held: the send of the last proven attempt plus what the server said
/// remained, never later. A stop of the heartbeat's own keeps it.
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: nothing is proved, as no answer came yet, it did not say what remains, its
///         round trip was not measured, timing was lost, or the server has since denied the lease;
///         LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fence(
    heartbeat: *const leasebeat_heartbeat_t,
    fence_ns: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, fence_ns, |kernel| kernel.fence().map(Instant::as_nanos)) }
}

/// The last instant at which a complete retry plus margin still fits: a failure after it stops the heartbeat (R2).
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE exactly where leasebeat_fence says so; LEASEBEAT_ERROR_NULL, _MISALIGNED,
///         _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_danger(
    heartbeat: *const leasebeat_heartbeat_t,
    danger_ns: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, danger_ns, |kernel| kernel.danger().map(Instant::as_nanos)) }
}

/// Whether the lease is provably held from `now_ns` for `duration_ms` more: whether a step of the work still fits.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_held_for(
    heartbeat: *const leasebeat_heartbeat_t,
    duration_ms: u64,
    now_ns: u64,
    held: *mut bool,
) -> leasebeat_status_t {
    let is_held =
        |kernel: &Heartbeat| kernel.is_held_for(Millis::new(duration_ms), Instant::from_nanos(now_ns));
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, held, |kernel| Some(is_held(kernel))) }
}

/// The attempt in flight: sent, and neither reported nor timed out.
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: there is none; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_in_flight(
    heartbeat: *const leasebeat_heartbeat_t,
    attempt: *mut u32,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, attempt, |kernel| kernel.in_flight().map(AttemptId::get)) }
}

/// Why the heartbeat has stopped.
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: it has not; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_stopped(
    heartbeat: *const leasebeat_heartbeat_t,
    reason: *mut leasebeat_stop_t,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, reason, |kernel| kernel.stopped().map(stop_number)) }
}

/// What has been counted.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_stats(
    heartbeat: *const leasebeat_heartbeat_t,
    stats: *mut leasebeat_stats_t,
) -> leasebeat_status_t {
    let counted = |kernel: &Heartbeat| {
        let leasebeat::Stats { attempts, retries, extensions, failures } = kernel.stats();
        Some(leasebeat_stats_t { attempts, retries, extensions, failures, reserved: [0; 4] })
    };
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, stats, counted) }
}

/// What the last success and the round trips so far come to.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_plan(
    heartbeat: *const leasebeat_heartbeat_t,
    plan: *mut leasebeat_plan_t,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { read(heartbeat, plan, |kernel| Some(plan_from(&kernel.plan()))) }
}

pub(crate) fn plan_from(plan: &Plan) -> leasebeat_plan_t {
    let mut present = 0;
    let mut known = |value: Option<Millis>, bit| {
        present |= if value.is_some() { bit } else { 0 };
        value.map_or(0, Millis::get)
    };
    let attempt_budget_ms = known(plan.attempt_budget(), LEASEBEAT_PLAN_HAS_ATTEMPT_BUDGET_MS);
    let retry_reserve_ms = known(plan.retry_reserve(), LEASEBEAT_PLAN_HAS_RETRY_RESERVE_MS);
    let delay_ms = known(plan.delay(), LEASEBEAT_PLAN_HAS_DELAY_MS);
    let largest_timeout_ms = known(plan.largest_timeout(), LEASEBEAT_PLAN_HAS_LARGEST_TIMEOUT_MS);
    let shortest_lead_ms = known(plan.shortest_lead(), LEASEBEAT_PLAN_HAS_SHORTEST_LEAD_MS);
    leasebeat_plan_t {
        present,
        reserved: 0,
        safety_margin_ms: plan.safety_margin().get(),
        attempt_budget_ms,
        retry_reserve_ms,
        delay_ms,
        largest_timeout_ms,
        shortest_lead_ms,
    }
}
