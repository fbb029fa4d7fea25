//! Ways to keep many leases, in the same run: the gateway example's comparison.

use super::results::Row;
use super::sources::printed_by;
use crate::Outcome;
use crate::run::cargo;

pub fn measure() -> Outcome<Vec<Row>> {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-herd"])?;
    printed_by("", "target/release/leasebeat-herd", &["--leases", "100000"])
}
