//! A fleet's calls at a thousand to a million leases: instructions of real traffic by callgrind, and times.

use super::results::Row;
use super::sources::{float, lines};
use crate::Outcome;
use crate::fleet::{SIZES, document, means};
use crate::run::{cargo, command, output};

/// Besides, the guide's own tables are written from the same counts.
pub fn measure() -> Outcome<Vec<Row>> {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-benches", "--bins"])?;
    let mut rows = Vec::new();
    for leases in SIZES {
        let timed = output(command("target/release/leasebeat-growth", &[&leases.to_string()]))?;
        let counted = means("calls", leases)?;
        for mut row in lines(&String::from_utf8_lossy(&timed.stdout))? {
            let instructions = counted.iter().find(|(call, _)| *call == row.name);
            let (_, instructions) =
                instructions.ok_or_else(|| format!("no instructions counted of {}", row.name))?;
            row.values.insert("instructions".to_owned(), float(*instructions));
            row.name = format!("{}, {leases} leases", row.name);
            rows.push(row);
        }
    }
    document()?;
    Ok(rows)
}
