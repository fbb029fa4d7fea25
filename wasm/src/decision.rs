//! Events in, decisions out.

use leasebeat::{
    Action, AttemptId, Disposition, ErrorCode, Event, Failure, HttpFailure, Instant, Key, Misuse, Operation,
    Outcome, Success, classify, parse_retry_after,
};

use crate::lease::Lease;
use crate::memory::text;
use crate::time::{down, up};
use crate::words::{get, optional, put};

/// Hands over an event, and says what to do as `what | rule << 2 | detail << 8`, where `what` is
///
/// - wait (0): word 0 has the milliseconds, -1 for no end;
/// - send (1): detail is `extend | same << 1`, words 0 and 1 have the attempt and the key's generation;
/// - stop (2): detail is the reason;
/// - misuse (3): detail is which.
///
/// `event` is tick (0), begin (1), close (2), timing-lost (3), created (4), extended (5), denied (6), or a failure as
/// [`failure`] reads it. Word 0 has the reading. A report has its attempt in word 8, -1 for none; a success its round trip
/// in word 2, `remaining_ttl_ms` in 4 and `expires_at_ms` in 6.
///
/// A reading rounds down: a fence is never later than the truth (with the round trip rounded up), and a throttled wait
/// never ends too early. What such a wait is counted from, a failure or lost timing, rounds up.
///
/// # Safety
/// `lease` is from `lease_new`, and not freed.
#[unsafe(no_mangle)]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 32 bits: checked in JavaScript
pub unsafe extern "C" fn handle(lease: *mut Lease, event: u32) -> u32 {
    // SAFETY: the caller's word; one call runs at a time.
    let lease = unsafe { &mut *lease };
    let success = || Success {
        rtt_ns: (get(2) >= 0.0).then(|| up(2)),
        remaining_ttl_ms: optional(4),
        expires_at_ms: optional(6),
    };
    let now = if event == 3 || event > 6 { up(0) } else { down(0) };
    let outcome = match event {
        0 => None,
        1 => return decide(lease, Event::Begin, now),
        2 => return decide(lease, Event::Close, now),
        3 => return decide(lease, Event::TimingLost, now),
        4 => Some(Outcome::Created(success())),
        5 => Some(Outcome::Extended(success())),
        6 => Some(Outcome::Denied),
        _ => Some(Outcome::Failed(failure(event))),
    };
    let attempt = (get(8) >= 0.0).then(|| AttemptId::new(get(8) as u32));
    let event = outcome.map_or(Event::Tick, |outcome| Event::Report { attempt, outcome });
    decide(lease, event, now)
}

/// What a failure means (C1 to C4): transient (0), throttled (1), rejected (2), unexpected-status (3), or permanent, for
/// 4 and up, by the reason.
#[unsafe(no_mangle)]
pub extern "C" fn disposition(create: bool, event: u32) -> u32 {
    let operation = if create { Operation::Create } else { Operation::Extend };
    match classify(operation, &failure(event)) {
        Disposition::Transient => 0,
        Disposition::Throttled(_) => 1,
        Disposition::Rejected => 2,
        Disposition::UnexpectedStatus => 3,
        Disposition::Permanent(reason) => 4 + reason as u32,
    }
}

/// `timeout` (7), `connection` (8), `ambiguous` (9), or an HTTP answer with its status in word 2, the number of its code in
/// word 3, and the length of its Retry-After, which is in the buffer, in word 4; each is -1 for none.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
fn failure(event: u32) -> Failure {
    match event {
        7 => Failure::Timeout,
        8 => Failure::Connection,
        9 => Failure::Ambiguous,
        _ => Failure::Http(HttpFailure {
            status: get(2) as u16,
            code: ErrorCode::ALL.get(get(3) as isize as usize).copied(),
            retry_after: parse_retry_after(text(get(4) as usize)),
        }),
    }
}

#[inline(never)] // once for all events
#[allow(clippy::cast_precision_loss)] // a wait is at most the clock's 2^64 ns, which are fewer than 2^53 ms
fn decide(lease: &mut Lease, event: Event, now: u64) -> u32 {
    let decision = match lease.heartbeat.handle(event, Instant::from_nanos(now)) {
        Ok(decision) => decision,
        Err(Misuse::UnexpectedEvent) => return 3,
        Err(Misuse::StaleAttempt) => return 3 | 1 << 8,
    };
    #[cfg(feature = "full")]
    {
        lease.last = decision;
    }
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
