//! `leasebeat serve` as a program, and what its HTTP adds to the authority.

mod serving;

use std::collections::HashSet;
use std::net::TcpListener;
use std::thread;

use serde_json::{Value, json};
use serving::{Request, Server, leasebeat};

#[track_caller]
fn complains(arguments: &[&str], parts: &[&str]) {
    let output = leasebeat(arguments).output().expect("it runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {complaint}");
    for part in parts {
        assert!(complaint.contains(part), "{arguments:?}: {part:?} is not in {complaint}");
    }
}

#[test]
fn a_bad_policy_names_the_field_the_value_and_the_range() {
    complains(&["--tenant-max-ttl", "25h"], &["--tenant-max-ttl", "25h", "from 1s to 1day"]);
    complains(&["--tenant-default-ttl", "999ms"], &["--tenant-default-ttl", "999ms", "from 1s to 1day"]);
    complains(&["--grant-clamp", "0s"], &["--grant-clamp", "0s", "from 1ms to 1day"]);
    complains(&["--max-lead", "soon"], &["--max-lead", "soon", "from 1ms to 1day"]);
    complains(&["--max-extensions", "-1"], &["--max-extensions", "-1"]);
    complains(&["--max-extensions=many"], &["--max-extensions", "many", "from 0 to 4294967295, or none"]);
    complains(&["--rate-limit", "0/1s"], &["--rate-limit", "0/1s", "from 1 to 4294967295"]);
    complains(&["--budget", "5 coins"], &["--budget", "5 coins", "one of USD_MICROCENTS"]);
    complains(&["--retention", "31days"], &["--retention", "31days", "from 1s to 30days"]);
    complains(&["--max-keys", "0"], &["--max-keys", "0", "from 1 to 10000000"]);
    complains(&["--fault", "extend:2=boom"], &["--fault", "boom", "one of lost-response"]);
    complains(&["--tenant", "a"], &["--tenant", "NAME=KEY"]);
    complains(&["--tenant", "a=k", "--tenant", "b=k"], &["key \"k\" is given twice"]);
    complains(&["--listen", "localhost"], &["--listen", "localhost"]);
}

#[test]
fn a_bad_file_names_what_is_wrong_and_where() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("serve.toml");
    let path = file.to_str().expect("UTF-8");
    for (text, parts) in [
        ("[policy]\nmax-lead = '25h'\n", ["max-lead", "25h", "from 1ms to 1day"]),
        ("[policy]\nmax-leed = '1s'\n", ["max-leed", "unknown field", "max-lead"]),
        ("faults = [{ on = 'extend:0', fault = 'reset' }]\n", ["line 1", "\"0\"", "a number from 1"]),
        ("tenants = [{ name = 'a b', key = 'k' }]\n", ["name", "a b", "without spaces"]),
    ] {
        std::fs::write(&file, text).expect("written");
        complains(&["--config", path], &parts);
    }
    complains(&["--config", "/nowhere.toml"], &["/nowhere.toml", "No such file"]);
    complains(&["--log", "/nowhere/log"], &["--log", "/nowhere/log", "No such file"]);
}

#[test]
fn a_taken_port_is_a_clear_error() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    complains(&["--listen", &address], &["cannot listen on", &address, "in use"]);
}

#[cfg(unix)]
#[test]
fn it_stops_gracefully_and_answers_what_is_in_flight() {
    let mut server = Server::start(&["--fault", "create:1=delay=700ms"]);
    thread::scope(|scope| {
        let (address, url) = (server.address, server.url.clone());
        assert_eq!(url, format!("http://{address}"));
        let waiting = scope.spawn(move || {
            use std::io::{Read, Write};
            let mut stream = std::net::TcpStream::connect(address).expect("it listens");
            let body = r#"{"idempotency_key":"k"}"#;
            let length = body.len();
            write!(
                stream,
                "POST /v1/reservations HTTP/1.1\r\nHost: t\r\nContent-Length: {length}\r\n\r\n{body}"
            )
            .expect("it reads");
            let mut text = String::new();
            stream.read_to_string(&mut text).expect("it answers and closes");
            text
        });
        thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(server.terminate(), Some(0));
        let text = waiting.join().expect("no panic");
        assert!(text.starts_with("HTTP/1.1 401"), "{text}");
    });
    let last = server.log(2).pop().expect("a line");
    assert_eq!(last, json!({"event": "stopped"}));
}

