//! From the ABI's numbers to the kernel's types and back.

use core::mem::offset_of;

use leasebeat::{
    Action, Attempt, AttemptId, Decision, ErrorCode, Event, Failure, Heartbeat, HttpFailure, Instant, Key,
    Millis, Misuse, Operation, Outcome, Rule, StopReason, Success,
};

use crate::codes::leasebeat_action_t::{LEASEBEAT_ACTION_SEND, LEASEBEAT_ACTION_STOP, LEASEBEAT_ACTION_WAIT};
use crate::codes::leasebeat_error_code_t as code;
use crate::codes::leasebeat_event_kind_t as kind;
use crate::codes::leasebeat_failure_t as failure;
use crate::codes::leasebeat_key_t as key;
use crate::codes::leasebeat_operation_t as operation;
use crate::codes::leasebeat_rule_t as rule;
use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_DECISION, LEASEBEAT_ERROR_ERROR_CODE, LEASEBEAT_ERROR_EVENT_KIND,
    LEASEBEAT_ERROR_FAILURE, LEASEBEAT_ERROR_PRESENT, LEASEBEAT_ERROR_RESERVED,
    LEASEBEAT_ERROR_STALE_ATTEMPT, LEASEBEAT_ERROR_UNEXPECTED_EVENT, LEASEBEAT_OK,
};
use crate::codes::leasebeat_stop_t as stop;
use crate::memory::Checked;
use crate::types::{
    LEASEBEAT_DECISION_HAS_TIMEOUT_MS, LEASEBEAT_DECISION_HAS_WAIT_MS, LEASEBEAT_EVENT_HAS_ATTEMPT,
    LEASEBEAT_EVENT_HAS_ERROR_CODE, LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS, LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS,
    LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS, LEASEBEAT_EVENT_HAS_RTT_NS, leasebeat_decision_t, leasebeat_event_t,
};

/// The numbers of an enumeration of the kernel, both ways. A variant that this ABI does not know yet has the number 0;
/// a test holds that there is none.
macro_rules! numbered {
    ($of:ident, $parse:ident, $core:ident, $code:ident: $($variant:ident = $name:ident),* $(,)?) => {
        #[inline]
        pub(crate) const fn $of(value: $core) -> u8 {
            #[allow(unreachable_patterns)] // those of the kernel's enumerations that may grow need it
            match value {
                $($core::$variant => $code::$name as u8,)*
                _ => 0,
            }
        }

        #[inline]
        pub(crate) const fn $parse(number: u8) -> Option<$core> {
            $(if number == $code::$name as u8 {
                return Some($core::$variant);
            })*
            None
        }
    };
}
pub(crate) use numbered;

numbered! {
    rule_number, rule_of, Rule, rule:
    T4 = LEASEBEAT_RULE_T4,
    T6 = LEASEBEAT_RULE_T6,
    L1 = LEASEBEAT_RULE_L1,
    L3 = LEASEBEAT_RULE_L3,
    L4 = LEASEBEAT_RULE_L4,
    L5 = LEASEBEAT_RULE_L5,
    C3 = LEASEBEAT_RULE_C3,
    C4 = LEASEBEAT_RULE_C4,
    P4 = LEASEBEAT_RULE_P4,
    P5 = LEASEBEAT_RULE_P5,
    R2 = LEASEBEAT_RULE_R2,
    R3 = LEASEBEAT_RULE_R3,
    R4 = LEASEBEAT_RULE_R4,
    R5 = LEASEBEAT_RULE_R5,
    R6 = LEASEBEAT_RULE_R6,
    R8 = LEASEBEAT_RULE_R8,
    F1 = LEASEBEAT_RULE_F1,
    F3 = LEASEBEAT_RULE_F3,
    F4 = LEASEBEAT_RULE_F4,
    F5 = LEASEBEAT_RULE_F5,
    F6 = LEASEBEAT_RULE_F6,
}

