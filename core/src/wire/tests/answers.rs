//! What answers come to: W1, W3, W4.

use super::*;
use crate::event::{ErrorCode, HttpFailure, Success};
use crate::{Instant, Millis};

fn success(remaining_ttl_ms: Option<u64>, expires_at_ms: Option<u64>) -> Success {
    Success { rtt_ns: None, remaining_ttl_ms, expires_at_ms }
}

fn http(status: u16, code: Option<ErrorCode>, retry_after_ms: Option<u64>) -> Outcome {
    let retry_after = retry_after_ms.map(Millis::new);
    Outcome::Failed(Failure::Http(HttpFailure { status, code, retry_after }))
}

#[test]
fn w1_a_success_carries_the_fields_of_the_trace_format() {
    let body = created(r#","expires_at_ms":1785585660000,"remaining_ttl_ms":60000"#);
    let decoded = to_create(body.as_bytes());
    assert_eq!(decoded.outcome, Outcome::Created(success(Some(60_000), Some(1_785_585_660_000))));
    assert_eq!(decoded.reservation_id().and_then(|id| id.as_str()), Some("rsv_1"));

    let body = extended(r#","remaining_ttl_ms":0"#);
    let decoded = to_extend(body.as_bytes());
    assert_eq!(decoded.outcome, Outcome::Extended(success(Some(0), Some(9))));
    assert_eq!(decoded.reservation_id(), None);

    let body = created("");
    assert_eq!(to_create(body.as_bytes()).outcome, Outcome::Created(success(None, None)));
    assert_eq!(to_extend(extended("").as_bytes()).outcome, Outcome::Extended(success(None, Some(9))));
}

#[test]
fn w1_the_host_adds_the_round_trip_to_a_success_and_to_nothing_else() {
    let body = extended("");
    let timed = Success { rtt_ns: Some(7), ..success(None, Some(9)) };
    assert_eq!(to_extend(body.as_bytes()).outcome(Some(7)), Outcome::Extended(timed));
    assert_eq!(to_extend(body.as_bytes()).outcome(None), Outcome::Extended(success(None, Some(9))));
    let body = created("");
    let timed = Success { rtt_ns: Some(7), ..success(None, None) };
    assert_eq!(to_create(body.as_bytes()).outcome(Some(7)), Outcome::Created(timed));
    assert_eq!(to_extend(b"").outcome(Some(7)), Outcome::Failed(Failure::Ambiguous));
}

#[test]
fn w1_what_was_decoded_is_an_event() {
    let config = crate::Config::new(crate::Settings::new(60_000)).expect("in range");
    let mut heartbeat = crate::Heartbeat::new(config);
    let body = created(r#","expires_at_ms":1785585660000,"remaining_ttl_ms":60000"#);
    let event = to_create(body.as_bytes()).outcome(Some(0)).into();
    heartbeat.handle(event, Instant::from_nanos(0)).expect("a host may adopt a reservation");
    assert_eq!(heartbeat.fence(), Some(Instant::from_nanos(60_000_000_000)));
}

#[test]
fn w1_only_an_exact_200_is_a_success() {
    let (create, extend) = (created(""), extended(""));
    for status in 201..=299 {
        for (operation, body) in [(Operation::Create, &create), (Operation::Extend, &extend)] {
            let decoded = decode(operation, status, Some(b"5"), body.as_bytes(), UnknownKeys::Reject);
            is_ambiguous(decoded, Wrong::Status(status));
        }
    }
    for status in [0, 100, 199, 300, 302, 399, 600, u16::MAX] {
        let decoded = decode(Operation::Extend, status, Some(b"5"), extend.as_bytes(), UnknownKeys::Reject);
        assert_eq!(decoded.outcome, http(status, None, None));
        assert_eq!(decoded.problem().map(|problem| problem.wrong()), Some(Wrong::Status(status)));
    }
}

#[test]
fn w1_an_answer_to_the_other_operation_proves_nothing() {
    is_ambiguous(to_extend(created("").as_bytes()), Wrong::UnknownKey);
    is_ambiguous(to_create(extended("").as_bytes()), Wrong::UnknownKey);
}

#[test]
fn w3_the_decision_and_the_reservation_decide() {
    let body = |decision: &str, id: &str| {
        format!(r#"{{"decision":"{decision}",{id}"affected_scopes":["tenant:a"],"remaining_ttl_ms":5}}"#)
    };
    for decision in ["ALLOW", "ALLOW_WITH_CAPS"] {
        let with = body(decision, r#""reservation_id":"r","#);
        assert_eq!(to_create(with.as_bytes()).outcome, Outcome::Created(success(Some(5), None)));
        for id in ["", r#""reservation_id":"","#] {
            let without = body(decision, id);
            is_ambiguous(to_create(without.as_bytes()), Wrong::NoReservationId);
        }
    }
    for id in ["", r#""reservation_id":"","#, r#""reservation_id":"r","#] {
        let denied = body("DENY", id);
        let decoded = to_create(denied.as_bytes());
        assert_eq!(decoded.outcome, Outcome::Denied);
        assert_eq!(decoded.outcome(Some(1)), Outcome::Denied);
        assert_eq!((decoded.reservation_id, decoded.problem()), (None, None));
    }
    let escaped = body(r"D\u0045NY", "");
    assert_eq!(to_create(escaped.as_bytes()).outcome, Outcome::Denied);
    // A denial has to be valid too.
    is_ambiguous(to_create(br#"{"decision":"DENY"}"#), Wrong::KeyMissing("affected_scopes"));
}

#[test]
fn w3_a_reservation_id_is_a_slice_of_the_body_and_its_unescaped_copy() {
    let body = created("").replace("rsv_1", r"a\u00e9\/\ud83d\ude00\n");
    let id = to_create(body.as_bytes()).reservation_id().expect("granted");
    assert_eq!(id.as_raw(), br"a\u00e9\/\ud83d\ude00\n");
    assert_eq!(id.as_str(), None);
    let text = "aé/😀\n";
    assert!(id.chars().eq(text.chars()));
    let mut buffer = [0; 9];
    assert_eq!(id.unescape(&mut buffer), Ok(text));
    let needed = super::super::BufferTooSmall { needed: 9 };
    assert_eq!(id.unescape(&mut buffer[..8]), Err(needed));
    assert_eq!(id.unescape(&mut []), Err(needed));
    assert_eq!(format!("{id:?}"), r#"Text("a\\u00e9\\/\\ud83d\\ude00\\n")"#);

    let body = created("").replace("rsv_1", "é😀");
    let id = to_create(body.as_bytes()).reservation_id().expect("granted");
    assert_eq!(id.as_str(), Some("é😀"));
    assert_eq!(id.unescape(&mut [0; 6]), Ok("é😀"));
}

#[track_caller]
fn has_code(body: &[u8], code: Option<ErrorCode>) {
    for status in [400, 404, 409, 410, 429, 499, 500, 503, 599] {
        for operation in [Operation::Create, Operation::Extend] {
            for unknown_keys in [UnknownKeys::Reject, UnknownKeys::Ignore] {
                let decoded = decode(operation, status, None, body, unknown_keys);
                assert_eq!(decoded.outcome, http(status, code, None), "{}", body.escape_ascii());
                assert_eq!(decoded.problem().is_none(), code.is_some());
            }
        }
    }
}

#[test]
fn w4_a_refusal_gives_the_code_of_its_body() {
    for &code in ErrorCode::ALL {
        let body = format!(r#"{{"error":"{code}","message":"m","request_id":"r"}}"#);
        has_code(body.as_bytes(), Some(code));
    }
    // Nothing else of the schema matters.
    let limit = Some(ErrorCode::LimitExceeded);
    for body in [
        r#"{"error":"LIMIT_EXCEEDED"}"#,
        r#"{"message":null,"error":"LIMIT_EXCEEDED","x":[{}],"message":1.5e9}"#,
        r#" {"details":{"error":"NOT_FOUND","a":[1,true,null,"\u0000"]},"error" : "LIMIT_EXCEEDED"} "#,
        r#"{"\u0065rror":"LIMIT\u005fEXCEEDED"}"#,
    ] {
        has_code(body.as_bytes(), limit);
    }
}

#[test]
fn w4_any_other_body_gives_no_code() {
    for body in [
        "",
        " ",
        "null",
        r#""NOT_FOUND""#,
        r#"["NOT_FOUND"]"#,
        r#"[{"error":"NOT_FOUND"}]"#,
        "{}",
        r#"{"error":null}"#,
        r#"{"error":404}"#,
        r#"{"error":["NOT_FOUND"]}"#,
        r#"{"error":{"code":"NOT_FOUND"}}"#,
        r#"{"error":""}"#,
        r#"{"error":"not_found"}"#,
        r#"{"error":"NOT_FOUND "}"#,
        r#"{"error":"NOT_FOUND","error":"NOT_FOUND"}"#,
        r#"{"error":"NOT_FOUND","\u0065rror":"FORBIDDEN"}"#,
        r#"{"details":{"error":"NOT_FOUND"}}"#,
        r#"{"error":"NOT_FOUND""#,
        r#"{"error":"NOT_FOUND"}x"#,
        r#"{"error":"NOT_FOUND","message":"\ud800"}"#,
        r#"{"error":"NOT_FOUND","message":01}"#,
        "<html>502 Bad Gateway</html>",
    ] {
        has_code(body.as_bytes(), None);
    }
    has_code(b"{\"error\":\"NOT_FOUND\",\"message\":\"\xff\"}", None);
    has_code(b"\xef\xbb\xbf{\"error\":\"NOT_FOUND\"}", None);
}

#[test]
fn w4_c5_a_retry_after_is_read_of_a_429_only() {
    let refusal = |status, header| decode(Operation::Extend, status, header, b"{}", UnknownKeys::Reject);
    assert_eq!(refusal(429, Some(&b" 5 "[..])).outcome, http(429, None, Some(5_000)));
    assert_eq!(refusal(429, None).outcome, http(429, None, None));
    assert_eq!(refusal(503, Some(&b"5"[..])).outcome, http(503, None, None));
    assert_eq!(refusal(400, Some(&b"5"[..])).outcome, http(400, None, None));
    let invalid = refusal(429, Some(&b"soon"[..]));
    assert_eq!(invalid.outcome, http(429, None, None));
    assert_eq!(invalid.problem().map(|problem| problem.wrong()), Some(Wrong::RetryAfter));
}
