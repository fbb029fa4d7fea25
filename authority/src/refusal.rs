//! Why something is refused: the protocol's code, and the words for a person.

use core::fmt;
use core::ops::RangeInclusive;

use leasebeat::ErrorCode;

use crate::amount::Unit;
use crate::time::ServerTime;

/// Why the budget does not allow something (A5). A dry run answers with it, anything else is refused for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Denial {
    /// More than remains.
    BudgetExceeded,
    /// The operator froze the budget.
    BudgetFrozen,
    /// The operator closed the budget.
    BudgetClosed,
    /// No scope of the subject has a budget.
    BudgetNotFound,
    /// A settlement before was cut to what was there.
    OverdraftLimitExceeded,
    /// The tenant is closed (A18).
    TenantClosed,
    /// The budget is in another unit. A request that could never be granted: refused, dry run or not.
    UnitMismatch {
        /// What was asked for.
        requested: Unit,
        /// What the budget is counted in.
        expected: Unit,
    },
}

impl Denial {
    /// The reason code of a dry run.
    #[must_use]
    pub fn reason_code(self) -> &'static str {
        match self {
            Self::BudgetNotFound => "BUDGET_NOT_FOUND",
            other => other.code().as_str(),
        }
    }

    /// The error code where it is refused.
    #[must_use]
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::BudgetExceeded => ErrorCode::BudgetExceeded,
            Self::BudgetFrozen => ErrorCode::BudgetFrozen,
            Self::BudgetClosed => ErrorCode::BudgetClosed,
            Self::BudgetNotFound => ErrorCode::NotFound,
            Self::OverdraftLimitExceeded => ErrorCode::OverdraftLimitExceeded,
            Self::TenantClosed => ErrorCode::TenantClosed,
            Self::UnitMismatch { .. } => ErrorCode::UnitMismatch,
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BudgetExceeded => f.write_str("more than remains of the budget"),
            Self::BudgetFrozen => f.write_str("the budget is frozen"),
            Self::BudgetClosed => f.write_str("the budget is closed"),
            Self::BudgetNotFound => f.write_str("no scope of the subject has a budget"),
            Self::OverdraftLimitExceeded => {
                f.write_str("the budget is over its limit until it is reconciled")
            }
            Self::TenantClosed => f.write_str("the tenant is closed"),
            Self::UnitMismatch { requested, expected } => {
                write!(f, "the unit is {}; it must be {}", requested.as_str(), expected.as_str())
            }
        }
    }
}

/// Why a request is refused. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A number is out of its range.
    OutOfRange {
        /// Which.
        field: &'static str,
        /// What it was.
        value: u64,
        /// What it may be.
        range: RangeInclusive<u64>,
    },
    /// There is no such reservation, or none any more (A19, A23).
    NotFound,
    /// It is another tenant's (A19).
    Foreign,
    /// It is committed or released (A13).
    Finalized,
    /// It has expired (A7, A11, A13).
    Expired {
        /// The last instant at which this would have been accepted.
        until: ServerTime,
    },
    /// It was extended as often as the policy allows (A8).
    MaxExtensions {
        /// How often.
        limit: u32,
    },
    /// The key was used with another payload (A16).
    Mismatch,
    /// The budget or the tenant does not allow it (A5, A18).
    Denied(Denial),
    /// Too many requests (A21).
    Throttled {
        /// When to come again, in whole seconds, rounded up.
        retry_after_s: u64,
        /// When the window ends.
        reset_at: ServerTime,
    },
    /// The caller's storage is full (A23).
    Full {
        /// Of what.
        what: &'static str,
    },
    /// The host named a new reservation as another one is named.
    IdInUse,
}

impl Refusal {
    /// The protocol's code for it.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::OutOfRange { .. } => ErrorCode::InvalidRequest,
            Self::NotFound => ErrorCode::NotFound,
            Self::Foreign => ErrorCode::Forbidden,
            Self::Finalized => ErrorCode::ReservationFinalized,
            Self::Expired { .. } => ErrorCode::ReservationExpired,
            Self::MaxExtensions { .. } => ErrorCode::MaxExtensionsExceeded,
            Self::Mismatch => ErrorCode::IdempotencyMismatch,
            Self::Denied(denial) => denial.code(),
            Self::Throttled { .. } => ErrorCode::LimitExceeded,
            Self::Full { .. } | Self::IdInUse => ErrorCode::InternalError,
        }
    }
}

impl From<Denial> for Refusal {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange { field, value, range } => {
                write!(f, "{field} is {value}; it must be from {} to {}", range.start(), range.end())
            }
            Self::NotFound => f.write_str("there is no such reservation"),
            Self::Foreign => f.write_str("the reservation is another tenant's"),
            Self::Finalized => f.write_str("the reservation is committed or released"),
            Self::Expired { until } => {
                write!(f, "the reservation has expired: this was accepted until {}", until.as_millis())
            }
            Self::MaxExtensions { limit } => write!(f, "the reservation was extended {limit} times already"),
            Self::Mismatch => f.write_str("the idempotency key was used with another payload"),
            Self::Denied(denial) => denial.fmt(f),
            Self::Throttled { retry_after_s, .. } => {
                write!(f, "too many requests; come again after {retry_after_s} s")
            }
            Self::Full { what } => write!(f, "the server has no room for more {what}"),
            Self::IdInUse => f.write_str("the name of the new reservation is in use"),
        }
    }
}

impl core::error::Error for Refusal {}

pub(crate) fn in_range(field: &'static str, value: u64, range: RangeInclusive<u64>) -> Result<(), Refusal> {
    if range.contains(&value) { Ok(()) } else { Err(Refusal::OutOfRange { field, value, range }) }
}
