//! A naive reading of the rules W1–W6, to be compared with the kernel's.

use leasebeat::wire::UnknownKeys;
use leasebeat::{ErrorCode, Failure, HttpFailure, Millis, Operation, Outcome, Success};

use crate::node::Node;
use crate::protocol::{CREATE, ERROR, EXTEND, Schema};
use crate::reference::parse_retry_after;

/// W5: nesting deeper than this is ambiguous.
pub const DEPTH_MAX: usize = 16;

/// The outcome of an answer, and its `reservation_id`.
#[must_use]
pub fn decode(
    operation: Operation,
    status: u16,
    retry_after: Option<&[u8]>,
    body: &[u8],
    unknown_keys: UnknownKeys,
) -> (Outcome, Option<String>) {
    let schema = schema(operation);
    decide(operation, status, retry_after, body, unknown_keys, |node| schema.allows(node))
}

/// As [`decode`], with another judge of what is valid.
pub fn decide(
    operation: Operation,
    status: u16,
    retry_after: Option<&[u8]>,
    body: &[u8],
    unknown_keys: UnknownKeys,
    valid: impl Fn(&Node) -> bool,
) -> (Outcome, Option<String>) {
    let ambiguous = (Outcome::Failed(Failure::Ambiguous), None);
    let body = Node::parse(body, DEPTH_MAX);
    if status != 200 {
        if (200..300).contains(&status) {
            return ambiguous;
        }
        let code = if (400..600).contains(&status) { code(body.as_ref()) } else { None };
        let retry_after = retry_after
            .filter(|_| status == 429)
            .and_then(|header| parse_retry_after(std::str::from_utf8(header).ok()?))
            .map(|ms| Millis::new(u64::try_from(ms).expect("it was checked")));
        return (Outcome::Failed(Failure::Http(HttpFailure { status, code, retry_after })), None);
    }
    let Some(mut body) = body else { return ambiguous };
    if unknown_keys == UnknownKeys::Ignore {
        body = schema(operation).known_part(&body);
    }
    if !valid(&body) {
        return ambiguous;
    }
    let count = |key| body.only(key).and_then(Node::int64).and_then(|count| u64::try_from(count).ok());
    let success = Success {
        rtt_ns: None,
        remaining_ttl_ms: count("remaining_ttl_ms"),
        expires_at_ms: count("expires_at_ms"),
    };
    if operation == Operation::Extend {
        return (Outcome::Extended(success), None);
    }
    if body.only("decision").and_then(Node::text) == Some("DENY") {
        return (Outcome::Denied, None);
    }
    match body.only("reservation_id").and_then(Node::text) {
        None | Some("") => ambiguous,
        Some(id) => (Outcome::Created(success), Some(id.to_owned())),
    }
}

fn schema(operation: Operation) -> &'static Schema {
    if operation == Operation::Create { &CREATE } else { &EXTEND }
}

fn code(body: Option<&Node>) -> Option<ErrorCode> {
    let error = body?.only("error")?.text()?;
    let known = ERROR.properties["error"].names.as_ref().expect("the codes are an enumeration");
    if known.iter().any(|code| code == error) {
        Some(ErrorCode::from_name(error).expect("the kernel knows every code"))
    } else {
        None
    }
}
