//! Raw HTTP answers decoded (W1 to W6).

use core::slice::from_raw_parts;

use leasebeat::wire::{Problem, UnknownKeys, decode as decode_answer};
use leasebeat::{Failure, Millis, Operation, Outcome, Success};

use crate::text::Text;
use crate::words::{get, number, put, put_number, put_text};

/// What an answer says: `created` (0), `denied` (1), `extended` (2), `ambiguous` (3), `http` (4). At `start` are the
/// Retry-After and then the body; words 0 and 1 have the status, 2 and 3 their lengths (-1: no Retry-After), 4 whether the
/// attempt was a create, 5 whether unknown keys are skipped.
///
/// A success has `remaining_ttl_ms` in words 0 and 1 and `expires_at_ms` in 2 and 3; a failure its code's text in 0 and 1 and
/// its Retry-After in 2 and 3. The raw text of the reservation's id, with its escapes, is in words 4 and 5. What is wrong is
/// in words 6 and 7, and the body's byte in 8, -1 for none.
///
/// # Safety
/// So many bytes are at `start`.
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
pub unsafe extern "C" fn decode(start: *const u8) -> u32 {
    let operation = if get(4) > 0.0 { Operation::Create } else { Operation::Extend };
    let unknown_keys = if get(5) > 0.0 { UnknownKeys::Ignore } else { UnknownKeys::Reject };
    // SAFETY: the caller's word.
    let text = |from: usize, length: f64| unsafe { from_raw_parts(start.add(from), length as usize) };
    let header = (get(2) >= 0.0).then(|| text(0, get(2)));
    let body = text(get(2) as usize, get(3)); // -1 is 0
    let decoded = decode_answer(operation, number(0) as u16, header, body, unknown_keys);
    let outcome = match decoded.outcome(None) {
        Outcome::Created(success) => put_success(&success, 0),
        Outcome::Denied => 1,
        Outcome::Extended(success) => put_success(&success, 2),
        Outcome::Failed(Failure::Http(failure)) => {
            put_text(0, failure.code.map(|code| code.as_str().as_bytes()));
            put_number(2, failure.retry_after.map(Millis::get));
            4
        }
        Outcome::Failed(_) => 3,
    };
    put_text(4, decoded.reservation_id().map(|id| id.as_raw()));
    put(6, -1.0);
    if let Some(problem) = decoded.problem() {
        put_problem(&problem);
    }
    outcome
}

fn put_success(success: &Success, what: u32) -> u32 {
    put_number(0, success.remaining_ttl_ms);
    put_number(2, success.expires_at_ms);
    what
}

/// What is wrong in words, and where.
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26
fn put_problem(problem: &Problem<'_>) {
    let mut text = Text::new();
    let _ = problem.wrong().write_to(&mut text); // it is long enough
    text.put(6);
    put(8, problem.offset().map_or(-1.0, |offset| offset as f64));
}
