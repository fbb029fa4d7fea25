//! How the figures of the budgets went: `benches/history.tsv`, a line for each figure that changed, or whose gate did.
//!
//! `cargo xtask budgets --record` appends to it. It is the record of what was measured, not a gate.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use crate::Outcome;
use crate::bench::machine;
use crate::run::file;

const HISTORY: &str = "benches/history.tsv";
const HEAD: &str = "date\tcommit\tfigure\tmeasured\tgate\n";

/// A figure as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub date: String,
    /// What was measured; with a `+` where files had changed since.
    pub commit: String,
    pub figure: String,
    pub measured: u64,
    pub gate: u64,
}

/// The last entry of each figure.
pub fn last() -> Outcome<BTreeMap<String, Entry>> {
    Ok(read()?.into_iter().map(|entry| (entry.figure.clone(), entry)).collect())
}

/// Appends every figure of a commit that is not what it was last time.
pub fn record(commit: &str, figures: &[(String, u64, u64)]) -> Outcome {
    let (date, last) = (machine::date()?, last()?);
    let mut text = fs::read_to_string(file(HISTORY)).unwrap_or_else(|_| HEAD.to_owned());
    let mut changed = 0;
    for (figure, measured, gate) in figures {
        if last.get(figure).is_some_and(|last| (last.measured, last.gate) == (*measured, *gate)) {
            continue;
        }
        let _ = writeln!(text, "{date}\t{commit}\t{figure}\t{measured}\t{gate}");
        changed += 1;
    }
    fs::write(file(HISTORY), text).map_err(|error| format!("{HISTORY}: {error}"))?;
    println!("{HISTORY}: {changed} of {} figures changed", figures.len());
    Ok(())
}

/// Prints how each figure and its gate went, the oldest first.
pub fn show() -> Outcome {
    let mut figures: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for entry in read()? {
        figures.entry(entry.figure.clone()).or_default().push(entry);
    }
    for (figure, entries) in figures {
        println!("{figure}");
        let mut before: Option<u64> = None;
        for Entry { date, commit, measured, gate, .. } in entries {
            let change = before.map_or(String::new(), |before| difference(measured, before));
            println!("  {date} {commit:<11} {measured:>8} of {gate:>8} {change:>8}");
            before = Some(measured);
        }
    }
    Ok(())
}

/// `measured` less `from`, with its sign.
pub fn difference(measured: u64, from: u64) -> String {
    let sign = if measured < from { '-' } else { '+' };
    format!("{sign}{}", measured.abs_diff(from))
}

fn read() -> Outcome<Vec<Entry>> {
    match fs::read_to_string(file(HISTORY)) {
        Ok(text) => parse(&text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{HISTORY}: {error}")),
    }
}

fn parse(text: &str) -> Outcome<Vec<Entry>> {
    let entry = |(number, line): (usize, &str)| {
        let bad = || format!("{HISTORY}:{number}: not date, commit, figure, measured, gate: {line:?}");
        let [date, commit, figure, measured, gate] =
            line.split('\t').collect::<Vec<_>>().try_into().map_err(|_| bad())?;
        Ok(Entry {
            date: date.to_owned(),
            commit: commit.to_owned(),
            figure: figure.to_owned(),
            measured: measured.parse().map_err(|_| bad())?,
            gate: gate.parse().map_err(|_| bad())?,
        })
    };
    (1..).zip(text.lines()).skip(1).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_entry_and_a_bad_one_is_named() {
        let text = format!("{HEAD}2026-12-01\tabc\tinstructions.any\t121\t200\n");
        let entry = parse(&text).unwrap().remove(0);
        assert_eq!((entry.figure.as_str(), entry.measured, entry.gate), ("instructions.any", 121, 200));
        let error = parse(&format!("{text}2026-12-01\tabc\n")).unwrap_err();
        assert!(error.contains(":3:"), "{error}");
    }

    #[test]
    fn a_difference_has_its_sign() {
        assert_eq!((difference(7, 5).as_str(), difference(5, 7).as_str()), ("+2", "-2"));
    }
}
