//! Raw HTTP answers decoded (W1 to W6). JavaScript puts what is wrong into a sentence.

use leasebeat::wire::{Decoded, UnknownKeys, Wrong, decode as decode_answer};
use leasebeat::{Failure, Millis, Operation, Outcome, Success};

use crate::memory::text;
use crate::words::{get, put, put_text, put_whole};

/// What an answer says: `created` (0), `denied` (1), `extended` (2), `ambiguous` (3), `http` (4). The buffer has the
/// Retry-After and then the body; word 0 has the status, 1 and 2 their lengths (-1: no Retry-After), 3 whether the attempt
/// was a create, 4 whether unknown keys are skipped.
///
/// A success has `remaining_ttl_ms` in words 0 and 1 and `expires_at_ms` in 2 and 3; a failure the number of its code in 0
/// and its Retry-After in 2 and 3. The raw text of the reservation's id, with its escapes, is in words 4 and 5. What is
/// wrong is in word 6, -1 for nothing, its number or text in 7 and 8, and the body's byte in 9, -1 for none.
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
pub extern "C" fn decode() -> u32 {
    let operation = if get(3) > 0.0 { Operation::Create } else { Operation::Extend };
    let unknown_keys = if get(4) > 0.0 { UnknownKeys::Ignore } else { UnknownKeys::Reject };
    let header_length = get(1) as usize; // -1 is 0
    let all = text(header_length.wrapping_add(get(2) as usize));
    let (header, body) = all.split_at_checked(header_length).unwrap_or_default();
    let header = Some(header).filter(|_| get(1) >= 0.0);
    let decoded = decode_answer(operation, get(0) as u16, header, body, unknown_keys);
    let outcome = match decoded.outcome(None) {
        Outcome::Created(success) => put_success(&success, 0),
        Outcome::Denied => 1,
        Outcome::Extended(success) => put_success(&success, 2),
        Outcome::Failed(Failure::Http(failure)) => {
            put(0, failure.code.map_or(-1.0, |code| f64::from(code as u32)));
            put_whole(2, failure.retry_after.map(Millis::get));
            4
        }
        Outcome::Failed(_) => 3,
    };
    put_text(4, decoded.reservation_id().map(|id| id.as_raw()));
    put_problem(&decoded);
    outcome
}

fn put_success(success: &Success, what: u32) -> u32 {
    put_whole(0, success.remaining_ttl_ms);
    put_whole(2, success.expires_at_ms);
    what
}

/// What is wrong, in the order in which `cargo xtask npm` writes the sentences.
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26, and a minimum is small
fn put_problem(decoded: &Decoded<'_>) {
    let Some(problem) = decoded.problem() else { return put(6, -1.0) };
    put(9, problem.offset().map_or(-1.0, |offset| offset as f64));
    put(
        6,
        match problem.wrong() {
            Wrong::Status(status) => {
                put(7, f64::from(status));
                0.0
            }
            Wrong::TooLong(most) => {
                put(7, most as f64);
                1.0
            }
            Wrong::Below(least) => {
                put(7, least as f64);
                2.0
            }
            Wrong::Not(expected) => {
                put_text(7, Some(expected.as_bytes()));
                3.0
            }
            Wrong::KeyMissing(name) => {
                put_text(7, Some(name.as_bytes()));
                4.0
            }
            Wrong::NotOneOf(names) => {
                put(7, names.as_ptr().addr() as f64);
                put(8, names.len() as f64);
                5.0
            }
            Wrong::RetryAfter => 6.0,
            Wrong::Unfinished => 7.0,
            Wrong::Trailing => 8.0,
            Wrong::Syntax => 9.0,
            Wrong::TooDeep => 10.0,
            Wrong::Utf8 => 11.0,
            Wrong::ControlCharacter => 12.0,
            Wrong::Escape => 13.0,
            Wrong::LoneSurrogate => 14.0,
            Wrong::UnknownKey => 15.0,
            Wrong::KeyTwice => 16.0,
            Wrong::NotAHash => 17.0,
            Wrong::NotAnInteger => 18.0,
            Wrong::OutsideInt64 => 19.0,
            Wrong::NoReservationId => 20.0,
            _ => 21.0, // UnknownCode
        },
    );
}
