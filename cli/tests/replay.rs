//! `leasebeat replay` as a person or a script runs it: every vector, and every way in which a trace can be wrong.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use leasebeat_tests::vectors::{agrees, all, parse_lines};

const HEADER: &str = r#"{"trace":"leasebeat/1","config":{"extend_by_ms":60000,"request_timeout_ms":10000}}"#;
const CREATED: &str =
    r#"{"at":0,"in":"created","rtt_ns":0,"remaining_ttl_ms":60000,"expires_at_ms":1785585660000}"#;
const DECIDED: &str = "{\"do\":\"wait\",\"ms\":39000}\n";

fn leasebeat(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasebeat"));
    command.arg("replay").args(arguments);
    command
}

/// Replays `trace` from standard input.
fn replay(arguments: &[&str], trace: &[u8]) -> Output {
    let mut child = leasebeat(arguments)
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("piped").write_all(trace).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("it prints UTF-8")
}

/// The lines before the bad one are decided, and the complaint names the line and what is wrong with it.
#[track_caller]
fn refuses(lines: &[&str], decided: &str, complaint: &str) {
    let output = replay(&[], lines.join("\n").as_bytes());
    assert_eq!(text(&output.stdout), decided);
    assert_eq!(text(&output.stderr), format!("leasebeat: -: {complaint}\n"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn every_vector_is_decided_as_expected() {
    for vector in all() {
        let output = leasebeat(&[]).arg(&vector.trace).output().expect("the command runs");
        let actual = parse_lines(text(&output.stdout));
        assert_eq!(actual.len(), vector.expected.len(), "{}: {}", vector.name, text(&output.stderr));
        for (actual, expected) in actual.iter().zip(&vector.expected) {
            assert!(agrees(actual, expected), "{}: {actual} not {expected}", vector.name);
        }
        let invalid = vector.expected.iter().any(|decision| decision["error"] == "invalid-config");
        assert_eq!(output.status.code(), Some(if invalid { 2 } else { 0 }), "{}", vector.name);
    }
}

#[test]
fn a_bad_line_is_named_and_ends_the_replay() {
    let bad = |line, complaint: &str| refuses(&[HEADER, CREATED, "", line, CREATED], DECIDED, complaint);
    bad(r#"{"at":1,"in":"tick","rtt_ns":null}"#, "line 4: unknown key \"rtt_ns\" for this tick event");
    bad(r#"{"at":1,"in":"tick","colour":1}"#, &unknown_field("colour"));
    bad(r#"{"in":"tick"}"#, "line 4: missing field `at` (column 13)");
    bad(r#"{"at":-1,"in":"tick"}"#, "line 4: invalid value: integer `-1`, expected u64 (column 8)");
    bad(r#"{"at":1.0,"in":"tick"}"#, "line 4: invalid type: floating point `1.0`, expected u64 (column 9)");
    bad(
        r#"{"at":1,"in":"failed","kind":"http","status":70000}"#,
        "line 4: invalid value: integer `70000`, expected u16 (column 50)",
    );
    bad(r#"{"at":1,"in":"failed","kind":"http"}"#, "line 4: status is missing");
    bad(r#"{"at":1,"in":"failed","kind":"http","status":null}"#, "line 4: status is null; it is required");
    bad(r#"{"at":1,"in":"failed"}"#, "line 4: kind is missing; a failed event has one");
    bad(
        r#"{"at":1,"in":"failed","kind":"timeout","status":503}"#,
        "line 4: unknown key \"status\" for this failed event",
    );
    bad(
        r#"{"at":1,"in":"failed","kind":"lost"}"#,
        "line 4: unknown kind \"lost\"; expected timeout, connection, ambiguous or http",
    );
    bad(
        r#"{"at":1,"in":"sleep"}"#,
        "line 4: unknown event \"sleep\"; expected begin, created, denied, extended, failed, tick, timing-lost or close",
    );
    bad(r#"{"at":1,"in":"tick"} x"#, "line 4: trailing characters (column 22)");
    bad(r#"{"at":1,"at":2,"in":"tick"}"#, "line 4: duplicate field `at` (column 12)");
    bad("[]", "line 4: invalid type: sequence, expected an object");
    bad(
        r#"[1,"tick",null,null,null,null,null,null,null,null]"#,
        "line 4: invalid type: sequence, expected an object",
    );
}

fn unknown_field(key: &str) -> String {
    format!(
        "line 4: unknown field `{key}`, expected one of `at`, `in`, `rtt_ns`, `remaining_ttl_ms`, `expires_at_ms`, \
         `attempt`, `kind`, `status`, `code`, `retry_after` (column 28)"
    )
}

#[test]
fn a_bad_header_decides_nothing() {
    refuses(&[], "", "line 1: the trace is empty; expected a header");
    refuses(
        &[r#"{"trace":"leasebeat/2","config":{"extend_by_ms":1}}"#],
        "",
        "line 1: trace is \"leasebeat/2\"; expected \"leasebeat/1\"",
    );
    refuses(&[r#"{"trace":"leasebeat/1"}"#], "", "line 1: missing field `config` (column 23)");
    refuses(
        &[r#"{"trace":"leasebeat/1","config":{"extend_by":1}}"#],
        "",
        "line 1: unknown field `extend_by`, expected one of `extend_by_ms`, `request_timeout_ms`, \
         `clock_resolution_ns`, `max_wait_ms`, `fallback` (column 44)",
    );
    refuses(
        &[r#"{"trace":"leasebeat/1","config":[60000,10000,0,null,"band"]}"#],
        "",
        "line 1: invalid type: sequence, expected an object (column 32)",
    );
    let output = replay(&[], &vec![b'x'; 100_000]);
    assert_eq!(text(&output.stderr), "leasebeat: -: line 1: the line is longer than 65536 bytes\n");
    assert_eq!(replay(&[], b"\xff\n").status.code(), Some(2));
    // Exactly the longest line is one.
    let longest = format!("{HEADER}{}\n", " ".repeat(65_536 - HEADER.len()));
    assert_eq!(replay(&[], longest.as_bytes()).status.code(), Some(0));
}

#[test]
fn an_invalid_configuration_is_one_line_that_says_why() {
    let invalid = |config: &str, why: &str| {
        let output = replay(&[], format!("{{\"trace\":\"leasebeat/1\",\"config\":{config}}}\n").as_bytes());
        let lines = parse_lines(text(&output.stdout));
        assert_eq!(lines.len(), 1);
        assert_eq!(
            (lines[0]["error"].as_str(), lines[0]["message"].as_str()),
            (Some("invalid-config"), Some(why))
        );
        assert_eq!(text(&output.stderr), format!("leasebeat: -: line 1: invalid config: {why}\n"));
        assert_eq!(output.status.code(), Some(2));
    };
    invalid(r#"{"extend_by_ms":86400001}"#, "extend_by_ms is 86400001; it must be from 1 to 86400000");
    invalid(
        r#"{"extend_by_ms":1,"request_timeout_ms":0}"#,
        "request_timeout_ms is 0; it must be from 1 to 18446744073709551615",
    );
    invalid(r#"{"extend_by_ms":"60000"}"#, "extend_by_ms is \"60000\"; it must be a whole number");
    invalid("{}", "extend_by_ms is missing; it must be from 1 to 86400000");
    invalid(
        r#"{"extend_by_ms":1,"fallback":"maybe"}"#,
        "fallback is \"maybe\"; it must be \"band\" or \"refuse\"",
    );
}

#[test]
fn explain_says_what_happened_and_why() {
    let lines = [HEADER, CREATED, r#"{"at":39000000000,"in":"tick"}"#, r#"{"at":49000500000,"in":"tick"}"#];
    let output = replay(&["--explain"], lines.join("\n").as_bytes());
    assert_eq!(
        text(&output.stdout),
        "         0.000 s  line 2: created: 60000 ms remain, round trip 0.0 ms\n    \
         wait 39000 ms: a beat is due when the lead has shrunk to the retry reserve (P4); lead 60000 ms, attempt \
         budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 49000 ms\n        \
         39.000 s  line 3: timer\n    \
         send extend #1 with the fresh key: a beat is due when the lead has shrunk to the retry reserve (P4); lead \
         21000 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 10000 ms\n        \
         49.000 s  line 4: timer\n    \
         stop, no-safe-retry: no complete retry plus margin fits (R2); lead 10999 ms, attempt budget 10000 ms, margin \
         1000 ms, reserve 21000 ms, window -1 ms; a shorter request timeout or a longer lease leaves room for more \
         retries\n"
    );
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn svg_draws_what_was_replayed_even_up_to_a_bad_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("lease.svg");
    let path = picture.to_str().expect("UTF-8");
    let lines = [HEADER, CREATED, r#"{"at":39000000000,"in":"tick"}"#, "bad"];
    let output = replay(&["--svg", path], lines.join("\n").as_bytes());
    assert_eq!(output.status.code(), Some(2));
    let svg = std::fs::read_to_string(&picture).expect("it was drawn");
    assert!(roxmltree::Document::parse(&svg).is_ok());
    assert!(svg.contains("1 beat"), "{svg}");

    // With nothing decided there is nothing to draw, and what stood there stays.
    let output = replay(&["--svg", path], b"bad");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&picture).expect("it stays"), svg);

    let output = replay(&["--svg", "/nowhere/lease.svg"], format!("{HEADER}\n{CREATED}\n").as_bytes());
    assert!(text(&output.stderr).starts_with("leasebeat: cannot write: /nowhere/lease.svg: "));
    assert_eq!((text(&output.stdout), output.status.code()), (DECIDED, Some(2)));
}

#[test]
fn a_trace_that_is_not_there_is_named() {
    let output = leasebeat(&[]).arg("no-such-trace.jsonl").output().expect("the command runs");
    assert!(text(&output.stderr).starts_with("leasebeat: no-such-trace.jsonl: "));
    assert_eq!(output.status.code(), Some(2));
    assert!(!Path::new("no-such-trace.jsonl").exists());
}
