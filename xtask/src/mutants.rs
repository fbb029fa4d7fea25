//! The mutants campaign: cargo-mutants changes the kernel's code, one spot at a time, and a test must notice.

use std::collections::BTreeSet;

use crate::Outcome;
use crate::run::{command, file, run};

const EQUIVALENT: &str = "core/mutants-equivalent.txt";

/// Runs all mutants of the kernel, and fails on one that survives and is not listed as equivalent.
pub fn campaign() -> Outcome {
    let campaign = command("cargo", &["mutants", "--package", "leasebeat", "--jobs", "2", "--no-shuffle"]);
    // It fails where any mutant survives; which may survive is decided here.
    let ran = run(campaign);
    let missed = read("mutants.out/missed.txt")
        .map_err(|what| format!("{what}; the campaign did not run: {ran:?}"))?;
    let equivalent = read(EQUIVALENT)?;
    let survivors: Vec<&String> = missed.difference(&equivalent).collect();
    for survivor in &survivors {
        eprintln!("survived: {survivor}");
    }
    for stale in equivalent.difference(&missed) {
        eprintln!("listed as equivalent, but caught or gone: {stale}");
    }
    println!("{} survived, {} of them listed as equivalent", missed.len(), missed.len() - survivors.len());
    if survivors.is_empty() { Ok(()) } else { Err(format!("{} mutants survive", survivors.len())) }
}

/// Names of mutants, without the places that move and the reasons behind `#`.
fn read(path: &str) -> Outcome<BTreeSet<String>> {
    let text = std::fs::read_to_string(file(path)).map_err(|error| format!("{path}: {error}"))?;
    Ok(text.lines().map(name).filter(|name| !name.is_empty()).collect())
}

/// `core/src/time.rs:12:3: replace + with - in f` is named `core/src/time.rs: replace + with - in f`.
fn name(line: &str) -> String {
    let line = line.split(" # ").next().unwrap_or_default().trim();
    if line.starts_with('#') {
        return String::new();
    }
    match line.split_once(": ") {
        Some((place, what)) => format!("{}: {what}", place.split(':').next().unwrap_or_default()),
        None => line.to_owned(),
    }
}
