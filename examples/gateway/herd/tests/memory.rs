//! The memory that each way takes is counted, not timed, and so can be held to a bound.

use std::process::Command;

use serde::Deserialize;

#[derive(Deserialize)]
struct Measured {
    name: String,
    leases: u32,
    bytes_per_lease: f64,
}

fn measured(way: &str) -> Measured {
    let output = Command::new(env!("CARGO_BIN_EXE_leasebeat-herd"))
        .args(["--leases", "5000", "--period", "1s", "--beats", "1", "--way", way])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let measured: Measured = serde_json::from_slice(&output.stdout).expect("a JSON object");
    assert_eq!((measured.name.as_str(), measured.leases), (way, 5_000));
    measured
}

#[test]
fn a_task_for_each_lease_takes_five_times_the_memory_of_a_fleet() {
    let fleet = measured("fleet").bytes_per_lease;
    // Its slot and place in the queue, and the server's name for it.
    assert!(fleet < 300.0, "{fleet}");
    let task = measured("task-per-lease").bytes_per_lease;
    assert!(task > 5.0 * fleet, "{task} against {fleet}");
}
