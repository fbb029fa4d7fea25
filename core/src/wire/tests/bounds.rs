//! W5 and W6: what bounds the work, and what is skipped.

use super::*;

fn ignoring(operation: Operation, body: &str) -> Decoded<'_> {
    decode(operation, 200, None, body.as_bytes(), UnknownKeys::Ignore)
}

/// A value that lies in `depth` arrays or objects of its own.
fn nested(depth: usize, open: &str, close: &str) -> String {
    format!("{}0{}", open.repeat(depth), close.repeat(depth))
}

#[test]
fn w5_sixteen_deep_is_read_and_seventeen_is_ambiguous() {
    for (open, close) in [("[", "]"), (r#"{"x":"#, "}"), (r#"[{"x":"#, "}]")] {
        let each = open.matches(['[', '{']).count();
        // The body is the first of the sixteen.
        let fits = nested(15 / each, open, close);
        let over = nested(15 / each + 1, open, close);
        is_success(ignoring(Operation::Extend, &extended(&format!(r#","x":{fits}"#))));
        is_ambiguous(ignoring(Operation::Extend, &extended(&format!(r#","x":{over}"#))), Wrong::TooDeep);
        // A balance is the third.
        let fits = nested(13 / each, open, close);
        let over = nested(13 / each + 1, open, close);
        is_success(ignoring(Operation::Extend, &balance(&format!(r#","x":{fits}"#))));
        is_ambiguous(ignoring(Operation::Extend, &balance(&format!(r#","x":{over}"#))), Wrong::TooDeep);
    }
}

#[test]
fn w5_an_error_has_no_code_where_it_lies_too_deep() {
    for (depth, code) in [(15, Some(crate::ErrorCode::NotFound)), (16, None)] {
        let body = format!(r#"{{"details":{},"error":"NOT_FOUND"}}"#, nested(depth, "[", "]"));
        let decoded = decode(Operation::Extend, 404, None, body.as_bytes(), UnknownKeys::Reject);
        let Outcome::Failed(Failure::Http(failure)) = decoded.outcome else { panic!("{decoded:?}") };
        assert_eq!(failure.code, code);
    }
}

#[test]
fn w5_a_million_brackets_take_no_stack() {
    for bracket in ["[", r#"{"x":"#] {
        let deep = bracket.repeat(1_000_000);
        is_ambiguous(ignoring(Operation::Extend, &extended(&format!(r#","x":{deep}"#))), Wrong::TooDeep);
        let decoded = decode(Operation::Extend, 500, None, deep.as_bytes(), UnknownKeys::Reject);
        assert!(decoded.problem().is_some());
    }
}

#[test]
fn w5_long_bodies_are_read() {
    let scopes =
        format!(r#"{{"decision":"DENY","affected_scopes":["{}"]}}"#, "\\u00e9\",\"é".repeat(200_000));
    assert_eq!(to_create(scopes.as_bytes()).outcome, Outcome::Denied);
}

#[test]
fn w6_unknown_keys_are_skipped_where_asked_at_every_depth() {
    let values = [
        "null",
        "true",
        "false",
        "-1.5e-9",
        "99999999999999999999999",
        r#""\ud83d\ude00 é""#,
        "[]",
        "{}",
        r#"[1,[null,{"status":"ACTIVE"}],{"a":[],"a":{}}]"#,
        r#"{"unit":7}"#,
    ];
    for value in values {
        let members = format!(r#","x":{value},"\u0079" : {value} "#);
        is_success(ignoring(Operation::Extend, &extended(&members)));
        is_success(ignoring(Operation::Extend, &balance(&members)));
        is_success(ignoring(Operation::Create, &created(&members)));
        is_success(ignoring(Operation::Create, &created(&format!(r#","caps":{{"x":{value}}}"#))));
        is_success(ignoring(Operation::Extend, &format!(r#"{{"x":{value},{}"#, &extended("")[1..])));
        is_ambiguous(to_extend(extended(&members).as_bytes()), Wrong::UnknownKey);
    }
    // Unread: so nobody minds that it is there twice.
    is_success(ignoring(Operation::Extend, &extended(r#","x":1,"x":2"#)));
}

#[test]
fn w6_what_is_skipped_is_well_formed() {
    for (value, wrong) in [
        ("", Wrong::Syntax),
        ("nul", Wrong::Syntax),
        ("01", Wrong::Syntax),
        ("1.", Wrong::Syntax),
        ("[1,]", Wrong::Syntax),
        ("[1 2]", Wrong::Syntax),
        ("[1}", Wrong::Syntax),
        ("{]", Wrong::Syntax),
        (r#"{"a"}"#, Wrong::Syntax),
        (r#"{"a":1,}"#, Wrong::Syntax),
        (r"{1:2}", Wrong::Syntax),
        (r#"{"a":1]"#, Wrong::Syntax),
        (r#"["\ud800"]"#, Wrong::LoneSurrogate),
        (r#"{"\x":1}"#, Wrong::Escape),
        ("\"\n\"", Wrong::ControlCharacter),
        ("[", Wrong::Syntax),
    ] {
        is_ambiguous(ignoring(Operation::Extend, &extended(&format!(r#","x":{value}"#))), wrong);
    }
    let body = extended(r#","x":{"é":1}"#).into_bytes();
    let broken: std::vec::Vec<u8> = body.into_iter().filter(|byte| *byte != 0xC3).collect();
    is_ambiguous(decode(Operation::Extend, 200, None, &broken, UnknownKeys::Ignore), Wrong::Utf8);
}

#[test]
fn w6_everything_else_is_as_strict() {
    for (body, wrong) in [
        (r#"{"x":1}"#, Wrong::KeyMissing("status")),
        (r#"{"status":"ACTIVE","x":1,"status":"ACTIVE","expires_at_ms":9}"#, Wrong::KeyTwice),
        (r#"{"status":"ACTIVE","x":1,"expires_at_ms":null}"#, Wrong::Not("an integer")),
        (r#"{"status":"ACTIVE","x":1,"expires_at_ms":-9}"#, Wrong::Below(0)),
    ] {
        is_ambiguous(ignoring(Operation::Extend, body), wrong);
    }
}
