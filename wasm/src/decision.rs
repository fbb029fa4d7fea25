//! Events in, decisions out.

use leasebeat::{
    Action, AttemptId, Decision, Disposition, ErrorCode, Event, Failure, HttpFailure, Instant, Key, Millis,
    Misuse, Operation, Outcome, StopReason, Success, classify,
};

use crate::lease::Lease;
use crate::words::{get, number, optional, put};

/// Hands over an event, and says what to do as `what | rule << 2 | detail << 8`, where `what` is
///
/// - wait (0): word 0 has the milliseconds, -1 for no end;
/// - send (1): detail is `extend | same << 1`, words 0 and 1 have the attempt and the key's generation;
/// - stop (2): detail is the reason;
/// - misuse (3): detail is which.
///
/// `event` is tick (0), begin (1), close (2), timing-lost (3), created (4), extended (5), denied (6), or a failure as
/// [`failure`] reads it. Word 0 has the reading. A report has its attempt in words 8 and 9, -1 first for none; a success its round trip
/// in words 2 and 3, `remaining_ttl_ms` in 4 and 5, and `expires_at_ms` in 6 and 7.
///
/// JavaScript rounds a reading down: a fence is never later than the truth (with the round trip rounded up), and a
/// throttled wait never ends too early. What such a wait is counted from, a failure or lost timing, it rounds up.
///
/// # Safety
/// `lease` is from `create`.
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 32 bits: checked in JavaScript
pub unsafe extern "C" fn handle(lease: *mut Lease, event: u32) -> u32 {
    // SAFETY: the caller's word; one call runs at a time.
    let lease = unsafe { &mut *lease };
    let now = Instant::from_nanos(number(0));
    let attempt = optional(8).map(|number| AttemptId::new(number as u32));
    let success =
        || Success { rtt_ns: optional(2), remaining_ttl_ms: optional(4), expires_at_ms: optional(6) };
    let event = match event {
        0 => Event::Tick,
        1 => Event::Begin,
        2 => Event::Close,
        3 => Event::TimingLost,
        4 => Event::Report { attempt, outcome: Outcome::Created(success()) },
        5 => Event::Report { attempt, outcome: Outcome::Extended(success()) },
        6 => Event::Report { attempt, outcome: Outcome::Denied },
        _ => Event::Report { attempt, outcome: Outcome::Failed(failure(event)) },
    };
    match lease.heartbeat.handle(event, now) {
        Ok(decision) => {
            #[cfg(feature = "full")]
            {
                lease.last = decision;
            }
            decided(&decision)
        }
        Err(Misuse::UnexpectedEvent) => 3,
        Err(Misuse::StaleAttempt) => 3 | 1 << 8,
    }
}

/// What a failure means (C1 to C4), by the reason that is named as its disposition or is a permanent one's: 0 is transient.
#[unsafe(no_mangle)]
pub extern "C" fn disposition(create: bool, event: u32) -> u32 {
    let operation = if create { Operation::Create } else { Operation::Extend };
    match classify(operation, &failure(event)) {
        Disposition::Transient => 0,
        Disposition::Throttled(_) => StopReason::Throttled as u32,
        Disposition::Rejected => StopReason::Rejected as u32,
        Disposition::UnexpectedStatus => StopReason::UnexpectedStatus as u32,
        Disposition::Permanent(reason) => reason as u32,
    }
}

const EXPIRED: i32 = StopReason::ReservationExpired as i32;
const FINALIZED: i32 = StopReason::ReservationFinalized as i32;
const EXTENDED: i32 = StopReason::MaxExtensionsExceeded as i32;
const CLOSED: i32 = StopReason::TenantClosed as i32;
const NOT_FOUND: i32 = StopReason::NotFound as i32;

/// An attempt that proves nothing (7), or an HTTP answer with its status in words 2 and 3, its Retry-After in 4 and 5, and the
/// reason that is named as its code in word 6; the latter are -1 for none.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
fn failure(event: u32) -> Failure {
    if event == 7 {
        return Failure::Ambiguous;
    }
    // C3: no other code decides anything.
    let code = match get(6) as i32 {
        EXPIRED => Some(ErrorCode::ReservationExpired),
        FINALIZED => Some(ErrorCode::ReservationFinalized),
        EXTENDED => Some(ErrorCode::MaxExtensionsExceeded),
        CLOSED => Some(ErrorCode::TenantClosed),
        NOT_FOUND => Some(ErrorCode::NotFound),
        _ => None,
    };
    Failure::Http(HttpFailure { status: number(2) as u16, code, retry_after: optional(4).map(Millis::new) })
}

#[allow(clippy::cast_precision_loss)] // a wait is at most the clock's 2^64 ns, which are fewer than 2^53 ms
fn decided(decision: &Decision) -> u32 {
    let (what, detail) = match decision.action {
        Action::Wait(wait) => {
            put(0, wait.map_or(-1.0, |wait| wait.get() as f64));
            (0, 0)
        }
        Action::Send(attempt) => {
            put(0, f64::from(attempt.id.get()));
            put(1, f64::from(attempt.key_generation));
            (1, u32::from(attempt.operation == Operation::Extend) | u32::from(attempt.key == Key::Same) << 1)
        }
        Action::Stop(reason) => (2, reason as u32),
    };
    what | (decision.rule as u32) << 2 | detail << 8
}
