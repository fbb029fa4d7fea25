//! From a raw HTTP answer to what the kernel is told of it (rules W1–W6): one predicate of what an answer proves,
//! the same in every language.
//!
//! The host hands over the status, the `Retry-After` header and the body's bytes; [`decode`] allocates nothing,
//! recurses nowhere, and takes time linear in the body.
//!
//! ```
//! use leasebeat::wire::{UnknownKeys, decode};
//! use leasebeat::{Event, Operation, Outcome};
//!
//! let body = br#"{"decision":"ALLOW","reservation_id":"rsv_1","expires_at_ms":1785585660000,
//!     "remaining_ttl_ms":60000,"affected_scopes":["tenant:acme"]}"#;
//! let decoded = decode(Operation::Create, 200, None, body, UnknownKeys::Reject);
//!
//! // The host measured the round trip; the kernel is told both.
//! let event = Event::from(decoded.outcome(Some(1_500_000)));
//! # assert!(matches!(event, Event::Report { outcome: Outcome::Created(_), .. }));
//! let mut buffer = [0; 64];
//! let id = decoded.reservation_id().expect("it was granted").unescape(&mut buffer)?;
//! assert_eq!(id, "rsv_1");
//!
//! // What proves nothing says why.
//! let body = br#"{"status":"ACTIVE","expires_at_ms":1785585660000,"balances":[{"scope":"tenant:acme",
//!     "scope_path":"tenant:acme","remaining":{"unit":"TOKENS","amount":1.0}}]}"#;
//! let decoded = decode(Operation::Extend, 200, None, body, UnknownKeys::Reject);
//! let problem = decoded.problem().expect("an amount is an integer");
//! assert_eq!(problem.to_string(), "not written as an integer at /balances/0/remaining/amount, byte 154");
//! # Ok::<(), leasebeat::wire::BufferTooSmall>(())
//! ```
//!
//! Where the rules leave room, they are read so:
//!
//! - The body counts as the first of the sixteen levels of W5.
//! - Half of a surrogate pair has no UTF-8, so it is as malformed in an escape as in bytes, also in what is skipped.
//! - Lengths count characters (code points), as JSON Schema does; an escape or a surrogate pair is one.
//! - An integer may be written `-0`. One without `format: int64` is held to int64 all the same.
//! - `format: uri` is an annotation, as in JSON Schema 2020-12, and checks nothing. What the schema's descriptions ask
//!   beyond it (no `remaining_ttl_ms` with a DENY, `caps` only with ALLOW_WITH_CAPS) is the server's to keep.
//! - An unknown key that is skipped may be there twice: it is unread, and to remember it would take memory or time.
//! - An error's body (W4) is one well-formed JSON object, nested as W5 allows, with exactly one `error`; nothing else
//!   of its schema matters, for it may come from a gateway.
//! - A 2xx that is not 200 is `ambiguous`; any other status is a failure with that status, and outside 400 to 599
//!   without a code. A Retry-After is read of a 429 only.

mod create;
mod error;
mod extend;
mod json;
mod keys;
mod number;
mod pointer;
mod problem;
mod schema;
mod text;
mod walk;

#[cfg(test)]
mod tests;

use crate::decision::Operation;
use crate::event::{ErrorCode, Failure, HttpFailure, Outcome, Success};
use crate::response::parse_retry_after;

pub use pointer::Pointer;
pub use problem::{Problem, Wrong};
pub use text::{BufferTooSmall, Text};

/// What a key is that the schema does not name (W6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum UnknownKeys {
    /// It makes the body invalid, as the schema says.
    #[default]
    Reject,
    /// It is skipped, well-formed but unread, for a client that must outlive a newer server. Unread also means that
    /// it may be there twice.
    Ignore,
}

/// What an answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct Decoded<'a> {
    outcome: Outcome,
    reservation_id: Option<Text<'a>>,
    problem: Option<Problem<'a>>,
}

/// Decodes the answer to an attempt of `operation` (W1). `retry_after` is the raw header, where there is one.
///
/// An exact 200 is a success or ambiguous, any other 2xx is ambiguous (C1), and everything else is the failure
/// that its status says, with the code of its body (W4) and, for a 429, its Retry-After (C5).
pub fn decode<'a>(
    operation: Operation,
    status: u16,
    retry_after: Option<&[u8]>,
    body: &'a [u8],
    unknown_keys: UnknownKeys,
) -> Decoded<'a> {
    match status {
        200 => {
            let decoded = match operation {
                Operation::Create => create::decode(body, unknown_keys),
                Operation::Extend => extend::decode(body, unknown_keys).map(|outcome| (outcome, None)),
            };
            match decoded {
                Ok((outcome, reservation_id)) => Decoded { outcome, reservation_id, problem: None },
                Err(fault) => Decoded::failed(Failure::Ambiguous, Some(Problem::in_body(fault, body))),
            }
        }
        201..=299 => Decoded::failed(Failure::Ambiguous, Some(Problem::in_head(Wrong::Status(status)))),
        400..=599 => refused(status, retry_after, body),
        _ => Decoded::http(status, None, None, Some(Problem::in_head(Wrong::Status(status)))),
    }
}

/// A 4xx or 5xx: never without an outcome (W4).
fn refused<'a>(status: u16, retry_after: Option<&[u8]>, body: &'a [u8]) -> Decoded<'a> {
    let (code, in_body) = match error::code(body) {
        Ok(code) => (Some(code), None),
        Err(fault) => (None, Some(Problem::in_body(fault, body))),
    };
    let header = if status == 429 { retry_after } else { None };
    let delay = header.and_then(parse_retry_after);
    let in_header = header.is_some() && delay.is_none();
    let problem = if in_header { Some(Problem::in_head(Wrong::RetryAfter)) } else { in_body };
    Decoded::http(status, code, delay, problem)
}

impl<'a> Decoded<'a> {
    const fn failed(failure: Failure, problem: Option<Problem<'a>>) -> Self {
        Self { outcome: Outcome::Failed(failure), reservation_id: None, problem }
    }

    const fn http(
        status: u16,
        code: Option<ErrorCode>,
        retry_after: Option<crate::Millis>,
        problem: Option<Problem<'a>>,
    ) -> Self {
        Self::failed(Failure::Http(HttpFailure { status, code, retry_after }), problem)
    }

    /// The outcome to report to the kernel, with the round trip in ns that the host measured up to the instant it
    /// reports (T7); `None` where it was not measured reliably. A failure has none.
    #[must_use]
    pub const fn outcome(&self, rtt_ns: Option<u64>) -> Outcome {
        match self.outcome {
            Outcome::Created(success) => Outcome::Created(Success { rtt_ns, ..success }),
            Outcome::Extended(success) => Outcome::Extended(Success { rtt_ns, ..success }),
            other => other,
        }
    }

    /// The reservation that a create was granted; never empty (W3).
    #[must_use]
    pub const fn reservation_id(&self) -> Option<Text<'a>> {
        self.reservation_id
    }

    /// The first thing that is wrong, where anything is: why an answer proves nothing, or why a refusal has no code
    /// or no Retry-After. The status comes before the header, and the header before the body.
    #[must_use]
    pub const fn problem(&self) -> Option<Problem<'a>> {
        self.problem
    }
}
