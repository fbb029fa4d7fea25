//! The exhaustive exploration of small worlds (docs/INVARIANTS.md).

use crate::Outcome;
use crate::run::{cargo, command, run};

/// Each world to this many faults, half seconds and states.
pub fn campaign(faults: u8, until: u64, states: u64) -> Outcome {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-lab", "--example", "explore"])?;
    let arguments = [faults.to_string(), until.to_string(), states.to_string()];
    run(command("target/release/examples/explore", &arguments.each_ref().map(String::as_str)))
}