#[test]
fn the_log_says_what_happened() {
    let server = Server::start(&[]);
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let created = server.send(&Request::create("c").with("X-Cycles-Trace-Id", trace));
    let id = created.body["reservation_id"].as_str().expect("it has a name").to_owned();
    server.send(&Request::extend(&id, "e"));
    server.send(&Request::extend(&id, "e"));
    server.send(&Request::extend("rsv_0", "f"));
    let log = server.log(4);
    assert_eq!(created.header("x-cycles-trace-id"), Some(trace));
    assert_eq!(created.header("x-cycles-tenant"), Some("demo"));
    assert_eq!(log[0]["trace_id"], trace);
    assert_eq!(log[0]["request_id"].as_str(), created.header("x-request-id"));
    assert_eq!(log[0]["expires_at_ms"], created.body["expires_at_ms"]);
    let facts = |line: usize| {
        let line: &Value = &log[line];
        (line["operation"].clone(), line["applied"].clone(), line["replayed"].clone(), line["status"].clone())
    };
    assert_eq!(facts(0), (json!("create"), json!(true), json!(false), json!(200)));
    assert_eq!(facts(1), (json!("extend"), json!(true), json!(false), json!(200)));
    assert_eq!(facts(2), (json!("extend"), json!(false), json!(true), json!(200)));
    assert_eq!(facts(3), (json!("extend"), json!(false), json!(false), json!(404)));
    assert_eq!((&log[1]["key"], &log[1]["reservation_id"]), (&json!("e"), &json!(id)));
    assert_eq!(log[3]["error"], "NOT_FOUND");
}

#[test]
fn a15_the_same_key_applies_once_however_many_ask_at_once() {
    let server = Server::start(&["--max-extensions", "none"]);
    for round in 0..5 {
        let (create, extend) = (format!("c{round}"), format!("e{round}"));
        let ids: HashSet<String> = thread::scope(|scope| {
            let clients: Vec<_> = (0..16).map(|_| scope.spawn(|| server.reservation(&create))).collect();
            clients.into_iter().map(|client| client.join().expect("no panic")).collect()
        });
        assert_eq!(ids.len(), 1, "one key made several reservations");
        let id = ids.into_iter().next().expect("one");
        let expiries: HashSet<u64> = thread::scope(|scope| {
            let clients: Vec<_> = (0..16)
                .map(|_| {
                    scope.spawn(|| server.send(&Request::extend(&id, &extend)).body["expires_at_ms"].as_u64())
                })
                .collect();
            clients.into_iter().map(|client| client.join().expect("no panic").expect("an expiry")).collect()
        });
        assert_eq!(expiries.len(), 1, "one key extended several times");
    }
    let log = server.log(160);
    let applied = log.iter().filter(|line| line["applied"] == true).count();
    assert_eq!(applied, 10);
}

#[test]
fn a19_tenants_and_keys_are_kept_apart() {
    let server = Server::start(&["--tenant", "demo=demo-key", "--tenant", "other=other-key"]);
    let id = server.reservation("c");
    let other = |request: Request<'static>| server.send(&request.with("X-Cycles-API-Key", "other-key"));
    let id: &'static str = id.leak();
    for request in
        [Request::get(id), Request::extend(id, "e"), Request::commit(id, "k"), Request::release(id, "r")]
    {
        let answer = other(request);
        assert_eq!((answer.status, answer.error()), (403, "FORBIDDEN"), "{answer:?}");
        assert_eq!(answer.body["request_id"].as_str(), answer.header("x-request-id"));
        assert_eq!(answer.body["trace_id"].as_str(), answer.header("x-cycles-trace-id"));
    }
    assert_eq!(other(Request::create("c")).error(), "FORBIDDEN", "the subject is another tenant");
    assert_eq!(other(Request::event("c")).error(), "FORBIDDEN");
    let unknown = server.send(&Request::get(id).with("X-Cycles-API-Key", "nobody"));
    assert_eq!((unknown.status, unknown.error()), (401, "UNAUTHORIZED"));
}

