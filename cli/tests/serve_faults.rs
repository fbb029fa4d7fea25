//! Every fault of `leasebeat serve`, by flag, by file and by header, seen on a bare socket.

mod serving;

use std::time::{Duration, Instant};

use serving::{Answer, Ended, Request, Server};

/// Plays `fault` on the first extension, asked for by header; the answer, and what its replay says.
fn play(fault: &str) -> (Server, String, Answer) {
    let server = Server::start(&[]);
    let id = server.reservation("c");
    let answer = server.send(&Request::extend(&id, "e").with("X-Leasebeat-Fault", fault));
    (server, id, answer)
}

/// Whether the extension with key `e` was applied: a repetition of it is a replay then.
#[track_caller]
fn assert_applied(server: &Server, id: &str, applied: bool) {
    let again = server.send(&Request::extend(id, "e"));
    assert_eq!(again.status, 200, "{again:?}");
    let log = server.log(3);
    assert_eq!(log.last().expect("a line")["replayed"], applied, "{log:?}");
}

#[test]
fn lost_response() {
    let (server, id, answer) = play("lost-response");
    assert_eq!((answer.status, answer.ended), (0, Ended::Reset));
    assert_applied(&server, &id, true);
    assert_eq!(server.log(3)[1]["fault"], "lost-response");
    assert!(server.log(3)[1]["status"].is_null());
}

#[test]
fn reset() {
    let (server, id, answer) = play("reset");
    assert_eq!((answer.status, answer.ended), (0, Ended::Reset));
    assert_applied(&server, &id, false);
}

#[test]
fn delay() {
    let started = Instant::now();
    let (server, id, answer) = play("delay=400ms");
    assert!(started.elapsed() >= Duration::from_millis(400));
    assert_eq!(answer.status, 200);
    // Applied before the delay, so that the whole delay lies in the answer's round trip.
    let expires = answer.body["expires_at_ms"].as_u64().expect("it says");
    let remaining = answer.body["remaining_ttl_ms"].as_u64().expect("it says");
    let applied_at = expires - remaining;
    let late = server.send(&Request::extend(&id, "e"));
    let replayed_at = expires - late.body["remaining_ttl_ms"].as_u64().expect("it says");
    assert!(replayed_at >= applied_at + 400, "{applied_at} {replayed_at}");
}

#[test]
fn delay_before() {
    let (server, id, answer) = play("delay-before=400ms");
    assert_eq!(answer.status, 200);
    let log = server.log(2);
    let time = |line: usize| log[line]["time_ms"].as_u64().expect("it says");
    assert!(time(1) >= time(0) + 400, "{log:?}");
    assert_applied(&server, &id, true);
}

#[test]
fn status_before_and_after() {
    let (server, id, answer) = play("status=503");
    assert_eq!((answer.status, answer.error()), (503, "INTERNAL_ERROR"));
    assert_applied(&server, &id, false);
    let (server, id, answer) = play("status-after=500");
    assert_eq!((answer.status, answer.error()), (500, "INTERNAL_ERROR"));
    assert_applied(&server, &id, true);
    let (_, _, answer) = play("status=409:TENANT_CLOSED");
    assert_eq!((answer.status, answer.error()), (409, "TENANT_CLOSED"));
}

#[test]
fn throttle_with_any_text() {
    for text in ["5", "0", " 7 ", "-1", "1.5", "Wed, 21 Oct 2026 07:28:00 GMT", "99999999999999999999"] {
        let (server, id, answer) = play(&format!("throttle={text}"));
        assert_eq!((answer.status, answer.error()), (429, "LIMIT_EXCEEDED"));
        assert_eq!(answer.header("retry-after").map(str::trim), Some(text.trim()));
        assert!(answer.header("x-ratelimit-reset").is_some());
        assert_applied(&server, &id, false);
    }
    let (_, _, answer) = play("throttle");
    assert_eq!((answer.status, answer.header("retry-after")), (429, None));
}

