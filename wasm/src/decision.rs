//! Events in, decisions out.

use leasebeat::{
    Action, AttemptId, Decision, Disposition, ErrorCode, Event, Failure, HttpFailure, Instant, Key, Millis,
    Misuse, Operation, Outcome, Success, classify,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::lease::Lease;
use crate::number::optional;
use crate::out::put;
use crate::text::retry_after;
use crate::time::{down, up};

// A decision is `what | rule << 2 | detail << 8`. The words of `out` hold the rest.
const WAIT: u32 = 0; // out: milliseconds, or -1 for no end
const SEND: u32 = 1; // detail: extend | same << 1; out: attempt, key generation
const STOP: u32 = 2; // detail: the reason
const MISUSE: u32 = 3; // detail: which

/// T4: what is due. A reading rounds down: never earlier than a throttling server asked.
///
/// # Safety
/// Here and below: `lease` is from `lease_new`, and not freed.
#[wasm_bindgen]
pub unsafe fn tick(lease: *mut Lease, ms: f64, ns: f64) -> u32 {
    // SAFETY: the caller's word.
    unsafe { handle(lease, Event::Tick, down(ms, ns)) }
}

/// `begin` (0), `close` (1), or `timing-lost` (2), from which a throttled wait starts over: that rounds up.
///
/// # Safety
/// As `tick`.
#[wasm_bindgen]
pub unsafe fn command(lease: *mut Lease, what: u32, ms: f64, ns: f64) -> u32 {
    let (event, now) = match what {
        0 => (Event::Begin, down(ms, ns)),
        1 => (Event::Close, down(ms, ns)),
        _ => (Event::TimingLost, up(ms, ns)),
    };
    // SAFETY: the caller's word.
    unsafe { handle(lease, event, now) }
}

/// A success: `created`, or else `extended`. Its receipt rounds down and its round trip up, so the fence is never later
/// than the truth.
///
/// # Safety
/// As `tick`.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments)]
pub unsafe fn succeeded(
    lease: *mut Lease,
    created: bool,
    attempt: f64,
    ms: f64,
    ns: f64,
    rtt_ms: f64,
    rtt_ns: f64,
    remaining: f64,
    remaining_low: f64,
    expires: f64,
    expires_low: f64,
) -> u32 {
    let success = Success {
        rtt_ns: (rtt_ms >= 0.0).then(|| up(rtt_ms, rtt_ns)),
        remaining_ttl_ms: optional(remaining, remaining_low),
        expires_at_ms: optional(expires, expires_low),
    };
    let outcome = if created { Outcome::Created(success) } else { Outcome::Extended(success) };
    // SAFETY: the caller's word.
    unsafe { handle(lease, report(attempt, outcome), down(ms, ns)) }
}

/// `denied` (-1), or a failure as [`failure`] reads it, with a Retry-After of so many bytes in the buffer, -1 for none. It rounds up: what a Retry-After is counted from is never
/// too early.
///
/// # Safety
/// As `tick`.
#[wasm_bindgen]
#[allow(clippy::too_many_arguments)]
pub unsafe fn failed(
    lease: *mut Lease,
    attempt: f64,
    ms: f64,
    ns: f64,
    what: i32,
    code: u32,
    retry_after_length: i32,
) -> u32 {
    let outcome = match what {
        -1 => Outcome::Denied,
        what => Outcome::Failed(failure(what, code, retry_after(retry_after_length))),
    };
    // SAFETY: the caller's word.
    unsafe { handle(lease, report(attempt, outcome), up(ms, ns)) }
}

/// What a failure means (C1 to C4): transient (0), throttled (1), rejected (2), unexpected-status (3), or permanent, for
/// 4 and up, by the reason.
#[wasm_bindgen]
#[must_use]
pub fn disposition(create: bool, what: i32, code: u32) -> u32 {
    let operation = if create { Operation::Create } else { Operation::Extend };
    match classify(operation, &failure(what, code, None)) {
        Disposition::Transient => 0,
        Disposition::Throttled(_) => 1,
        Disposition::Rejected => 2,
        Disposition::UnexpectedStatus => 3,
        Disposition::Permanent(reason) => 4 + reason as u32,
    }
}

/// `timeout` (-2), `connection` (-3), `ambiguous` (-4), or an HTTP status with the number of its code.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 16 bits: checked in JavaScript
fn failure(what: i32, code: u32, retry_after: Option<Millis>) -> Failure {
    match what {
        -2 => Failure::Timeout,
        -3 => Failure::Connection,
        ..0 => Failure::Ambiguous,
        status => Failure::Http(HttpFailure {
            status: status as u16,
            code: ErrorCode::ALL.get(code as usize).copied(),
            retry_after,
        }),
    }
}

/// A negative number names no attempt.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 32 bits: checked in JavaScript
fn report(attempt: f64, outcome: Outcome) -> Event {
    Event::Report { attempt: (attempt >= 0.0).then(|| AttemptId::new(attempt as u32)), outcome }
}

unsafe fn handle(lease: *mut Lease, event: Event, now: u64) -> u32 {
    // SAFETY: the caller's word; one call runs at a time.
    let lease = unsafe { &mut *lease };
    match lease.heartbeat.handle(event, Instant::from_nanos(now)) {
        Ok(decision) => {
            #[cfg(feature = "full")]
            {
                lease.last = decision;
            }
            pack(&decision)
        }
        Err(Misuse::UnexpectedEvent) => MISUSE,
        Err(Misuse::StaleAttempt) => MISUSE | 1 << 8,
    }
}

#[allow(clippy::cast_precision_loss)] // a wait is at most the clock's 2^64 ns, which are fewer than 2^53 ms
fn pack(decision: &Decision) -> u32 {
    let (what, detail) = match decision.action {
        Action::Wait(wait) => {
            put(0, wait.map_or(-1.0, |wait| wait.get() as f64));
            (WAIT, 0)
        }
        Action::Send(attempt) => {
            put(0, f64::from(attempt.id.get()));
            put(1, f64::from(attempt.key_generation));
            let (extend, same) = (attempt.operation == Operation::Extend, attempt.key == Key::Same);
            (SEND, u32::from(extend) | u32::from(same) << 1)
        }
        Action::Stop(reason) => (STOP, reason as u32),
    };
    what | (decision.rule as u32) << 2 | detail << 8
}
