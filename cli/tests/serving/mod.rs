//! A `leasebeat serve` of its own for a test, and a client of bare sockets that sees every byte.

#![allow(dead_code, unreachable_pub)] // each test file is a crate of its own, and uses some of it

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long silence lasts before it counts as a stall.
const SILENCE: Duration = Duration::from_secs(1);

pub fn leasebeat(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_leasebeat"));
    command.arg("serve").args(arguments);
    command
}

/// A running server; it ends with the test.
#[derive(Debug)]
pub struct Server {
    pub process: Child,
    pub stdout: BufReader<ChildStdout>,
    pub address: SocketAddr,
    pub url: String,
    folder: tempfile::TempDir,
}

impl Server {
    pub fn start(arguments: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log.jsonl");
        let mut command = leasebeat(&["--listen", "127.0.0.1:0", "--log", log.to_str().expect("UTF-8")]);
        let mut process = command.args(arguments).stdout(Stdio::piped()).spawn().expect("the command runs");
        let mut stdout = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a first line");
        let line: Value = serde_json::from_str(&line).expect("it is JSON");
        assert_eq!(line["event"], "listening");
        let address = line["address"].as_str().expect("an address").parse().expect("an address");
        let url = line["url"].as_str().expect("a URL").to_owned();
        Self { process, stdout, address, url, folder }
    }

    pub fn log_file(&self) -> PathBuf {
        self.folder.path().join("log.jsonl")
    }

    /// The requests that were logged; waits until there are `count`.
    pub fn log(&self, count: usize) -> Vec<Value> {
        for _ in 0..100 {
            let text = std::fs::read_to_string(self.log_file()).expect("the log");
            let lines: Vec<Value> =
                text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
            if lines.len() >= count {
                return lines;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("fewer than {count} lines in the log");
    }

    pub fn send(&self, request: &Request<'_>) -> Answer {
        let mut stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
        stream.write_all(request.text().as_bytes()).expect("it reads");
        let mut bytes = Vec::new();
        let ended = match stream.read_to_end(&mut bytes) {
            Ok(_) => Ended::Closed,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Ended::Stalled
            }
            Err(_) => Ended::Reset,
        };
        Answer::read(&bytes, ended)
    }

    /// Creates a reservation of a minute, and gives its name.
    pub fn reservation(&self, key: &str) -> String {
        let answer = self.send(&Request::create(key));
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.body["reservation_id"].as_str().expect("it has a name").to_owned()
    }

    /// Tells it to stop, and waits for the end.
    #[cfg(unix)]
    pub fn terminate(&mut self) -> Option<i32> {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A request, as it goes over the wire.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub method: &'a str,
    pub path: String,
    pub headers: Vec<(&'a str, String)>,
    pub body: Option<Value>,
}

impl<'a> Request<'a> {
    pub fn new(method: &'a str, path: impl Into<String>, body: Option<Value>) -> Self {
        let headers = vec![("X-Cycles-API-Key", "demo-key".to_owned())];
        Self { method, path: path.into(), headers, body }
    }

    pub fn create(key: &str) -> Self {
        let body = json!({
            "idempotency_key": key,
            "subject": {"tenant": "demo"},
            "action": {"kind": "test", "name": "test"},
            "estimate": {"unit": "TOKENS", "amount": 100},
            "ttl_ms": 60_000,
        });
        Self::new("POST", "/v1/reservations", Some(body))
    }

    pub fn extend(id: &str, key: &str) -> Self {
        let body = json!({"idempotency_key": key, "extend_by_ms": 60_000});
        Self::new("POST", format!("/v1/reservations/{id}/extend"), Some(body))
    }

    pub fn commit(id: &str, key: &str) -> Self {
        let body = json!({"idempotency_key": key, "actual": {"unit": "TOKENS", "amount": 40}});
        Self::new("POST", format!("/v1/reservations/{id}/commit"), Some(body))
    }

    pub fn release(id: &str, key: &str) -> Self {
        Self::new("POST", format!("/v1/reservations/{id}/release"), Some(json!({"idempotency_key": key})))
    }

    pub fn get(id: &str) -> Self {
        Self::new("GET", format!("/v1/reservations/{id}"), None)
    }

    pub fn event(key: &str) -> Self {
        let body = json!({
            "idempotency_key": key,
            "subject": {"tenant": "demo"},
            "action": {"kind": "test", "name": "test"},
            "actual": {"unit": "TOKENS", "amount": 7},
        });
        Self::new("POST", "/v1/events", Some(body))
    }

    pub fn with(mut self, name: &'a str, value: impl Into<String>) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.into()));
        self
    }

    fn text(&self) -> String {
        let mut text =
            format!("{} {} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            text.extend([*name, ": ", value, "\r\n"]);
        }
        let body = self.body.as_ref().map(Value::to_string).unwrap_or_default();
        let length = body.len();
        text + &format!("Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
    }
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Closed,
    Reset,
    Stalled,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    /// 0 where nothing came.
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// The body, as far as it came.
    pub raw: String,
    /// Null where it is no JSON.
    pub body: Value,
    pub ended: Ended,
}

impl Answer {
    fn read(bytes: &[u8], ended: Ended) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let (head, raw) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|word| word.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let body = serde_json::from_str(raw).unwrap_or(Value::Null);
        Self { status: status.unwrap_or(0), headers, raw: raw.to_owned(), body, ended }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether as much came as was promised.
    pub fn is_whole(&self) -> bool {
        self.header("content-length").and_then(|length| length.parse().ok()) == Some(self.raw.len())
    }

    pub fn error(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }
}
