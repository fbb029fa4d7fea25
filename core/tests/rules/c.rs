//! C · What a response is, as the kernel acts on it. The whole classification is tested where it stands.

use leasebeat::{ErrorCode, Failure, HttpFailure, Outcome, Rule, StopReason, Success, parse_retry_after};

use crate::table::{E, Fresh, MS, Same, Table, beating, coded, http, minute, retry_after_ms, rtt_ms, table};

/// The same failure on the primary path and in fallback.
fn both() -> [Table; 2] {
    [beating(), table(minute()).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1)]
}

#[test]
fn c1_a_2xx_that_is_no_success_is_ambiguous() {
    for status in [200, 201, 204, 299] {
        beating().at(40_000).failed(http(status)).waits(5_000).by(Rule::R5);
    }
}

#[test]
fn c1_an_extension_without_an_expiry_is_ambiguous() {
    let fields = [(Some(60_000), 5_000), (None, 5_000)];
    for (remaining_ttl_ms, wait_ms) in fields {
        let answer = Success { rtt_ns: Some(0), remaining_ttl_ms, expires_at_ms: None };
        let recovering = beating().at(40_000).report(Outcome::Extended(answer)).waits(wait_ms).by(Rule::R5);
        assert_eq!((recovering.kernel.stats().extensions, recovering.kernel.stats().failures), (0, 1));
        // What was proved before stays proved.
        assert_eq!(recovering.kernel.fence().unwrap().as_nanos(), 60_000 * MS);
    }
}

#[test]
fn c1_a_create_may_lack_its_expiry() {
    let answer = Success { rtt_ns: Some(0), remaining_ttl_ms: Some(60_000), expires_at_ms: None };
    table(minute()).report(Outcome::Created(answer)).waits(39_000);
}

#[test]
fn c2_transient_failures_are_retried_with_the_same_key() {
    for failure in
        [Failure::Timeout, Failure::Connection, Failure::Ambiguous, http(500), http(503), http(599)]
    {
        let recovering = beating().at(40_000).failed(failure).waits(5_000).by(Rule::R5);
        recovering.at(45_000).tick().sends(Same, 2);
    }
    beating().at(40_000).failed(retry_after_ms(1_000)).waits(1_000).by(Rule::R6);
}

#[test]
fn c3_a_permanent_code_stops_in_both_modes() {
    let codes = [
        (ErrorCode::ReservationExpired, StopReason::ReservationExpired),
        (ErrorCode::ReservationFinalized, StopReason::ReservationFinalized),
        (ErrorCode::MaxExtensionsExceeded, StopReason::MaxExtensionsExceeded),
        (ErrorCode::TenantClosed, StopReason::TenantClosed),
        (ErrorCode::NotFound, StopReason::NotFound),
    ];
    for (code, reason) in codes {
        for status in [400, 409, 410, 429, 499, 500, 503] {
            for beat in both() {
                beat.failed(coded(status, code)).stops(reason).by(Rule::C3);
            }
        }
    }
}

#[test]
fn c3_a_permanent_429_stops_whatever_its_retry_after() {
    let failure = HttpFailure {
        status: 429,
        code: Some(ErrorCode::MaxExtensionsExceeded),
        retry_after: parse_retry_after(b"0"),
    };
    for beat in both() {
        beat.failed(Failure::Http(failure)).stops(StopReason::MaxExtensionsExceeded);
    }
}

#[test]
fn c3_a_410_or_404_needs_no_code() {
    for beat in both() {
        beat.failed(http(410)).stops(StopReason::ReservationExpired).by(Rule::C3);
        beat.failed(coded(410, ErrorCode::Forbidden)).stops(StopReason::ReservationExpired);
        beat.failed(http(404)).stops(StopReason::NotFound).by(Rule::C3);
        beat.failed(coded(410, ErrorCode::NotFound)).stops(StopReason::NotFound);
    }
}

#[test]
fn c4_another_4xx_stops_and_never_rotates_the_key() {
    for status in [400, 401, 403, 409, 428, 430, 499] {
        let stopped = beating().at(40_000).failed(http(status)).stops(StopReason::Rejected).by(Rule::C4);
        stopped.at(80_000).tick().stops(StopReason::Rejected);
    }
    beating().failed(coded(409, ErrorCode::IdempotencyMismatch)).stops(StopReason::Rejected);
}

#[test]
fn c4_another_status_stops() {
    for status in [0, 100, 199, 300, 399, 600, u16::MAX] {
        beating().failed(http(status)).stops(StopReason::UnexpectedStatus).by(Rule::C4);
    }
}

#[test]
fn c4_in_fallback_liveness_wins() {
    for status in [0, 100, 302, 400, 401, 409, 499, 600] {
        let bare = table(minute()).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1);
        bare.failed(http(status)).waits(30_000).by(Rule::F6).at(30_000).tick().sends(Same, 2);
    }
}

#[test]
fn c4_a_create_has_no_fallback() {
    table(minute()).begin().failed(http(400)).stops(StopReason::Rejected).by(Rule::C4);
}

fn throttled_by(header: &[u8]) -> Failure {
    Failure::Http(HttpFailure { status: 429, code: None, retry_after: parse_retry_after(header) })
}

#[test]
fn c5_a_valid_retry_after_is_waited_for() {
    beating().at(40_000).failed(throttled_by(b" 5\t")).waits(5_000).by(Rule::R6);
}

#[test]
fn c5_an_invalid_retry_after_is_none() {
    for header in [&b""[..], b"+5", b"5.0", b"5,6", b"Wed, 21 Oct 2026 07:28:00 GMT", b"18446744073709552"] {
        beating().at(40_000).failed(throttled_by(header)).stops(StopReason::Throttled).by(Rule::R6);
    }
}
