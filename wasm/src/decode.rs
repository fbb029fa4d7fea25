//! Raw HTTP answers decoded (W1 to W6).

use core::fmt::{self, Display, Write};

use leasebeat::wire::{Decoded, Text, UnknownKeys};
use leasebeat::{Failure, Millis, Operation, Outcome, Success, wire};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::out::{put, put_whole};
use crate::text::{Writer, text};

/// Where in `out` each thing stands; numbers of 64 bits and texts take two words.
const REMAINING: usize = 0;
const EXPIRES: usize = 2;
const RETRY_AFTER: usize = 2; // of a failure, which has no expiry
const CODE: usize = 0;
const ID: usize = 4;
const WRONG: usize = 6;
const POINTER: usize = 8;
const OFFSET: usize = 10;

/// What an answer says: `created` (0), `denied` (1), `extended` (2), `ambiguous` (3), `http` (4); more is in `out`. The
/// buffer has the Retry-After (-1: none) and then the body, and room for what is written behind them.
#[wasm_bindgen]
#[must_use]
pub fn decode(create: bool, status: u32, header_length: i32, body_length: usize, ignore_unknown: bool) -> u32 {
    let operation = if create { Operation::Create } else { Operation::Extend };
    let unknown_keys = if ignore_unknown { UnknownKeys::Ignore } else { UnknownKeys::Reject };
    let header = usize::try_from(header_length).ok();
    let before = header.unwrap_or(0);
    let length = before.saturating_add(body_length);
    let (before, body) = text(length).split_at_checked(before).unwrap_or_default();
    #[allow(clippy::cast_possible_truncation)] // 16 bits: checked in JavaScript
    let decoded = wire::decode(operation, status as u16, header.map(|_| before), body, unknown_keys);
    describe(&decoded, length);
    match decoded.outcome(None) {
        Outcome::Created(success) => succeeded(&success, 0),
        Outcome::Denied => 1,
        Outcome::Extended(success) => succeeded(&success, 2),
        Outcome::Failed(Failure::Http(failure)) => {
            put(CODE, failure.code.map_or(-1.0, |code| f64::from(code as u32)));
            put_whole(RETRY_AFTER, failure.retry_after.map(Millis::get));
            4
        }
        Outcome::Failed(_) => 3,
    }
}

fn succeeded(success: &Success, what: u32) -> u32 {
    put_whole(REMAINING, success.remaining_ttl_ms);
    put_whole(EXPIRES, success.expires_at_ms);
    what
}

/// The texts: the reservation, and what is wrong.
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26
fn describe(decoded: &Decoded<'_>, length: usize) {
    for index in [ID, WRONG, POINTER, OFFSET] {
        put(index, -1.0);
    }
    let mut writer = Writer::behind(length);
    if let Some(id) = decoded.reservation_id() {
        writer.write(ID, format_args!("{}", Unescaped(id)));
    }
    if let Some(problem) = decoded.problem() {
        writer.write(WRONG, format_args!("{}", problem.wrong()));
        if let Some(pointer) = problem.pointer() {
            writer.write(POINTER, format_args!("{pointer}"));
            put(OFFSET, pointer.offset() as f64);
        }
    }
}

struct Unescaped<'a>(Text<'a>);

impl Display for Unescaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|char| f.write_char(char))
    }
}
