//! A fleet's calls at a thousand to a million leases: instructions of real traffic by callgrind, and times.

use super::results::Row;
use super::sources::{float, lines};
use crate::Outcome;
use crate::run::{cargo, command, file, output};

const LEASES: [&str; 4] = ["1000", "10000", "100000", "1000000"];
const COUNTED: &str = "leasebeat-fleet-bench";
/// As callgrind names what is in it.
const CRATE: &str = "leasebeat_fleet_bench";

pub fn measure() -> Outcome<Vec<Row>> {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-benches", "--bins"])?;
    let mut rows = Vec::new();
    for leases in LEASES {
        let timed = output(command("target/release/leasebeat-growth", &[leases]))?;
        for mut row in lines(&String::from_utf8_lossy(&timed.stdout))? {
            let instructions = mean(&row.name, leases)?;
            row.values.insert("instructions".to_owned(), instructions);
            row.name = format!("{}, {leases} leases", row.name);
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The mean over all calls of one kind.
fn mean(call: &str, leases: &str) -> Outcome<f64> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls");
    let options = [
        "--tool=callgrind".to_owned(),
        format!("--toggle-collect={CRATE}::measured_{call}"),
        format!("--callgrind-out-file={}", dump.display()),
        file("target/release").join(COUNTED).display().to_string(),
        "calls".to_owned(),
        leases.to_owned(),
    ];
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let printed = output(command("valgrind", &options))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let calls = printed.lines().find_map(|line| line.strip_prefix(call)?.trim().parse().ok());
    let calls = calls.ok_or_else(|| format!("{COUNTED} said no number of calls of {call}: {printed:?}"))?;
    match crate::budgets::total(&dump)? {
        0 => Err(format!("callgrind counted nothing of {call}")),
        total => Ok(float(total) / float(calls)),
    }
}
