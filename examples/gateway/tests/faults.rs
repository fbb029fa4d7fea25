//! Two thousand leases through lost responses, 503s, stalls and a burst of 429s. What is asserted is what the server saw.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

const LEASES: usize = 2_000;

/// A line of the server's log.
#[derive(Debug, Clone, Deserialize)]
struct Line {
    event: String,
    #[serde(default)]
    time_ms: u64,
    operation: Option<String>,
    key: Option<String>,
    reservation_id: Option<String>,
    fault: Option<String>,
    status: Option<u16>,
    error: Option<String>,
    #[serde(default)]
    applied: bool,
    remaining_before_ms: Option<u64>,
    expires_at_ms: Option<u64>,
}

impl Line {
    /// The client has an answer that proves what happened.
    fn proves(&self) -> bool {
        self.status == Some(200) && self.fault.is_none()
    }
}

#[test]
fn two_thousand_leases_live_through_faults() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("log.jsonl");
    let output = Command::new(env!("CARGO_BIN_EXE_leasebeat-gateway"))
        .args(["--leases", &LEASES.to_string(), "--creates", "250", "--for", "24s"])
        .args(["--ttl", "15s", "--max-lead", "15s", "--timeout", "2s", "--budget", "4s"])
        .args(["--fault", "create:new:*/11=lost-response"])
        .args(["--fault", "extend:new:*/200=stall"])
        .args(["--fault", "extend:new:1200-1700=throttle=1"])
        .args(["--fault", "extend:new:*/10=lost-response"])
        .args(["--fault", "extend:new:*/7=status=503"])
        .arg("--log")
        .arg(&log)
        .arg("--server")
        .arg(server())
        .output()
        .expect("the gateway runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("2000 leases created, 0 lost (none)"), "{said}");

    let lines = read(&log);
    let end = lines.iter().map(|line| line.time_ms).max().expect("there are lines");
    // Every fault has happened, and often.
    for (fault, least) in [("lost-response", 250), ("status=503", 150), ("stall", 8), ("throttle=1", 490)] {
        let count = lines.iter().filter(|line| line.fault.as_deref() == Some(fault)).count();
        assert!(count >= least, "{fault}: {count}");
    }
    let creates = lines.iter().filter(|line| line.operation.as_deref() == Some("create") && line.applied);
    assert_eq!(creates.count(), LEASES);
    // No key has taken effect twice.
    let mut keys = HashSet::new();
    for line in lines.iter().filter(|line| line.applied) {
        assert!(keys.insert((&line.operation, &line.key)), "applied twice: {line:?}");
    }
    let leases = by_lease(&lines);
    assert_eq!(leases.len(), LEASES);
    let beats = leases.values().flatten().filter(|line| line.applied).count();
    assert!(beats > LEASES * 3 / 2, "{beats} beats");
    for extends in leases.values() {
        check_lease(extends, end);
    }
}

/// What the server saw of one lease, in its order.
fn check_lease(extends: &[Line], end: u64) {
    let expires = extends.iter().filter_map(|line| line.expires_at_ms).max();
    assert!(expires > Some(end), "held to the end: {extends:?}");
    let reservations: HashSet<_> = extends.iter().filter_map(|line| line.reservation_id.as_ref()).collect();
    assert_eq!(reservations.len(), 1, "{extends:?}");
    let mut used = HashSet::new();
    for (place, line) in extends.iter().enumerate() {
        // It never lapsed, nor came near.
        assert!(line.remaining_before_ms.is_none_or(|left| left > 1_000), "{line:?}");
        assert!(
            !matches!(line.error.as_deref(), Some("RESERVATION_EXPIRED" | "IDEMPOTENCY_MISMATCH")),
            "{line:?}"
        );
        let Some(before) = place.checked_sub(1).map(|place| &extends[place]) else {
            used.insert(&line.key);
            continue;
        };
        // What was proved is never repeated; what was not is repeated with its key.
        if before.proves() {
            assert!(used.insert(&line.key), "{before:?}\n{line:?}");
        } else {
            assert_eq!(line.key, before.key, "{before:?}\n{line:?}");
        }
        if before.fault.as_deref() == Some("throttle=1") {
            assert!(line.time_ms - before.time_ms >= 1_000, "{before:?}\n{line:?}");
        }
    }
}

fn read(log: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(log).expect("the log");
    let lines: Vec<Line> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert_eq!(lines.last().map(|line| line.event.as_str()), Some("stopped"), "it was ended in good order");
    assert!(lines.iter().all(|line| line.event != "log-dropped"), "the log is whole");
    lines
}

/// Extensions by lease: a key is the lease's, but for the generation at its end. What a fault kept from being applied is logged
/// without its reservation.
fn by_lease(lines: &[Line]) -> BTreeMap<String, Vec<Line>> {
    let mut leases = BTreeMap::<_, Vec<Line>>::new();
    for line in lines.iter().filter(|line| line.operation.as_deref() == Some("extend")) {
        let (lease, _generation) = line.key.as_deref().and_then(|key| key.rsplit_once('-')).expect("a key");
        leases.entry(lease.to_owned()).or_default().push(line.clone());
    }
    leases
}

/// The command `leasebeat`, which cargo does not build for another package's tests by itself.
fn server() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--package", "leasebeat-cli", "--bin", "leasebeat"])
        .arg("--message-format=json")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&built.stdout);
    assert!(built.status.success(), "{messages}{}", String::from_utf8_lossy(&built.stderr));
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back();
    executable.expect("cargo says where the command is")
}
