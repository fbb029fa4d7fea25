//! The demo, for real: a server, faults on the wire, a lease that is kept, a picture, and a trace that replays.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

fn leasebeat() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasebeat"));
    command.env_remove("LEASEBEAT_API_KEY");
    command
}

fn demo(folder: &Path, arguments: &[&str]) -> Output {
    leasebeat().arg("demo").args(arguments).current_dir(folder).output().expect("the command runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = leasebeat();
    command.arg("demo").args(arguments).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs")
}

/// The first line names the server.
fn url_of(stdout: &mut impl BufRead) -> String {
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a first line");
    let url = line.split_whitespace().find(|word| word.starts_with("http://"));
    url.expect("it names the server").trim_end_matches(',').to_owned()
}

#[test]
fn a_lease_lives_through_every_fault_and_the_trace_decides_the_same_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = start(folder.path(), &["--for", "25s", "--record", "trace.jsonl"]);
    let mut stdout = BufReader::new(run.stdout.take().expect("piped"));
    let url = url_of(&mut stdout);

    // Meanwhile another client keeps a lease of its own there, too short a time to meet a fault.
    let other = demo(
        folder.path(),
        &["--server", &url, "--api-key", "demo-key", "--for", "1s", "--svg", "other.svg"],
    );
    assert!(other.status.success(), "{}", stderr(&other));
    for (arguments, complaint) in [
        (["--api-key", "wrong", "--tenant", "demo"], "HTTP 401, UNAUTHORIZED"),
        (["--api-key", "demo-key", "--tenant", "other"], "HTTP 403, FORBIDDEN"),
    ] {
        let refused =
            demo(folder.path(), &[&["--server", &url, "--svg", "other.svg"], &arguments[..]].concat());
        assert_eq!(refused.status.code(), Some(1));
        assert!(stderr(&refused).contains("stopped with rejected"), "{}", stderr(&refused));
        assert!(stderr(&refused).contains(complaint), "{}", stderr(&refused));
    }

    let mut text = String::new();
    stdout.read_to_string(&mut text).expect("UTF-8");
    let output = run.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{text}", stderr(&output));
    for words in ["faults met        5 of 5", "lapses                 0"] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    check_picture(&folder.path().join("timeline.svg"));
    check_replay(folder.path());
}

#[track_caller]
fn check_picture(path: &Path) {
    let svg = std::fs::read_to_string(path).expect("a picture");
    let picture = roxmltree::Document::parse(&svg).expect("well-formed XML");
    let count = |name: &str| picture.descendants().filter(|node| node.has_tag_name(name)).count();
    let texts: Vec<_> = picture
        .descendants()
        .filter(|node| node.has_tag_name("text"))
        .filter_map(|node| node.text())
        .collect();
    for words in [
        "connection lost",
        "HTTP 503",
        "HTTP 429, retry after 1 s",
        "timeout",
        "malformed 200",
        "time (s)",
        "5 failures",
    ] {
        assert!(texts.iter().any(|text| text.trim() == words), "{words}: {texts:?}");
    }
    // A success is a circle, a send and a fence are polygons; the legend has one of each besides.
    assert!(count("circle") >= 7, "{}", count("circle"));
    assert!(count("polygon") >= 20, "{}", count("polygon"));
}

#[track_caller]
fn check_replay(folder: &Path) {
    let live = std::fs::read(folder.join("trace.jsonl.decisions.jsonl")).expect("the decisions");
    let replayed = leasebeat().args(["replay", "trace.jsonl"]).current_dir(folder).output().expect("it runs");
    assert!(replayed.status.success(), "{}", stderr(&replayed));
    assert!(live == replayed.stdout, "the trace decides otherwise than the live run did");
    let steps = String::from_utf8_lossy(&live).lines().count();
    assert!(steps >= 20, "{steps}");
}

#[test]
fn a_run_too_short_for_the_faults_says_so_and_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = demo(folder.path(), &["--for", "1s"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).starts_with("leasebeat: not every fault could be shown: lost response, 503"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("faults met        0 of 5") && text.contains("lapses                 0"), "{text}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_closes_the_lease_in_good_order() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = start(folder.path(), &["--record", "trace.jsonl"]);
    let mut stdout = BufReader::new(run.stdout.take().expect("piped"));
    let mut text = String::new();
    while !text.contains("created") {
        assert_ne!(stdout.read_line(&mut text).expect("UTF-8"), 0, "it ended early: {text}");
    }
    let killed = Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    stdout.read_to_string(&mut text).expect("UTF-8");
    let output = run.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}\n{text}", stderr(&output));
    assert!(text.contains("Closed early, as asked"), "{text}");
    let trace = std::fs::read_to_string(folder.path().join("trace.jsonl")).expect("a trace");
    assert!(trace.trim_end().ends_with("\"in\":\"close\"}"), "{trace}");
}

#[test]
fn a_server_that_is_not_there_is_named_in_the_complaint() {
    let folder = tempfile::tempdir().expect("a folder");
    // A port that was free a moment ago, and on which nobody listens.
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let output = demo(folder.path(), &["--server", &url, "--api-key", "key"]);
    assert_eq!(output.status.code(), Some(1));
    let error = stderr(&output);
    assert!(
        error.starts_with("leasebeat: the lease was not kept: the kernel stopped with create-ambiguous"),
        "{error}"
    );
    assert!(error.contains("refused"), "{error}");
}

#[test]
fn wrong_usage_is_refused_before_anything_starts() {
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, complaint) in [
        (&["--for", "soon"][..], "soon"),
        (&["--for", "0s"], "longer than nothing"),
        (&["--ttl", "25h"], "from 1ms to 24h"),
        (&["--ttl", "5s"], "dead zone"),
        (&["--ttl", "999ms"], "1s or more"),
        (&["--timeout", "100ms", "--slack", "100ms"], "Retry-After"),
        (&["--server", "ftp://host", "--api-key", "k"], "http or https"),
        (&["--server", "nowhere", "--api-key", "k"], "--server nowhere"),
        (&["--server", "http://localhost"], "--api-key"),
        (&["--server", "http://localhost", "--api-key", "a\nb"], "API key"),
        (&["--svg", "none/timeline.svg"], "no such folder"),
        (&["--record", "none/trace.jsonl"], "none/trace.jsonl"),
        (&["--unit", "BEANS"], "BEANS"),
    ] {
        let output = demo(folder.path(), arguments);
        let error = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.starts_with("leasebeat: ") && error.contains(complaint), "{arguments:?}: {error}");
    }
}
