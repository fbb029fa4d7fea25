use super::*;

const START: u64 = 1_800_000_000_000;
const CAPPED: Policy = Policy { max_lead_ms: Some(8_000), max_extensions: None };

fn create_request(key: &str) -> CreateRequest {
    let text = format!(
        r#"{{"idempotency_key":"{key}","subject":{{"tenant":"demo"}},"action":{{"kind":"k","name":"n"}},
            "estimate":{{"unit":"TOKENS","amount":1}},"ttl_ms":8000}}"#
    );
    serde_json::from_str(&text).expect("a valid request")
}

fn extend_request(key: &str) -> ExtendRequest {
    ExtendRequest { idempotency_key: key.to_owned(), extend_by_ms: 8_000, metadata: None }
}

fn authority(policy: Policy) -> Authority {
    let mut authority = Authority::new(policy);
    authority.create(&create_request("c"), "r".to_owned(), START).expect("it is created");
    authority
}

fn extended(result: Result<ExtendResponse, Refusal>) -> (u64, u64) {
    let answer = result.expect("it is extended");
    (answer.expires_at_ms.get() - START, answer.remaining_ttl_ms.expect("it is told").get())
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>, code: ErrorCode) {
    assert_eq!(result.expect_err("it is refused").code, code);
}

#[test]
fn an_extension_adds_to_the_current_expiry() {
    let mut authority = authority(Policy::default());
    assert_eq!(extended(authority.extend("r", &extend_request("a"), START + 3_000)), (16_000, 13_000));
    assert_eq!(extended(authority.extend("r", &extend_request("b"), START + 3_000)), (24_000, 21_000));
    assert_eq!(authority.history("r"), Some((2, 5_000)));
}

#[test]
fn a_cap_bounds_the_lead_and_never_shortens_it() {
    let mut authority = authority(CAPPED);
    assert_eq!(extended(authority.extend("r", &extend_request("a"), START + 3_000)), (11_000, 8_000));
    authority.policy.max_lead_ms = Some(1_000);
    assert_eq!(extended(authority.extend("r", &extend_request("b"), START + 3_001)), (11_000, 7_999));
}

#[test]
fn a_replay_repeats_the_answer_and_recomputes_what_remains() {
    let mut authority = authority(CAPPED);
    let first = authority.extend("r", &extend_request("a"), START + 3_000).expect("it is extended");
    let again = authority.extend("r", &extend_request("a"), START + 4_250).expect("it is replayed");
    assert_eq!(again.expires_at_ms, first.expires_at_ms);
    assert_eq!(again.remaining_ttl_ms, Some(Int64::new(6_750)));
    assert_eq!(authority.history("r").map(|history| history.0), Some(1), "a replay is no extension");

    // A later extension moves the expiry, and the replay still speaks of its own.
    authority.extend("r", &extend_request("b"), START + 5_000).expect("it is extended");
    let late = authority.extend("r", &extend_request("a"), START + 12_000).expect("it is replayed");
    assert_eq!((late.expires_at_ms, late.remaining_ttl_ms), (first.expires_at_ms, Some(Int64::new(0))));
}

#[test]
fn a_replayed_create_names_the_first_reservation() {
    let mut authority = authority(CAPPED);
    let again = authority.create(&create_request("c"), "other".to_owned(), START + 2_000).expect("replayed");
    assert_eq!(again.reservation_id.as_deref(), Some("r"));
    assert_eq!(again.remaining_ttl_ms, Some(Int64::new(6_000)));
}

#[test]
fn a_replay_of_an_expired_lease_says_that_nothing_remains() {
    let mut authority = authority(CAPPED);
    authority.extend("r", &extend_request("a"), START + 3_000).expect("it is extended");
    assert_eq!(extended(authority.extend("r", &extend_request("a"), START + 11_001)), (11_000, 0));
    let created = authority.create(&create_request("c"), String::new(), START + 11_001).expect("replayed");
    assert_eq!(created.remaining_ttl_ms, Some(Int64::new(0)));
}

#[test]
fn a_lease_is_held_at_its_expiry_and_not_after_it() {
    let mut authority = authority(CAPPED);
    assert_eq!(authority.remaining_ms("r", START + 8_000), Some(0));
    assert_eq!(authority.remaining_ms("r", START + 8_001), None);
    refused(authority.extend("r", &extend_request("a"), START + 8_001), ErrorCode::ReservationExpired);
    // A refusal is not replayed: the same key is judged anew.
    let mut authority = self::authority(CAPPED);
    assert!(authority.extend("r", &extend_request("a"), START + 8_000).is_ok());
}

#[test]
fn a_key_with_another_payload_is_a_mismatch() {
    let mut authority = authority(CAPPED);
    authority.extend("r", &extend_request("a"), START).expect("it is extended");
    let other = ExtendRequest { extend_by_ms: 7_999, ..extend_request("a") };
    refused(authority.extend("r", &other, START), ErrorCode::IdempotencyMismatch);
    let other = CreateRequest { ttl_ms: Some(9_000), ..create_request("c") };
    refused(authority.create(&other, String::new(), START), ErrorCode::IdempotencyMismatch);
    // Keys are per endpoint.
    assert!(authority.extend("r", &extend_request("c"), START).is_ok());
}

#[test]
fn what_is_out_of_range_or_unknown_is_refused() {
    let mut authority = authority(Policy { max_extensions: Some(1), ..CAPPED });
    refused(authority.extend("s", &extend_request("a"), START), ErrorCode::NotFound);
    refused(authority.extend("r", &extend_request(""), START), ErrorCode::InvalidRequest);
    let none = ExtendRequest { extend_by_ms: 0, ..extend_request("a") };
    refused(authority.extend("r", &none, START), ErrorCode::InvalidRequest);
    let short = CreateRequest { ttl_ms: Some(999), ..create_request("d") };
    refused(authority.create(&short, String::new(), START), ErrorCode::InvalidRequest);
    authority.extend("r", &extend_request("a"), START).expect("the first is granted");
    refused(authority.extend("r", &extend_request("b"), START), ErrorCode::MaxExtensionsExceeded);
    assert!(authority.extend("r", &extend_request("a"), START).is_ok(), "a replay needs no budget");
}
