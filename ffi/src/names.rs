//! Names of the ABI's numbers, for logs: static texts that end with a NUL.

// All indexing here is done by the compiler.
#![allow(clippy::indexing_slicing, clippy::arithmetic_side_effects)]

use core::ffi::c_char;

use leasebeat::{ErrorCode, Key, Operation, Rule, StopReason};

use crate::codes::leasebeat_action_t::{LEASEBEAT_ACTION_SEND, LEASEBEAT_ACTION_STOP, LEASEBEAT_ACTION_WAIT};
use crate::codes::leasebeat_status_t as status;
use crate::convert::{code_of, key_of, operation_of, rule_of, stop_of};
use crate::raw::{
    leasebeat_action_t, leasebeat_error_code_t, leasebeat_key_t, leasebeat_operation_t, leasebeat_rule_t,
    leasebeat_status_t, leasebeat_stop_t,
};

/// Each status, its name and what it means: those that the library can return.
const STATUSES: &[(status, &str, &str)] = &[
    (status::LEASEBEAT_OK, "ok", "done"),
    (status::LEASEBEAT_NONE, "none", "done, and there is none of what was asked for"),
    (status::LEASEBEAT_ERROR_NULL, "null", "a pointer is NULL"),
    (status::LEASEBEAT_ERROR_MISALIGNED, "misaligned", "a pointer is not aligned"),
    (status::LEASEBEAT_ERROR_OVERLAP, "overlap", "an output overlaps what is read or a handle"),
    (
        status::LEASEBEAT_ERROR_UNINITIALIZED,
        "uninitialized",
        "the memory was not initialised by this ABI version",
    ),
    (status::LEASEBEAT_ERROR_SIZE, "size", "a size is too small, or no object can be that large"),
    (status::LEASEBEAT_ERROR_RESERVED, "reserved", "a reserved byte is not zero"),
    (status::LEASEBEAT_ERROR_PRESENT, "present", "a bit of present is set that does not belong there"),
    (status::LEASEBEAT_ERROR_EVENT_KIND, "event-kind", "unknown kind of event"),
    (status::LEASEBEAT_ERROR_FAILURE, "failure", "unknown kind of failure"),
    (status::LEASEBEAT_ERROR_ERROR_CODE, "error-code", "unknown error code"),
    (status::LEASEBEAT_ERROR_OPERATION, "operation", "unknown operation"),
    (status::LEASEBEAT_ERROR_UNKNOWN_KEYS, "unknown-keys", "unknown_keys is neither reject nor ignore"),
    (status::LEASEBEAT_ERROR_FALLBACK, "fallback", "fallback is neither band nor refuse"),
    (status::LEASEBEAT_ERROR_DECISION, "decision", "no heartbeat made such a decision"),
    (status::LEASEBEAT_ERROR_EXTEND_BY_MS, "extend-by-ms", "extend_by_ms must be from 1 to 86400000"),
    (
        status::LEASEBEAT_ERROR_REQUEST_TIMEOUT_MS,
        "request-timeout-ms",
        "request_timeout_ms must be 1 or more",
    ),
    (
        status::LEASEBEAT_ERROR_CLOCK_RESOLUTION_NS,
        "clock-resolution-ns",
        "clock_resolution_ns must be from 0 to 10000000000",
    ),
    (status::LEASEBEAT_ERROR_MAX_WAIT_MS, "max-wait-ms", "max_wait_ms must be 1 or more"),
    (status::LEASEBEAT_ERROR_HZ, "hz", "hz must be 1 or more"),
    (status::LEASEBEAT_ERROR_UNEXPECTED_EVENT, "unexpected-event", "the event cannot happen now"),
    (
        status::LEASEBEAT_ERROR_STALE_ATTEMPT,
        "stale-attempt",
        "the report answers another attempt than the one in flight",
    ),
    (status::LEASEBEAT_ERROR_NOT_A_FAILURE, "not-a-failure", "the event is no failure"),
    (status::LEASEBEAT_ERROR_BUFFER_TOO_SMALL, "buffer-too-small", "the text does not fit into the buffer"),
    (status::LEASEBEAT_ERROR_SNAPSHOT_FORMAT, "snapshot-format", "no snapshot, or of an unknown version"),
    (status::LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM, "snapshot-checksum", "the snapshot was altered or torn"),
    (status::LEASEBEAT_ERROR_SNAPSHOT_VALUE, "snapshot-value", "the snapshot has a value that none can have"),
    #[cfg(feature = "fleet")]
    (status::LEASEBEAT_NOTHING_DUE, "nothing-due", "done, and nothing is due"),
    #[cfg(feature = "fleet")]
    (status::LEASEBEAT_ERROR_JITTER_PERMILLE, "jitter-permille", "jitter_permille must be from 0 to 500"),
    #[cfg(feature = "fleet")]
    (
        status::LEASEBEAT_ERROR_BEATS_PER_SECOND,
        "beats-per-second",
        "beats_per_second needs a fleet with seconds",
    ),
    #[cfg(feature = "fleet")]
    (
        status::LEASEBEAT_ERROR_FLEET_COUNTS,
        "fleet-counts",
        "a fleet cannot have so many leases, classes or seconds",
    ),
    #[cfg(feature = "fleet")]
    (status::LEASEBEAT_ERROR_FLEET_FULL, "fleet-full", "the fleet has room for no further lease"),
    #[cfg(feature = "fleet")]
    (
        status::LEASEBEAT_ERROR_FLEET_CLASSES_FULL,
        "fleet-classes-full",
        "the fleet has room for no further class",
    ),
    #[cfg(feature = "fleet")]
    (status::LEASEBEAT_ERROR_FLEET_CLASS, "fleet-class", "the fleet has no class of this number"),
    #[cfg(feature = "fleet")]
    (status::LEASEBEAT_ERROR_FLEET_ID, "fleet-id", "the fleet has no lease of this id"),
];

