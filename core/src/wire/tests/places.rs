//! Where a problem is: its pointer and its offset.

use super::*;
use std::string::ToString;

/// The `@` in `body` marks the offset and is not part of it.
#[track_caller]
fn problem_at(decoded: fn(&[u8]) -> Decoded<'_>, body: &str, pointer: &str) {
    let offset = body.find('@').expect("marked");
    let body = body.replacen('@', "", 1);
    let problem = decoded(body.as_bytes()).problem().expect("something is wrong");
    assert_eq!(problem.offset(), Some(offset), "{problem}");
    let place = problem.pointer().expect("in the body");
    assert_eq!(place.to_string(), pointer, "{problem}");
    assert_eq!(place.is_root(), pointer.is_empty());
    assert_eq!(place.offset(), offset);
}

fn ignoring(body: &[u8]) -> Decoded<'_> {
    decode(Operation::Extend, 200, None, body, UnknownKeys::Ignore)
}

fn refused(body: &[u8]) -> Decoded<'_> {
    decode(Operation::Extend, 404, None, body, UnknownKeys::Reject)
}

#[test]
fn w2_a_wrong_value_is_pointed_at() {
    problem_at(to_extend, r"@[]", "");
    problem_at(to_extend, r#"{"status": @"active"}"#, "/status");
    problem_at(to_extend, r#"{"status":"ACTIVE","expires_at_ms":@-1}"#, "/expires_at_ms");
    problem_at(to_create, r#"{"affected_scopes":["a","b",@3]}"#, "/affected_scopes/2");
    problem_at(to_create, r#"{"affected_scopes":[@null]}"#, "/affected_scopes/0");
    let balances = r#"{"balances":[{"remaining":{"amount":1,"unit":"TOKENS"},"scope":"","scope_path":""},
        {"scope":"","remaining":{"unit":"TOKENS","amount":@1.0}}]}"#;
    problem_at(to_extend, balances, "/balances/1/remaining/amount");
}

#[test]
fn w2_a_wrong_key_is_pointed_at() {
    problem_at(to_extend, r#"{"status":"ACTIVE",@"x":1}"#, "/x");
    problem_at(
        to_extend,
        r#"{"balances":[{@"a/b~c\u0000\u009b\"\\é":1}]}"#,
        r#"/balances/0/a~1b~0c\u0000\u009b\"\\é"#,
    );
    problem_at(to_extend, r#"{"status":"ACTIVE",@"\u0073tatus":1}"#, "/status");
    problem_at(to_create, r#"{"caps":{@"x":1}}"#, "/caps/x");
}

#[test]
fn w2_what_lacks_a_key_is_pointed_at() {
    problem_at(to_extend, "{@}", "");
    problem_at(to_extend, r#"{"status":"ACTIVE"@}"#, "");
    problem_at(
        to_extend,
        r#"{"balances":[{"scope":"","scope_path":"","remaining":{"unit":"TOKENS"@}}]}"#,
        "/balances/0/remaining",
    );
    problem_at(to_create, r#"{"reserved":{"unit":"TOKENS","amount":1},"affected_scopes":["a"]@}"#, "");
    problem_at(to_create, r#"{"decision":"ALLOW","affected_scopes":[]@} "#, "");
    problem_at(
        to_create,
        r#"{"decision":"ALLOW","reservation_id":@"","affected_scopes":[]}"#,
        "/reservation_id",
    );
}

#[test]
fn w2_what_is_no_json_is_pointed_at() {
    problem_at(to_extend, "@", "");
    problem_at(to_extend, "@x", "");
    problem_at(to_extend, r#"{"status":"ACTIVE","expires_at_ms":9}@ x"#.replace("@ ", " @").as_str(), "");
    problem_at(to_extend, r#"{"status":@}"#, "/status");
    problem_at(to_extend, r#"{"status":"AC@"#, "/status");
    problem_at(to_extend, r#"{"status":"ACTIVE"@]"#, "");
    problem_at(to_extend, r#"{"status":"ACTIVE",@}"#, "");
    problem_at(to_extend, r#"{"status"@ "#.replace("@ ", " @").as_str(), "");
    problem_at(to_extend, r#"{"status":"@\x"}"#, "/status");
    problem_at(to_create, "{\"scope_path\":\"a@\n\"}", "/scope_path");
    problem_at(to_create, r#"{"affected_scopes":["a",@]}"#, "/affected_scopes/1");
    problem_at(to_create, r#"{"affected_scopes":["a"@"b"]}"#, "/affected_scopes");
    problem_at(to_create, r#"{"affected_scopes":["a","b"@"#, "/affected_scopes");
    problem_at(to_extend, r#"{"expires_at_ms":1@ "x":1}"#.replace("@ ", " @").as_str(), "");
    problem_at(to_extend, r#"{"expires_at_ms":1.@}"#, "/expires_at_ms");
}

#[test]
fn w5_w6_what_is_wrong_in_skipped_values_is_pointed_at() {
    problem_at(ignoring, r#"{"x":[1,{"y":[true,@tru]}]}"#.replace("@tru]", "tru@]").as_str(), "/x/1/y/1");
    problem_at(ignoring, r#"{"x":[[[[[[[[[[[[[[[@[]]]]]]]]]]]]]]]]}"#, &format!("/x{}", "/0".repeat(15)));
    problem_at(ignoring, r#"{"a":{"x":[]},"status":@1}"#, "/status");
    problem_at(refused, r#"{"details":{"error":"NOT_FOUND"},"error":@"x"}"#, "/error");
    problem_at(refused, r#"{"message":"m"@}"#, "");
}

#[test]
fn w2_a_problem_says_what_and_where() {
    let says = |decoded: Decoded<'_>, text: &str| {
        assert_eq!(decoded.problem().expect("something is wrong").to_string(), text);
    };
    says(to_extend(br#"{"status":"GONE"}"#), "none of ACTIVE at /status, byte 10");
    says(to_extend(b"{}"), "key status is missing at byte 1");
    says(to_extend(b""), "the text ends too early at byte 0");
    says(to_create(br#"{"reason_code":1}"#), "not a string at /reason_code, byte 15");
    says(to_create(br#"{"retry_after_ms":-1}"#), "below 0 at /retry_after_ms, byte 18");
    let answer = |status, header| decode(Operation::Extend, status, header, b"{}", UnknownKeys::Reject);
    says(answer(204, None), "status 204 is neither 200 nor 4xx nor 5xx");
    says(answer(429, Some(&b"x"[..])), "Retry-After is not decimal seconds");
    let place = to_extend(br#"{"status":"GONE"}"#).problem().and_then(|problem| problem.pointer());
    assert_eq!(format!("{place:?}"), "Some(Pointer(/status at byte 10))");
}

#[test]
fn w2_what_is_wrong_has_its_own_words() {
    let wrong = |body: &str| to_extend(body.as_bytes()).problem().map(|problem| problem.to_string());
    let trailing = extended("") + " x";
    assert_eq!(wrong(&trailing).as_deref(), Some("something follows the JSON text at byte 38"));
    assert_eq!(wrong(&extended("")), None);
}