#[test]
fn malformed_and_wrong_schema_and_any_body() {
    let (server, id, answer) = play("malformed");
    assert_eq!((answer.status, answer.is_whole(), answer.body.is_null()), (200, true, true));
    assert!(answer.raw.starts_with(r#"{"status":"ACTIVE""#), "{answer:?}");
    assert_applied(&server, &id, true);
    let (server, id, answer) = play("wrong-schema");
    assert_eq!((answer.status, answer.raw.as_str()), (200, r#"{"result":"OK"}"#));
    assert_applied(&server, &id, true);
    let (_, _, answer) = play(r#"body={"status":"ACTIVE","expires_at_ms":1.5}"#);
    assert_eq!((answer.status, answer.raw.as_str()), (200, r#"{"status":"ACTIVE","expires_at_ms":1.5}"#));
}

#[test]
fn accepted() {
    let (server, id, answer) = play("accepted");
    assert_eq!((answer.status, answer.body["status"].as_str()), (202, Some("ACTIVE")));
    assert_applied(&server, &id, true);
}

#[test]
fn truncated_and_stall() {
    for (fault, ended) in [("truncated", Ended::Closed), ("stall", Ended::Stalled)] {
        let (server, id, answer) = play(fault);
        assert_eq!((answer.status, answer.is_whole(), answer.ended), (200, false, ended), "{answer:?}");
        assert!(!answer.raw.is_empty());
        assert_applied(&server, &id, true);
    }
}

#[test]
fn clock_jumps_both_ways() {
    let server = Server::start(&["--fault", "extend:2=clock=-1h", "--fault", "extend:3=clock=+2h"]);
    let id = server.reservation("c");
    let expiry = |key: &str| server.send(&Request::extend(&id, key));
    let first = expiry("e1").body["remaining_ttl_ms"].as_u64().expect("it says");
    let second = expiry("e2").body["remaining_ttl_ms"].as_u64().expect("it says");
    assert!(second > first + 3_600_000, "{first} {second}");
    let third = expiry("e3");
    assert_eq!((third.status, third.error()), (410, "RESERVATION_EXPIRED"));
}

#[test]
fn close_tenant() {
    let (server, id, answer) = play("close-tenant");
    assert_eq!((answer.status, answer.error()), (409, "TENANT_CLOSED"));
    assert_eq!(server.send(&Request::commit(&id, "k")).error(), "TENANT_CLOSED");
    assert_eq!(server.send(&Request::get(&id)).status, 200);
}

#[test]
fn rules_choose_requests_and_a_file_does_as_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("serve.toml");
    let text = r#"
        faults = [{ on = "extend:new:2", fault = "status=502" }, { on = "any:*", fault = "delay=1ms" }]
        [policy]
        max-extensions = 3
    "#;
    std::fs::write(&file, text).expect("written");
    let server =
        Server::start(&["--config", file.to_str().expect("UTF-8"), "--fault", "extend:1=status=500"]);
    let id = server.reservation("c");
    let statuses: Vec<u16> = ["e1", "e1", "e2", "e2", "e3", "e4", "e5"]
        .iter()
        .map(|key| server.send(&Request::extend(&id, key)).status)
        .collect();
    // The flag plays on e1, the file's rule on the first request with the second key.
    assert_eq!(statuses, [500, 200, 502, 200, 200, 409, 409]);
}

#[test]
fn a_bad_header_is_told_and_headers_can_be_refused() {
    let (_, _, answer) = play("explode");
    assert_eq!((answer.status, answer.error()), (400, "INVALID_REQUEST"));
    assert!(answer.body["message"].as_str().expect("a message").contains("lost-response"), "{answer:?}");
    let server = Server::start(&["--no-header-faults"]);
    let answer = server.send(&Request::create("c").with("X-Leasebeat-Fault", "status=500"));
    assert_eq!(answer.status, 400, "{answer:?}");
}

#[test]
fn what_has_arrived_is_applied_though_nobody_waits() {
    use std::io::Write;

    let server = Server::start(&["--fault", "create:1=delay-before=300ms"]);
    let mut stream = std::net::TcpStream::connect(server.address).expect("it listens");
    let body = Request::create("c").body.expect("a body").to_string();
    let head = "POST /v1/reservations HTTP/1.1\r\nHost: t\r\nX-Cycles-API-Key: demo-key\r\n";
    write!(stream, "{head}Content-Length: {}\r\n\r\n{body}", body.len()).expect("it reads");
    std::thread::sleep(Duration::from_millis(100));
    drop(stream);
    assert_eq!(server.log(1)[0]["applied"], true);
    server.reservation("c");
    assert_eq!(server.log(2)[1]["replayed"], true);
}