numbered! {
    stop_number, stop_of, StopReason, stop:
    Closed = LEASEBEAT_STOP_CLOSED,
    NotGranted = LEASEBEAT_STOP_NOT_GRANTED,
    CreateAmbiguous = LEASEBEAT_STOP_CREATE_AMBIGUOUS,
    LeaseTooShort = LEASEBEAT_STOP_LEASE_TOO_SHORT,
    NoSafeRetry = LEASEBEAT_STOP_NO_SAFE_RETRY,
    ZeroWindowSpent = LEASEBEAT_STOP_ZERO_WINDOW_SPENT,
    NoProgress = LEASEBEAT_STOP_NO_PROGRESS,
    Throttled = LEASEBEAT_STOP_THROTTLED,
    Rejected = LEASEBEAT_STOP_REJECTED,
    UnexpectedStatus = LEASEBEAT_STOP_UNEXPECTED_STATUS,
    ReservationExpired = LEASEBEAT_STOP_RESERVATION_EXPIRED,
    ReservationFinalized = LEASEBEAT_STOP_RESERVATION_FINALIZED,
    MaxExtensionsExceeded = LEASEBEAT_STOP_MAX_EXTENSIONS_EXCEEDED,
    TenantClosed = LEASEBEAT_STOP_TENANT_CLOSED,
    NotFound = LEASEBEAT_STOP_NOT_FOUND,
    RemainingTtlAbsent = LEASEBEAT_STOP_REMAINING_TTL_ABSENT,
}

numbered! {
    code_number, code_of, ErrorCode, code:
    InvalidRequest = LEASEBEAT_CODE_INVALID_REQUEST,
    Unauthorized = LEASEBEAT_CODE_UNAUTHORIZED,
    Forbidden = LEASEBEAT_CODE_FORBIDDEN,
    NotFound = LEASEBEAT_CODE_NOT_FOUND,
    BudgetExceeded = LEASEBEAT_CODE_BUDGET_EXCEEDED,
    BudgetFrozen = LEASEBEAT_CODE_BUDGET_FROZEN,
    BudgetClosed = LEASEBEAT_CODE_BUDGET_CLOSED,
    ReservationExpired = LEASEBEAT_CODE_RESERVATION_EXPIRED,
    ReservationFinalized = LEASEBEAT_CODE_RESERVATION_FINALIZED,
    IdempotencyMismatch = LEASEBEAT_CODE_IDEMPOTENCY_MISMATCH,
    UnitMismatch = LEASEBEAT_CODE_UNIT_MISMATCH,
    OverdraftLimitExceeded = LEASEBEAT_CODE_OVERDRAFT_LIMIT_EXCEEDED,
    DebtOutstanding = LEASEBEAT_CODE_DEBT_OUTSTANDING,
    MaxExtensionsExceeded = LEASEBEAT_CODE_MAX_EXTENSIONS_EXCEEDED,
    LimitExceeded = LEASEBEAT_CODE_LIMIT_EXCEEDED,
    TenantClosed = LEASEBEAT_CODE_TENANT_CLOSED,
    InternalError = LEASEBEAT_CODE_INTERNAL_ERROR,
}

numbered! {
    operation_number, operation_of, Operation, operation:
    Create = LEASEBEAT_OPERATION_CREATE,
    Extend = LEASEBEAT_OPERATION_EXTEND,
}

numbered! {
    key_number, key_of, Key, key:
    Fresh = LEASEBEAT_KEY_FRESH,
    Same = LEASEBEAT_KEY_SAME,
}

/// Has the kernel handle the event that C describes, and writes what it decided; or says what is wrong.
///
/// Each kind is a function of its own that is jumped to, so that none saves registers for the others.
///
/// # Safety
/// `out` is neither NULL nor misaligned, and the caller's to write.
#[inline(always)]
pub(crate) unsafe fn handle_event(
    kernel: &mut Heartbeat,
    event: &leasebeat_event_t,
    now: Instant,
    out: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    if has_reserved(event) {
        return LEASEBEAT_ERROR_RESERVED;
    }
    let handle = match event.kind {
        EXTENDED => extended,
        FAILED => failed,
        CREATED => created,
        TICK => tick,
        DENIED | BEGIN | TIMING_LOST | CLOSE => other,
        _ => return LEASEBEAT_ERROR_EVENT_KIND,
    };
    // SAFETY: by this function's contract.
    unsafe { handle(kernel, event, now, out) }
}

/// The functions of the kinds: each takes the event apart, and has the kernel handle it.
macro_rules! kinds {
    ($($kind:ident: |$kernel:ident, $event:ident, $now:ident| $handled:expr),* $(,)?) => { $(
        /// # Safety
        /// As of [`write_decision`].
        #[inline(never)]
        unsafe fn $kind(
            $kernel: &mut Heartbeat,
            $event: &leasebeat_event_t,
            $now: Instant,
            out: *mut leasebeat_decision_t,
        ) -> leasebeat_status_t {
            match $handled {
                Ok(Ok(decision)) => {
                    // SAFETY: by this function's contract.
                    unsafe { write_decision(out, &decision) };
                    LEASEBEAT_OK
                }
                Ok(Err(error)) => misuse(error),
                Err(error) => error,
            }
        }
    )* };
}

