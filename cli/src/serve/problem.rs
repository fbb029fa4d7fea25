//! What is refused over HTTP, and with which status.

use axum::http::StatusCode;
use leasebeat::ErrorCode;
use leasebeat_authority::{Denial, Refusal};

use super::body::Object;

/// A refusal, ready to be answered.
#[derive(Debug, Clone)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: ErrorCode,
    pub(super) message: String,
    pub(super) details: Option<Object>,
    pub(super) throttle: Option<Throttle>,
}

/// The headers of a 429.
#[derive(Debug, Clone)]
pub(super) struct Throttle {
    pub(super) retry_after: Option<String>,
    /// When the window ends, in seconds of the epoch.
    pub(super) reset_s: u64,
}

impl Problem {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { status: status_of(code), code, message: message.into(), details: None, throttle: None }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let mut problem = Self::new(refusal.code(), refusal.to_string());
        match refusal {
            Refusal::Throttled { retry_after_s, reset_at } => {
                problem.throttle = Some(Throttle {
                    retry_after: Some(retry_after_s.to_string()),
                    reset_s: reset_at.as_millis().div_ceil(1_000),
                });
            }
            Refusal::Denied(Denial::UnitMismatch { requested, expected }) => {
                let details = [
                    ("requested_unit", requested.as_str().into()),
                    ("expected_units", vec![expected.as_str()].into()),
                ];
                problem.details =
                    Some(details.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
            }
            _ => {}
        }
        problem
    }
}

/// The status that an error code comes with.
fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::UnitMismatch => StatusCode::BAD_REQUEST,
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::Forbidden => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::ReservationExpired => StatusCode::GONE,
        ErrorCode::LimitExceeded => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::CONFLICT,
    }
}
