//! The names of the kernel's enums for JavaScript: as types, and in the order of their numbers.

use std::fs;

use leasebeat::{ErrorCode, Rule, StopReason};

use crate::Outcome;
use crate::run::file;

/// Writes the file. It is checked in, so that a reader sees it.
pub fn write() -> Outcome {
    let reasons: Vec<&str> = StopReason::ALL.iter().map(|one| one.as_str()).collect();
    let rules: Vec<&str> = Rule::ALL.iter().map(|one| one.id()).collect();
    let codes: Vec<&str> = ErrorCode::ALL.iter().map(|one| one.as_str()).collect();
    let names = [
        union(
            "StopReason",
            "Why the kernel stopped. Most stops leave a proven lease: see `Heartbeat.fence`.",
            &reasons,
        ),
        union("Rule", "The rule that decided, by its id in the project's `docs/RULES.md`.", &rules),
        union("ErrorCode", "The protocol's error codes.", &codes),
        format!("export const stopReasons = '{}'.split(' ') as StopReason[]\n", reasons.join(" ")),
        format!("export const rules = '{}'.split(' ') as Rule[]\n", rules.join(" ")),
    ];
    let text = format!("// Generated from the kernel by `cargo xtask npm`.\n\n{}", names.join("\n"));
    let path = "wasm/npm/src/names.ts";
    if fs::read_to_string(file(path)).unwrap_or_default() == text {
        return Ok(());
    }
    fs::write(file(path), text).map_err(|error| format!("{path}: {error}"))
}

/// A type that is one of these names.
fn union(name: &str, what: &str, items: &[&str]) -> String {
    format!("/** {what} */\nexport type {name} =\n  | '{}'\n", items.join("'\n  | '"))
}
