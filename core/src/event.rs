//! Events: what a host tells the kernel.

use crate::decision::AttemptId;
use crate::time::{Instant, Millis};

/// Something that happened to the host. Given to [`Heartbeat::handle`](crate::Heartbeat::handle) with the
/// instant at which it did, in the order of those instants: one handed over more than a millisecond after a later
/// one looks like a clock that went back (T6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Event {
    /// Create the reservation through the kernel (L1). Only as the first thing.
    Begin,
    /// What became of an attempt, and which attempt that was where the host knows (L2).
    Report {
        /// The attempt it answers. A number that is not the attempt in flight is refused as stale.
        attempt: Option<AttemptId>,
        /// What became of it.
        outcome: Outcome,
    },
    /// Time passed: a timer fired, early or late, or the host just asks what is due.
    Tick,
    /// The host slept, or learned that its clock jumped: no measured time can be trusted (T6).
    TimingLost,
    /// The work is done, or nobody wants the lease any more (L5).
    Close,
}

/// What became of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Outcome {
    /// A schema-valid 200 to a create that was allowed. Also how a host hands in a reservation it created itself.
    Created(Success),
    /// A schema-valid 200 to a create that was denied, or to a dry run (L4).
    Denied,
    /// A schema-valid 200 to an extend (C1).
    Extended(Success),
    /// Anything else.
    Failed(Failure),
}

/// What a schema-valid 200 said, and how long it took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Success {
    /// This attempt's round trip on the monotonic clock, in ns: from just before the send to the instant given
    /// with the event (T7). `None` where it was not measured reliably; that is never read as zero (P2).
    pub rtt_ns: Option<u64>,
    /// The body's `remaining_ttl_ms`. `None` where the server does not send it (F1).
    pub remaining_ttl_ms: Option<u64>,
    /// The body's `expires_at_ms`, on the server's clock. An extend without it is ambiguous (C1).
    pub expires_at_ms: Option<u64>,
}

/// How an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Failure {
    /// The enforced request timeout passed.
    Timeout,
    /// The connection was refused, reset or lost.
    Connection,
    /// A 200 that is not valid by the schema, or another answer that proves nothing (C1).
    Ambiguous,
    /// An HTTP answer that is no success. A 2xx reported here is ambiguous (C1).
    Http(HttpFailure),
}

/// An HTTP answer that is no success.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// The body's `error`, where it is one the protocol names.
    pub code: Option<ErrorCode>,
    /// The `Retry-After` as [`parse_retry_after`](crate::parse_retry_after) gives it: whole seconds, in ms; `None`
    /// where it is absent or invalid (C5).
    pub retry_after: Option<Millis>,
}

named! {
    /// The protocol's error codes. Those that [`classify`](crate::classify) calls permanent end a lease (C3).
    #[allow(missing_docs)] // each is the protocol's own name
    #[non_exhaustive]
    ErrorCode, as_str, "The code as the protocol spells it.";
    InvalidRequest = "INVALID_REQUEST",
    Unauthorized = "UNAUTHORIZED",
    Forbidden = "FORBIDDEN",
    NotFound = "NOT_FOUND",
    BudgetExceeded = "BUDGET_EXCEEDED",
    BudgetFrozen = "BUDGET_FROZEN",
    BudgetClosed = "BUDGET_CLOSED",
    ReservationExpired = "RESERVATION_EXPIRED",
    ReservationFinalized = "RESERVATION_FINALIZED",
    IdempotencyMismatch = "IDEMPOTENCY_MISMATCH",
    UnitMismatch = "UNIT_MISMATCH",
    OverdraftLimitExceeded = "OVERDRAFT_LIMIT_EXCEEDED",
    DebtOutstanding = "DEBT_OUTSTANDING",
    MaxExtensionsExceeded = "MAX_EXTENSIONS_EXCEEDED",
    LimitExceeded = "LIMIT_EXCEEDED",
    TenantClosed = "TENANT_CLOSED",
    InternalError = "INTERNAL_ERROR",
}

impl Outcome {
    /// The same with its round trip, from the reading just before the send to the one it is reported with (T7). One
    /// that ends before it began is unknown. A failure has none.
    ///
    /// A host that stops measuring earlier than the instant it hands over makes the fence too late: this helper takes
    /// both ends, so that they cannot part.
    #[must_use]
    pub const fn timed(self, sent: Instant, received: Instant) -> Self {
        let rtt_ns = received.as_nanos().checked_sub(sent.as_nanos());
        match self {
            Self::Created(success) => Self::Created(Success { rtt_ns, ..success }),
            Self::Extended(success) => Self::Extended(Success { rtt_ns, ..success }),
            Self::Denied | Self::Failed(_) => self,
        }
    }

    /// The event that reports this outcome of `attempt`, so that a late answer can do no harm (L2).
    #[must_use]
    pub const fn of(self, attempt: AttemptId) -> Event {
        Event::Report { attempt: Some(attempt), outcome: self }
    }
}

/// An outcome of whatever is in flight.
impl From<Outcome> for Event {
    fn from(outcome: Outcome) -> Self {
        Self::Report { attempt: None, outcome }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t7_a_round_trip_ends_where_it_is_reported() {
        let at = Instant::from_nanos;
        let success = Success { remaining_ttl_ms: Some(9), ..Success::default() };
        let timed = Success { rtt_ns: Some(3), ..success };
        assert_eq!(Outcome::Created(success).timed(at(4), at(7)), Outcome::Created(timed));
        assert_eq!(Outcome::Extended(success).timed(at(4), at(7)), Outcome::Extended(timed));
        assert_eq!(Outcome::Extended(timed).timed(at(7), at(4)), Outcome::Extended(success));
        assert_eq!(Outcome::Denied.timed(at(4), at(7)), Outcome::Denied);
    }

    #[test]
    fn c3_every_code_is_found_by_its_name_and_by_no_other() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::from_name(code.as_str()), Some(*code));
        }
        for text in ["", "not_found", "NOT_FOUND ", "UNKNOWN"] {
            assert_eq!(ErrorCode::from_name(text), None, "{text:?}");
        }
    }
}
