//! What a response is (rules C1–C5): the one classification of statuses, codes and Retry-After.

use crate::decision::{Operation, StopReason};
use crate::event::{ErrorCode, Failure, HttpFailure};
use crate::time::Millis;

/// What a failure means for the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Disposition {
    /// It may not have been applied, and another attempt with the same key may succeed (C1, C2).
    Transient,
    /// 429: as transient, but not before the Retry-After, which is `None` where it was absent or invalid (C2, C5).
    Throttled(Option<Millis>),
    /// The lease is gone or can grow no more: stop with this reason (C3).
    Permanent(StopReason),
    /// The server refuses this very request (C4).
    Rejected,
    /// A status that is neither success, failure nor refusal, such as a redirect (C4).
    UnexpectedStatus,
}

/// Classifies the failure of an attempt of `operation`.
///
/// ```
/// use leasebeat::{classify, Disposition, Failure, HttpFailure, Operation, StopReason};
///
/// let gone = Failure::Http(HttpFailure { status: 410, code: None, retry_after: None });
/// assert_eq!(classify(Operation::Extend, &gone), Disposition::Permanent(StopReason::ReservationExpired));
/// ```
#[must_use]
pub fn classify(operation: Operation, failure: &Failure) -> Disposition {
    let Failure::Http(HttpFailure { status, code, retry_after }) = *failure else {
        return Disposition::Transient; // C2
    };
    match status {
        200..=299 => Disposition::Transient, // C1
        400..=599 => {
            // C3, L4: a code proves nothing in a 5xx that answers a create.
            let code = if status < 500 || operation == Operation::Extend { code } else { None };
            match code.and_then(permanent) {
                Some(reason) => Disposition::Permanent(reason),
                None => by_status(status, retry_after),
            }
        }
        _ => Disposition::UnexpectedStatus, // C4
    }
}

const fn permanent(code: ErrorCode) -> Option<StopReason> {
    match code {
        ErrorCode::ReservationExpired => Some(StopReason::ReservationExpired),
        ErrorCode::ReservationFinalized => Some(StopReason::ReservationFinalized),
        ErrorCode::MaxExtensionsExceeded => Some(StopReason::MaxExtensionsExceeded),
        ErrorCode::TenantClosed => Some(StopReason::TenantClosed),
        ErrorCode::NotFound => Some(StopReason::NotFound),
        _ => None,
    }
}

const fn by_status(status: u16, retry_after: Option<Millis>) -> Disposition {
    match status {
        404 => Disposition::Permanent(StopReason::NotFound), // C3
        410 => Disposition::Permanent(StopReason::ReservationExpired), // C3
        429 => Disposition::Throttled(retry_after),          // C2
        500.. => Disposition::Transient,                     // C2
        _ => Disposition::Rejected,                          // C4
    }
}

