//! Which request it is, and which operation of the caller's it belongs to: ids in headers and bodies.

use axum::http::HeaderMap;
use uuid::Uuid;

/// The ids that every answer carries.
#[derive(Debug, Clone)]
pub(super) struct Correlation {
    pub(super) request_id: String,
    pub(super) trace_id: String,
}

impl Correlation {
    /// A new request id; the trace id of `traceparent`, else of `X-Cycles-Trace-Id`, else a new one. A malformed
    /// header counts as absent.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let header = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let inbound = header("traceparent")
            .and_then(from_traceparent)
            .or_else(|| header("X-Cycles-Trace-Id").filter(|id| is_id(id, 32)));
        Self { request_id: format!("req_{}", new_id()), trace_id: inbound.map_or_else(new_id, str::to_owned) }
    }
}

/// 32 lower-case hexadecimal digits, never all zero.
pub(super) fn new_id() -> String {
    Uuid::new_v4().simple().to_string()
}

fn from_traceparent(value: &str) -> Option<&str> {
    let mut parts = value.split('-');
    let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let flags_are_hex = flags.len() == 2 && flags.bytes().all(is_lower_hex);
    let valid = version == "00" && is_id(trace, 32) && is_id(span, 16) && flags_are_hex;
    (valid && parts.next().is_none()).then_some(trace)
}

fn is_id(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(is_lower_hex) && text.bytes().any(|digit| digit != b'0')
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_goes_on_from_the_first_valid_header() {
        let (one, two, zero) = ("1".repeat(32), "2".repeat(32), "0".repeat(32));
        let parent = |trace: &str| format!("00-{trace}-00f067aa0ba902b7-01");
        for (traceparent, flat, expected) in [
            (Some(parent(&one)), Some(two.clone()), Some(&one)),
            (Some(parent(&zero)), Some(two.clone()), Some(&two)),
            (Some(format!("01-{one}-00f067aa0ba902b7-01")), Some(two.clone()), Some(&two)),
            (Some(format!("00-{one}-0000000000000000-01")), Some(two.clone()), Some(&two)),
            (Some(format!("{}-x", parent(&one))), None, None),
            (None, Some(two.to_uppercase().replace('2', "A")), None),
            (None, Some(zero), None),
            (None, None, None),
        ] {
            let mut headers = HeaderMap::new();
            for (name, value) in [("traceparent", traceparent), ("x-cycles-trace-id", flat)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().expect("a header"));
                }
            }
            let found = Correlation::of(&headers).trace_id;
            match expected {
                Some(expected) => assert_eq!(&found, expected),
                None => assert!(is_id(&found, 32) && found != one && found != two, "{found}"),
            }
        }
    }
}