kinds! {
    extended: |kernel, event, now| success_of(event)
        .map(|success| kernel.handle(report(event, Outcome::Extended(success)), now)),
    created: |kernel, event, now| success_of(event)
        .map(|success| kernel.handle(report(event, Outcome::Created(success)), now)),
    failed: |kernel, event, now| failure_of(event)
        .map(|failure| kernel.handle(report(event, Outcome::Failed(failure)), now)),
    tick: |kernel, event, now| only(event, 0).map(|()| Ok::<_, Misuse>(kernel.tick(now))),
    other: |kernel, event, now| other_of(event).map(|event| kernel.handle(event, now)),
}

/// The event that C describes, as the kernel has it; or what is wrong.
#[cfg(feature = "fleet")]
#[inline]
pub(crate) fn event_of(event: &leasebeat_event_t) -> Checked<Event> {
    if has_reserved(event) {
        return Err(LEASEBEAT_ERROR_RESERVED);
    }
    match event.kind {
        EXTENDED => success_of(event).map(|success| report(event, Outcome::Extended(success))),
        CREATED => success_of(event).map(|success| report(event, Outcome::Created(success))),
        FAILED => failure_of(event).map(|failure| report(event, Outcome::Failed(failure))),
        TICK => only(event, 0).map(|()| Event::Tick),
        DENIED | BEGIN | TIMING_LOST | CLOSE => other_of(event),
        _ => Err(LEASEBEAT_ERROR_EVENT_KIND),
    }
}

/// The event of a kind that is rare.
fn other_of(event: &leasebeat_event_t) -> Checked<Event> {
    let denied = event.kind == DENIED;
    only(event, if denied { LEASEBEAT_EVENT_HAS_ATTEMPT } else { 0 })?;
    Ok(match event.kind {
        BEGIN => Event::Begin,
        TIMING_LOST => Event::TimingLost,
        CLOSE => Event::Close,
        _ => report(event, Outcome::Denied),
    })
}

#[inline(always)]
fn report(event: &leasebeat_event_t, outcome: Outcome) -> Event {
    let named = event.present & LEASEBEAT_EVENT_HAS_ATTEMPT != 0;
    Event::Report { attempt: named.then_some(AttemptId::new(event.attempt)), outcome }
}

/// Whether a reserved byte of an event is set: with the status they make a word, which is read as one.
#[inline(always)]
pub(crate) fn has_reserved(event: &leasebeat_event_t) -> bool {
    const {
        assert!(
            offset_of!(leasebeat_event_t, http_status) == 8 && offset_of!(leasebeat_event_t, reserved) == 10
        );
    }
    // SAFETY: an event is five words without a gap, and aligned as one of them.
    let word = unsafe { (&raw const *event).cast::<u64>().add(1).read() };
    u64::from_le(word) > u64::from(u16::MAX)
}

pub(crate) const BEGIN: u8 = kind::LEASEBEAT_EVENT_BEGIN as u8;
pub(crate) const CREATED: u8 = kind::LEASEBEAT_EVENT_CREATED as u8;
pub(crate) const DENIED: u8 = kind::LEASEBEAT_EVENT_DENIED as u8;
pub(crate) const EXTENDED: u8 = kind::LEASEBEAT_EVENT_EXTENDED as u8;
pub(crate) const FAILED: u8 = kind::LEASEBEAT_EVENT_FAILED as u8;
pub(crate) const TICK: u8 = kind::LEASEBEAT_EVENT_TICK as u8;
pub(crate) const TIMING_LOST: u8 = kind::LEASEBEAT_EVENT_TIMING_LOST as u8;
pub(crate) const CLOSE: u8 = kind::LEASEBEAT_EVENT_CLOSE as u8;
const TIMEOUT: u8 = failure::LEASEBEAT_FAILURE_TIMEOUT as u8;
const CONNECTION: u8 = failure::LEASEBEAT_FAILURE_CONNECTION as u8;
const AMBIGUOUS: u8 = failure::LEASEBEAT_FAILURE_AMBIGUOUS as u8;
const HTTP: u8 = failure::LEASEBEAT_FAILURE_HTTP as u8;

/// Refuses bits of `present` that this kind of event does not have.
#[inline(always)]
fn only(event: &leasebeat_event_t, bits: u8) -> Checked {
    if event.present & !bits == 0 { Ok(()) } else { Err(LEASEBEAT_ERROR_PRESENT) }
}

