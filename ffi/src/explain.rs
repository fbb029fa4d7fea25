//! Decisions in words and numbers, worked out only when they are asked for.

use core::ffi::c_char;

use leasebeat::{Decision, Heartbeat, Millis, Numbers};

use crate::codes::leasebeat_status_t::{self, LEASEBEAT_NONE, LEASEBEAT_OK};
use crate::convert::decision_of;
use crate::memory::{Checked, apart, output, peek, sound};
use crate::text::Buffer;
use crate::types::{
    LEASEBEAT_NUMBERS_HAS_ATTEMPT_BUDGET_MS, LEASEBEAT_NUMBERS_HAS_FALLBACK, LEASEBEAT_NUMBERS_HAS_PRIMARY,
    LEASEBEAT_NUMBERS_HAS_RETRY_RESERVE_MS, LEASEBEAT_NUMBERS_HAS_WINDOW_MS, leasebeat_decision_t,
    leasebeat_heartbeat_t, leasebeat_numbers_t,
};

/// A decision in one line for a log: what, and by which rule.
///
/// @param decision  any that this library made
/// @param buffer    the text; NULL only with a capacity of 0
/// @param capacity  its bytes; a longer text is cut between two characters, and always ends with a NUL
/// @param length    the length of the whole text without its NUL, in bytes; may be NULL
/// @return LEASEBEAT_OK, also where the text was cut; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _SIZE; of the
///         decision _RESERVED, _PRESENT, _DECISION
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_describe(
    decision: *const leasebeat_decision_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> leasebeat_status_t {
    let check = || {
        let buffer = Buffer::new(buffer, capacity, length)?;
        buffer.apart_from(decision)?;
        // SAFETY: by this function's contract.
        Ok((buffer, unsafe { decision_at(decision) }?))
    };
    match check() {
        Err(error) => error,
        Ok((buffer, decision)) => {
            // SAFETY: the buffer is the caller's; the decision is a copy.
            unsafe { buffer.write(|writer| decision.write_to(writer)) };
            LEASEBEAT_OK
        }
    }
}

/// Why the heartbeat decided so: the rule, the numbers, and what can be done about a stop.
///
/// @param heartbeat  as the decision left it: the numbers are read back from it
/// @param decision   the last one that this heartbeat made
/// @param buffer     as in leasebeat_describe; 400 bytes hold every explanation there is
/// @param capacity   as in leasebeat_describe
/// @param length     as in leasebeat_describe
/// @return as leasebeat_describe, and LEASEBEAT_ERROR_UNINITIALIZED
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_explain(
    heartbeat: *const leasebeat_heartbeat_t,
    decision: *const leasebeat_decision_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> leasebeat_status_t {
    let check = || {
        let buffer = Buffer::new(buffer, capacity, length)?;
        buffer.apart_from(decision)?;
        buffer.apart_from(heartbeat)?;
        // SAFETY: by this function's contract.
        let (kernel, decision) = unsafe { both(heartbeat, decision) }?;
        Ok((buffer, kernel.explain(&decision)))
    };
    match check() {
        Err(error) => error,
        Ok((buffer, explanation)) => {
            // SAFETY: the buffer is the caller's; the explanation is a copy.
            unsafe { buffer.write(|writer| explanation.write_to(writer)) };
            LEASEBEAT_OK
        }
    }
}

/// The numbers behind a decision.
///
/// @param heartbeat  as the decision left it: the numbers are read back from it
/// @param decision   the last one that this heartbeat made
/// @param numbers    written
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: it was not decided by numbers; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED; of the decision _RESERVED, _PRESENT, _DECISION
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_numbers(
    heartbeat: *const leasebeat_heartbeat_t,
    decision: *const leasebeat_decision_t,
    numbers: *mut leasebeat_numbers_t,
) -> leasebeat_status_t {
    let check = || {
        output(numbers, heartbeat)?;
        apart(numbers, decision)?;
        // SAFETY: by this function's contract.
        let (kernel, decision) = unsafe { both(heartbeat, decision) }?;
        Ok(kernel.explain(&decision).numbers)
    };
    match check() {
        Err(error) => error,
        Ok(None) => LEASEBEAT_NONE,
        Ok(Some(found)) => {
            // SAFETY: sound, and the caller's.
            unsafe { numbers.write(numbers_from(&found)) };
            LEASEBEAT_OK
        }
    }
}

/// # Safety
/// It is the caller's to read.
unsafe fn decision_at(decision: *const leasebeat_decision_t) -> Checked<Decision> {
    sound(decision)?;
    // SAFETY: sound, and the caller's; any bytes are a decision of C's.
    decision_of(unsafe { &*decision })
}

/// # Safety
/// Both are the caller's to read, and nobody writes the heartbeat until the result is dropped.
unsafe fn both<'a>(
    heartbeat: *const leasebeat_heartbeat_t,
    decision: *const leasebeat_decision_t,
) -> Checked<(&'a Heartbeat, Decision)> {
    // SAFETY: by this function's contract.
    unsafe { Ok((peek(heartbeat)?, decision_at(decision)?)) }
}

fn numbers_from(numbers: &Numbers) -> leasebeat_numbers_t {
    let mut out = leasebeat_numbers_t::default();
    match *numbers {
        Numbers::Primary { lead, attempt_budget, safety_margin, retry_reserve, window_ms } => {
            out.present = LEASEBEAT_NUMBERS_HAS_PRIMARY;
            out.lead_ms = lead.get();
            out.safety_margin_ms = safety_margin.get();
            let mut known = |known, bit| out.present |= if known { bit } else { 0 };
            known(attempt_budget.is_some(), LEASEBEAT_NUMBERS_HAS_ATTEMPT_BUDGET_MS);
            known(retry_reserve.is_some(), LEASEBEAT_NUMBERS_HAS_RETRY_RESERVE_MS);
            known(window_ms.is_some(), LEASEBEAT_NUMBERS_HAS_WINDOW_MS);
            out.attempt_budget_ms = attempt_budget.map_or(0, Millis::get);
            out.retry_reserve_ms = retry_reserve.map_or(0, Millis::get);
            out.window_ms = window_ms.unwrap_or(0);
        }
        Numbers::Fallback { grant, clamped } => {
            out.present = LEASEBEAT_NUMBERS_HAS_FALLBACK;
            out.clamped = u32::from(clamped);
            out.grant_ms = grant.get();
        }
    }
    out
}
