//! The lab's long campaign: every invariant at every event, over all policies and faults.

use crate::Outcome;
use crate::run::{cargo, command, run};

/// Where the last one ended.
const PROGRESS: &str = "target/lab-campaign.json";

/// Checks until `hours` lease-hours are reached, going on where the last campaign ended.
pub fn check(hours: u64) -> Outcome {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-cli", "--bin", "leasebeat"])?;
    let hours = hours.to_string();
    let arguments =
        ["simulate", "--check", "--hours", &hours, "--resume", PROGRESS, "--traces", "target/lab-violations"];
    run(command("target/release/leasebeat", &arguments))
}