/// Parses a raw `Retry-After` header (C5): decimal seconds with spaces and tabs around them, and nothing else.
/// `None` is invalid: an HTTP-date, a sign, a point, a list, an empty header, or a value that overflows.
///
/// ```
/// use leasebeat::{parse_retry_after, Millis};
///
/// assert_eq!(parse_retry_after(b" 5\t"), Some(Millis::new(5_000)));
/// assert_eq!(parse_retry_after(b"Wed, 21 Oct 2026 07:28:00 GMT"), None);
/// ```
#[must_use]
pub fn parse_retry_after(header: &[u8]) -> Option<Millis> {
    let mut digits = header;
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = digits {
        digits = rest;
    }
    if digits.is_empty() {
        return None;
    }
    let mut seconds: u64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        seconds = seconds.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    seconds.checked_mul(1_000).map(Millis::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(status: u16, code: Option<ErrorCode>) -> Failure {
        Failure::Http(HttpFailure { status, code, retry_after: Some(Millis::new(7)) })
    }

    #[test]
    fn c1_c2_what_proves_nothing_is_transient() {
        for operation in [Operation::Create, Operation::Extend] {
            for failure in [Failure::Timeout, Failure::Connection, Failure::Ambiguous] {
                assert_eq!(classify(operation, &failure), Disposition::Transient);
            }
            for status in [200, 201, 202, 204, 299, 500, 502, 503, 599] {
                assert_eq!(classify(operation, &http(status, None)), Disposition::Transient, "{status}");
            }
            assert_eq!(classify(operation, &http(429, None)), Disposition::Throttled(Some(Millis::new(7))));
        }
    }

    #[test]
    fn c3_the_code_decides_before_the_status() {
        let permanent = [
            (ErrorCode::ReservationExpired, StopReason::ReservationExpired),
            (ErrorCode::ReservationFinalized, StopReason::ReservationFinalized),
            (ErrorCode::MaxExtensionsExceeded, StopReason::MaxExtensionsExceeded),
            (ErrorCode::TenantClosed, StopReason::TenantClosed),
            (ErrorCode::NotFound, StopReason::NotFound),
        ];
        for (code, reason) in permanent {
            for status in [400, 404, 409, 410, 429, 499] {
                for operation in [Operation::Create, Operation::Extend] {
                    assert_eq!(
                        classify(operation, &http(status, Some(code))),
                        Disposition::Permanent(reason)
                    );
                }
            }
            for status in [500, 503, 599] {
                assert_eq!(
                    classify(Operation::Extend, &http(status, Some(code))),
                    Disposition::Permanent(reason)
                );
                assert_eq!(classify(Operation::Create, &http(status, Some(code))), Disposition::Transient);
            }
            assert_eq!(classify(Operation::Extend, &http(200, Some(code))), Disposition::Transient);
            assert_eq!(classify(Operation::Extend, &http(302, Some(code))), Disposition::UnexpectedStatus);
        }
        for &code in ErrorCode::ALL {
            if permanent.iter().all(|(known, _)| *known != code) {
                assert_eq!(classify(Operation::Extend, &http(503, Some(code))), Disposition::Transient);
                assert_eq!(classify(Operation::Extend, &http(409, Some(code))), Disposition::Rejected);
            }
        }
    }

    #[test]
    fn c3_a_bare_410_is_expired_and_a_bare_404_is_not_found() {
        for code in [None, Some(ErrorCode::Forbidden)] {
            assert_eq!(
                classify(Operation::Extend, &http(410, code)),
                Disposition::Permanent(StopReason::ReservationExpired)
            );
            assert_eq!(
                classify(Operation::Create, &http(404, code)),
                Disposition::Permanent(StopReason::NotFound)
            );
        }
    }

    #[test]
    fn c4_other_refusals_and_other_statuses() {
        for status in [400, 401, 403, 409, 428, 430, 499] {
            assert_eq!(classify(Operation::Extend, &http(status, None)), Disposition::Rejected, "{status}");
        }
        for status in [0, 100, 199, 300, 307, 399, 600, u16::MAX] {
            assert_eq!(
                classify(Operation::Extend, &http(status, None)),
                Disposition::UnexpectedStatus,
                "{status}"
            );
        }
    }

    #[track_caller]
    fn retry_after(header: &[u8], ms: Option<u64>) {
        assert_eq!(parse_retry_after(header), ms.map(Millis::new), "{}", header.escape_ascii());
    }

    #[test]
    fn c5_digits_with_blanks_around_them() {
        retry_after(b"0", Some(0));
        retry_after(b"5", Some(5_000));
        retry_after(b"0005", Some(5_000));
        retry_after(b" \t 5\t ", Some(5_000));
        retry_after(b"18446744073709551", Some(18_446_744_073_709_551_000));
    }

    #[test]
    fn c5_everything_else_is_invalid() {
        for header in
            ["", " ", "\t", "+5", "-5", "5.0", "5e3", "5,6", "5 6", "0x5", "\u{0665}", "5\n", "5s", "/", ":"]
        {
            retry_after(header.as_bytes(), None);
        }
        retry_after(b"\xff", None);
        retry_after(b"18446744073709552", None);
        retry_after(b"18446744073709551615", None);
        retry_after(b"18446744073709551616", None);
        retry_after(b"99999999999999999999999999", None);
    }
}