#[inline(always)]
fn present(event: &leasebeat_event_t, bit: u8, value: u64) -> Option<u64> {
    (event.present & bit != 0).then_some(value)
}

#[inline(always)]
fn success_of(event: &leasebeat_event_t) -> Checked<Success> {
    const BITS: u8 = LEASEBEAT_EVENT_HAS_ATTEMPT
        | LEASEBEAT_EVENT_HAS_RTT_NS
        | LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS
        | LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS;
    only(event, BITS)?;
    Ok(Success {
        rtt_ns: present(event, LEASEBEAT_EVENT_HAS_RTT_NS, event.rtt_ns),
        remaining_ttl_ms: present(event, LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS, event.remaining_ttl_ms),
        expires_at_ms: present(event, LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS, event.expires_at_ms),
    })
}

/// The failure that an event of the kind `FAILED` describes.
#[inline(always)]
pub(crate) fn failure_of(event: &leasebeat_event_t) -> Checked<Failure> {
    const HTTP_BITS: u8 =
        LEASEBEAT_EVENT_HAS_ATTEMPT | LEASEBEAT_EVENT_HAS_ERROR_CODE | LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS;
    if event.failure != HTTP {
        only(event, LEASEBEAT_EVENT_HAS_ATTEMPT)?;
        return match event.failure {
            TIMEOUT => Ok(Failure::Timeout),
            CONNECTION => Ok(Failure::Connection),
            AMBIGUOUS => Ok(Failure::Ambiguous),
            _ => Err(LEASEBEAT_ERROR_FAILURE),
        };
    }
    only(event, HTTP_BITS)?;
    let code = if event.present & LEASEBEAT_EVENT_HAS_ERROR_CODE == 0 {
        None
    } else {
        Some(code_of(event.error_code).ok_or(LEASEBEAT_ERROR_ERROR_CODE)?)
    };
    let retry_after = present(event, LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS, event.retry_after_ms);
    Ok(Failure::Http(HttpFailure {
        status: event.http_status,
        code,
        retry_after: retry_after.map(Millis::new),
    }))
}

/// What C is told of an outcome.
#[cfg(feature = "wire")]
pub(crate) fn event_from(outcome: &Outcome) -> leasebeat_event_t {
    let mut event = leasebeat_event_t::default();
    match outcome {
        Outcome::Created(success) => {
            event.kind = CREATED;
            write_success(&mut event, success);
        }
        Outcome::Extended(success) => {
            event.kind = EXTENDED;
            write_success(&mut event, success);
        }
        Outcome::Denied => event.kind = DENIED,
        Outcome::Failed(failure) => {
            event.kind = FAILED;
            write_failure(&mut event, failure);
        }
    }
    event
}

#[cfg(feature = "wire")]
fn write_success(event: &mut leasebeat_event_t, success: &Success) {
    let mut write = |value: Option<u64>, bit| {
        event.present |= if value.is_some() { bit } else { 0 };
        value.unwrap_or_default()
    };
    let rtt_ns = write(success.rtt_ns, LEASEBEAT_EVENT_HAS_RTT_NS);
    let remaining_ttl_ms = write(success.remaining_ttl_ms, LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS);
    let expires_at_ms = write(success.expires_at_ms, LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS);
    *event = leasebeat_event_t { rtt_ns, remaining_ttl_ms, expires_at_ms, ..*event };
}

#[cfg(feature = "wire")]
fn write_failure(event: &mut leasebeat_event_t, failure: &Failure) {
    event.failure = match failure {
        Failure::Timeout => TIMEOUT,
        Failure::Connection => CONNECTION,
        Failure::Ambiguous => AMBIGUOUS,
        Failure::Http(http) => {
            event.http_status = http.status;
            if let Some(code) = http.code {
                event.error_code = code_number(code);
                event.present |= LEASEBEAT_EVENT_HAS_ERROR_CODE;
            }
            if let Some(delay) = http.retry_after {
                event.retry_after_ms = delay.get();
                event.present |= LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS;
            }
            HTTP
        }
    };
}

