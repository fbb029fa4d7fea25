//! `leasebeat decode` as a program sees it: the format that `docs/RULES.md` fixes.

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn decode(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_leasebeat"))
        .args(["decode", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(input.as_bytes()).expect("it reads");
    drop(stdin);
    child.wait_with_output().expect("it ends")
}

/// Each line of `input`, and the line it becomes.
#[track_caller]
fn decodes(arguments: &[&str], lines: &[(&str, &str)]) {
    let input: String = lines.iter().flat_map(|(line, _)| [line, "\n"]).collect();
    let expected: String = lines.iter().flat_map(|(_, decoded)| [decoded, "\n"]).collect();
    let output = decode(arguments, &input);
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

const EXTENDED: &str = r#"{"op":"extend","status":200,"body":"{\"status\":\"ACTIVE\",\"expires_at_ms\":9}"}"#;

#[test]
fn w1_answers_become_events() {
    decodes(
        &[],
        &[
            (
                r#"{"op":"extend","status":200,"retry_after":null,"body":"{\"status\":\"ACTIVE\",\"expires_at_ms\":1785585660000,\"remaining_ttl_ms\":60000}"}"#,
                r#"{"in":"extended","remaining_ttl_ms":60000,"expires_at_ms":1785585660000}"#,
            ),
            (EXTENDED, r#"{"in":"extended","remaining_ttl_ms":null,"expires_at_ms":9}"#),
            (
                r#"{"op":"create","status":200,"body":"{\"decision\":\"ALLOW\",\"reservation_id\":\"r\\u00e9\\\"\",\"affected_scopes\":[],\"remaining_ttl_ms\":9223372036854775807}"}"#,
                r#"{"in":"created","reservation_id":"ré\"","remaining_ttl_ms":9223372036854775807,"expires_at_ms":null}"#,
            ),
            (
                r#"{"op":"create","status":200,"body":"{\"decision\":\"DENY\",\"affected_scopes\":[]}"}"#,
                r#"{"in":"denied"}"#,
            ),
            (r#"{"op":"create","status":200,"body":""}"#, r#"{"in":"failed","kind":"ambiguous"}"#),
            (r#"{"op":"extend","status":202,"body":"{}"}"#, r#"{"in":"failed","kind":"ambiguous"}"#),
        ],
    );
}

#[test]
fn w4_refusals_become_failures() {
    decodes(
        &[],
        &[
            (
                r#"{"op":"extend","status":429,"retry_after":" 5","body":"slow down"}"#,
                r#"{"in":"failed","kind":"http","status":429,"code":null,"retry_after_ms":5000}"#,
            ),
            (
                r#"{"op":"extend","status":429,"retry_after":"soon","body":"{\"error\":\"LIMIT_EXCEEDED\"}"}"#,
                r#"{"in":"failed","kind":"http","status":429,"code":"LIMIT_EXCEEDED","retry_after_ms":null}"#,
            ),
            (
                r#"{"op":"create","status":503,"retry_after":"5","body":""}"#,
                r#"{"in":"failed","kind":"http","status":503,"code":null,"retry_after_ms":null}"#,
            ),
            (
                r#"{"op":"create","status":302,"body":"{\"error\":\"NOT_FOUND\"}"}"#,
                r#"{"in":"failed","kind":"http","status":302,"code":null,"retry_after_ms":null}"#,
            ),
        ],
    );
}

#[test]
fn w2_a_body_that_is_no_text_comes_as_base64() {
    decodes(
        &[],
        &[
            (
                r#"{"op":"extend","status":200,"body_base64":"eyJzdGF0dXMiOiJBQ1RJVkUiLCJleHBpcmVzX2F0X21zIjo5fQ=="}"#,
                r#"{"in":"extended","remaining_ttl_ms":null,"expires_at_ms":9}"#,
            ),
            // {"error":"NOT_FOUND","message":"\xff"}
            (
                r#"{"op":"extend","status":404,"body_base64":"eyJlcnJvciI6Ik5PVF9GT1VORCIsIm1lc3NhZ2UiOiL/In0="}"#,
                r#"{"in":"failed","kind":"http","status":404,"code":null,"retry_after_ms":null}"#,
            ),
        ],
    );
}

#[test]
fn w6_unknown_keys_are_ignored_by_flag_or_by_line() {
    let newer = |line: &str| {
        format!(
            r#"{{"op":"extend","status":200,{line}"body":"{{\"status\":\"ACTIVE\",\"expires_at_ms\":9,\"new\":[null]}}"}}"#
        )
    };
    let extended = r#"{"in":"extended","remaining_ttl_ms":null,"expires_at_ms":9}"#;
    let ambiguous = r#"{"in":"failed","kind":"ambiguous"}"#;
    let (plain, ignore, reject) =
        (newer(""), newer(r#""unknown_keys":"ignore","#), newer(r#""unknown_keys":"reject","#));
    decodes(&[], &[(&plain, ambiguous), (&ignore, extended), (&reject, ambiguous)]);
    let flag = ["--unknown-keys", "ignore"];
    decodes(&flag, &[(&plain, extended), (&ignore, extended), (&reject, ambiguous)]);
}

#[test]
fn explain_names_the_first_thing_that_is_wrong_and_where() {
    let line = |body: &str| format!(r#"{{"op":"create","status":200,"body":{body}}}"#);
    let says = |explain: &str| format!(r#"{{"in":"failed","kind":"ambiguous","explain":{explain}}}"#);
    let (scopes, key) = (line(r#""{\"affected_scopes\":[\"a\",null]}""#), line(r#""{\"a/\\u0000\\\"\":1}""#));
    let (cut, missing) = (line(r#""{\"decision\"""#), line(r#""{}""#));
    decodes(
        &["--explain"],
        &[
            (EXTENDED, r#"{"in":"extended","remaining_ttl_ms":null,"expires_at_ms":9,"explain":null}"#),
            (&scopes, &says(r#"{"wrong":"not a string","pointer":"/affected_scopes/1","offset":24}"#)),
            (&key, &says(r#"{"wrong":"unknown key","pointer":"/a~1\u0000\"","offset":1}"#)),
            (&cut, &says(r#"{"wrong":"the text ends too early","pointer":"","offset":11}"#)),
            (&missing, &says(r#"{"wrong":"key decision is missing","pointer":"","offset":1}"#)),
            (
                r#"{"op":"extend","status":204,"body":""}"#,
                &says(
                    r#"{"wrong":"status 204 is neither 200 nor 4xx nor 5xx","pointer":null,"offset":null}"#,
                ),
            ),
        ],
    );
}

#[test]
fn a_bad_line_ends_it_after_the_events_before_it() {
    for (line, what) in [
        ("nonsense", "expected ident (column 2)"),
        ("{}", "missing field `op`"),
        (r#"{"op":"extend","body":""}"#, "missing field `status`"),
        (r#"{"op":"extend","status":200}"#, "either a body or a body_base64"),
        (r#"{"op":"extend","status":200,"body":"","body_base64":""}"#, "either a body or a body_base64"),
        (r#"{"op":"extend","status":200,"body":{}}"#, "expected a string"),
        (r#"{"op":"extend","status":200,"body_base64":"*"}"#, "body_base64 is no base64"),
        (r#"{"op":"extend","status":200,"body_base64":"eA"}"#, "body_base64 is no base64"),
        (r#"{"op":"renew","status":200,"body":""}"#, "unknown op \"renew\"; expected create or extend"),
        (r#"{"op":"extend","status":65536,"body":""}"#, "65536"),
        (r#"{"op":"extend","status":"200","body":""}"#, "u16"),
        (r#"{"op":"extend","status":200,"body":"","x":1}"#, "unknown field `x`"),
        (r#"{"op":"extend","status":200,"body":"","body":""}"#, "duplicate field `body`"),
        (r#"{"op":"extend","status":200,"body":"","unknown_keys":"maybe"}"#, "expected reject or ignore"),
        (r#"{"op":"extend","status":200,"retry_after":5,"body":""}"#, "expected a string"),
    ] {
        let output = decode(&[], &format!("{EXTENDED}\n\n{line}\n{EXTENDED}\n"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}: {error}");
        assert!(error.starts_with("leasebeat: -: line 3: "), "{error}");
        assert!(error.contains(what), "{error}");
        assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1, "{line}");
    }
}

#[test]
fn a_file_that_is_not_there_is_bad_input() {
    let output = Command::new(env!("CARGO_BIN_EXE_leasebeat"))
        .args(["decode", "no-such-file.jsonl"])
        .output()
        .expect("the command runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("leasebeat: no-such-file.jsonl: "));
}