#[test]
fn a_lease_from_create_to_commit_as_the_schema_has_it() {
    let server = Server::start(&["--budget", "1000 TOKENS"]);
    let mut create = Request::create("c");
    create.body.as_mut().expect("a body")["subject"] = json!({"tenant": "demo", "agent": "a"});
    create.body.as_mut().expect("a body")["metadata"] = json!({"run": 7});
    let created = server.send(&create);
    assert_eq!(created.body["affected_scopes"], json!(["tenant:demo", "tenant:demo/agent:a"]));
    assert_eq!(created.body["remaining_ttl_ms"], 60_000);
    let id = created.body["reservation_id"].as_str().expect("it has a name").to_owned();
    let committed = server.send(&Request::commit(&id, "k"));
    assert_eq!(committed.body["charged"], json!({"unit": "TOKENS", "amount": 40}));
    assert_eq!(committed.body["released"], json!({"unit": "TOKENS", "amount": 60}));
    let read = server.send(&Request::get(&id));
    assert_eq!((&read.body["status"], &read.body["metadata"]), (&json!("COMMITTED"), &json!({"run": 7})));
    assert_eq!(server.send(&Request::release(&id, "r")).error(), "RESERVATION_FINALIZED");
    let event = server.send(&Request::event("v"));
    assert_eq!((event.status, &event.body["status"]), (201, &json!("APPLIED")));

    let mut dry = Request::create("d");
    dry.body.as_mut().expect("a body")["dry_run"] = json!(true);
    dry.body.as_mut().expect("a body")["estimate"]["amount"] = json!(954);
    let denied = server.send(&dry);
    assert_eq!(
        (&denied.body["decision"], &denied.body["reason_code"]),
        (&json!("DENY"), &json!("BUDGET_EXCEEDED"))
    );
    assert!(denied.body.get("remaining_ttl_ms").is_none() && denied.body.get("reservation_id").is_none());
}

#[test]
fn policies_reach_the_wire() {
    let flags =
        ["--tenant-max-ttl", "10s", "--grant-clamp", "2s", "--no-remaining-ttl", "--max-extensions", "1"];
    let server = Server::start(&flags);
    let created = server.send(&Request::create("c"));
    assert!(created.body.get("remaining_ttl_ms").is_none());
    let id = created.body["reservation_id"].as_str().expect("it has a name").to_owned();
    let extended = server.send(&Request::extend(&id, "e"));
    let expiry = |body: &Value| body["expires_at_ms"].as_u64().expect("it says");
    assert_eq!(expiry(&extended.body), expiry(&created.body) + 2_000);
    assert_eq!(server.send(&Request::extend(&id, "f")).error(), "MAX_EXTENSIONS_EXCEEDED");

    let server = Server::start(&["--rate-limit", "2/10s"]);
    assert_eq!((server.send(&Request::get("x")).status, server.send(&Request::get("x")).status), (404, 404));
    let throttled = server.send(&Request::create("c"));
    let retry_after = throttled.header("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert_eq!(throttled.status, 429);
    assert!(retry_after.is_some_and(|seconds| (9..=10).contains(&seconds)), "{throttled:?}");
}

#[test]
fn a23_a_full_server_refuses_and_takes_more_once_it_may_forget() {
    let server = Server::start(&["--max-reservations", "1", "--retention", "1s"]);
    let id = server.reservation("c");
    let full = server.send(&Request::create("d"));
    assert_eq!((full.status, full.error()), (500, "INTERNAL_ERROR"), "{full:?}");
    assert_eq!(server.send(&Request::release(&id, "r")).status, 200);
    assert_eq!(server.send(&Request::get(&id)).body["status"], "RELEASED");
    thread::sleep(std::time::Duration::from_millis(2_500));
    assert_eq!(server.send(&Request::get(&id)).error(), "NOT_FOUND");
    server.reservation("d");
}