/// What C is told of a decision, written where C wants it.
///
/// Each action writes the whole struct by itself, its first eight bytes as one word: composed of what they have in
/// common it took half again as many instructions.
///
/// # Safety
/// `out` is neither NULL nor misaligned, and the caller's to write.
#[inline(always)]
pub(crate) unsafe fn write_decision(out: *mut leasebeat_decision_t, decision: &Decision) {
    let rule = rule_number(decision.rule);
    let word = |bytes: [u8; 6]| {
        let [action, rule, reason, operation, key, present] = bytes;
        u64::from_ne_bytes([action, rule, reason, operation, key, present, 0, 0])
    };
    let write = |head, [attempt, key_generation]: [u32; 2], wait_ms, timeout_ms, extend_by_ms| {
        const { assert!(offset_of!(leasebeat_decision_t, attempt) == size_of::<u64>()) };
        // SAFETY: by this function's contract; a decision begins with a word of single bytes, and has no gap.
        unsafe {
            out.cast::<u64>().write(head);
            (&raw mut (*out).attempt).write(attempt);
            (&raw mut (*out).key_generation).write(key_generation);
            (&raw mut (*out).wait_ms).write(wait_ms);
            (&raw mut (*out).timeout_ms).write(timeout_ms);
            (&raw mut (*out).extend_by_ms).write(extend_by_ms);
        }
    };
    match decision.action {
        Action::Wait(wait) => {
            let present = if wait.is_some() { LEASEBEAT_DECISION_HAS_WAIT_MS } else { 0 };
            let head = word([LEASEBEAT_ACTION_WAIT as u8, rule, 0, 0, 0, present]);
            write(head, [0; 2], wait.map_or(0, Millis::get), 0, 0);
        }
        Action::Send(Attempt { id, key_generation, operation, key, extend_by, timeout }) => {
            let present = if timeout.is_some() { LEASEBEAT_DECISION_HAS_TIMEOUT_MS } else { 0 };
            let (operation, key) = (operation_number(operation), key_number(key));
            let head = word([LEASEBEAT_ACTION_SEND as u8, rule, 0, operation, key, present]);
            write(head, [id.get(), key_generation], 0, timeout.map_or(0, Millis::get), extend_by.get());
        }
        Action::Stop(reason) => {
            let head = word([LEASEBEAT_ACTION_STOP as u8, rule, stop_number(reason), 0, 0, 0]);
            write(head, [0; 2], 0, 0, 0);
        }
    }
}

/// The decision that C hands back to have it explained.
pub(crate) fn decision_of(decision: &leasebeat_decision_t) -> Checked<Decision> {
    const SEND: u8 = LEASEBEAT_ACTION_SEND as u8;
    const WAIT: u8 = LEASEBEAT_ACTION_WAIT as u8;
    const STOP: u8 = LEASEBEAT_ACTION_STOP as u8;
    if decision.reserved != [0; 2] {
        return Err(LEASEBEAT_ERROR_RESERVED);
    }
    let known = |bit, value| (decision.present & bit != 0).then_some(Millis::new(value));
    let (action, bits) = match decision.action {
        SEND => {
            let attempt = Attempt {
                id: AttemptId::new(decision.attempt),
                key_generation: decision.key_generation,
                operation: operation_of(decision.operation).ok_or(LEASEBEAT_ERROR_DECISION)?,
                key: key_of(decision.key).ok_or(LEASEBEAT_ERROR_DECISION)?,
                extend_by: Millis::new(decision.extend_by_ms),
                timeout: known(LEASEBEAT_DECISION_HAS_TIMEOUT_MS, decision.timeout_ms),
            };
            (Action::Send(attempt), LEASEBEAT_DECISION_HAS_TIMEOUT_MS)
        }
        WAIT => {
            let wait = known(LEASEBEAT_DECISION_HAS_WAIT_MS, decision.wait_ms);
            (Action::Wait(wait), LEASEBEAT_DECISION_HAS_WAIT_MS)
        }
        STOP => (Action::Stop(stop_of(decision.reason).ok_or(LEASEBEAT_ERROR_DECISION)?), 0),
        _ => return Err(LEASEBEAT_ERROR_DECISION),
    };
    if decision.present & !bits != 0 {
        return Err(LEASEBEAT_ERROR_PRESENT);
    }
    Ok(Decision { action, rule: rule_of(decision.rule).ok_or(LEASEBEAT_ERROR_DECISION)? })
}

/// A misuse as a status.
pub(crate) const fn misuse(misuse: Misuse) -> leasebeat_status_t {
    match misuse {
        Misuse::UnexpectedEvent => LEASEBEAT_ERROR_UNEXPECTED_EVENT,
        Misuse::StaleAttempt => LEASEBEAT_ERROR_STALE_ATTEMPT,
    }
}