const UNKNOWN: &[u8] = b"unknown\0";

const fn joined_length(names: &[&str]) -> usize {
    let (mut at, mut length) = (0, 0);
    while at < names.len() {
        length += names[at].len() + 1;
        at += 1;
    }
    length
}

/// The names one behind the other, a NUL behind each: no table of addresses that a loader would have to fill.
const fn joined<const N: usize>(names: &[&str]) -> [u8; N] {
    let mut text = [0; N];
    let (mut name, mut length) = (0, 0);
    while name < names.len() {
        let bytes = names[name].as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            text[length] = bytes[at];
            length += 1;
            at += 1;
        }
        length += 1;
        name += 1;
    }
    text
}

/// The text behind the `index`th NUL.
fn nth(joined: &'static [u8], index: Option<usize>) -> *const c_char {
    let mut rest = joined;
    for _ in 0..index.unwrap_or(usize::MAX) {
        let Some(end) = rest.iter().position(|byte| *byte == 0) else { break };
        rest = rest.get(end.saturating_add(1)..).unwrap_or_default();
    }
    if rest.is_empty() { UNKNOWN.as_ptr().cast() } else { rest.as_ptr().cast() }
}

/// A name of the kernel's, which has a NUL behind it.
fn kernels(name: Option<&'static str>) -> *const c_char {
    name.map_or(UNKNOWN.as_ptr(), str::as_ptr).cast()
}

fn of_status(number: leasebeat_status_t, names: &'static [u8]) -> *const c_char {
    // The numbers alone: the table above has addresses, which a loader would have to fill in.
    static NUMBERS: [i8; STATUSES.len()] = numbers();
    nth(names, NUMBERS.iter().position(|one| i32::from(*one) == number))
}

/// The status's name, such as "stale-attempt": static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_status_name(status: leasebeat_status_t) -> *const c_char {
    static JOINED: [u8; joined_length(&column(true))] = joined(&column(true));
    of_status(status, &JOINED)
}

/// What the status means, in words: static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_status_text(status: leasebeat_status_t) -> *const c_char {
    static JOINED: [u8; joined_length(&column(false))] = joined(&column(false));
    of_status(status, &JOINED)
}

#[allow(clippy::cast_possible_truncation)] // from -64 to 2
const fn numbers() -> [i8; STATUSES.len()] {
    let mut numbers = [0; STATUSES.len()];
    let mut at = 0;
    while at < numbers.len() {
        numbers[at] = STATUSES[at].0 as i8;
        at += 1;
    }
    numbers
}

const fn column(name: bool) -> [&'static str; STATUSES.len()] {
    let mut column = [""; STATUSES.len()];
    let mut at = 0;
    while at < column.len() {
        column[at] = if name { STATUSES[at].1 } else { STATUSES[at].2 };
        at += 1;
    }
    column
}

/// The action's name: "send", "wait" or "stop"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_action_name(action: leasebeat_action_t) -> *const c_char {
    const SEND: u8 = LEASEBEAT_ACTION_SEND as u8;
    const WAIT: u8 = LEASEBEAT_ACTION_WAIT as u8;
    const STOP: u8 = LEASEBEAT_ACTION_STOP as u8;
    let name: &'static [u8] = match action {
        SEND => b"send\0",
        WAIT => b"wait\0",
        STOP => b"stop\0",
        _ => UNKNOWN,
    };
    name.as_ptr().cast()
}

/// The operation's name: "create" or "extend"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_operation_name(operation: leasebeat_operation_t) -> *const c_char {
    kernels(operation_of(operation).map(Operation::with_nul))
}

/// The key's name: "fresh" or "same"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_key_name(key: leasebeat_key_t) -> *const c_char {
    kernels(key_of(key).map(Key::with_nul))
}

/// The reason's name, such as "no-safe-retry"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_stop_name(reason: leasebeat_stop_t) -> *const c_char {
    kernels(stop_of(reason).map(StopReason::with_nul))
}

/// The rule's id, such as "R5"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_rule_name(rule: leasebeat_rule_t) -> *const c_char {
    kernels(rule_of(rule).map(Rule::with_nul))
}

/// The error code as the protocol spells it, such as "NOT_FOUND"; static, and "unknown" for a number that is none.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_error_code_name(code: leasebeat_error_code_t) -> *const c_char {
    kernels(code_of(code).map(ErrorCode::with_nul))
}
