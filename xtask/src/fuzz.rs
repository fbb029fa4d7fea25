//! The fuzz campaigns: libFuzzer changes inputs, guided by coverage. `docs/FUZZING.md` says what each target holds.

use std::fs;

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::NIGHTLY;

/// A target, and how its inputs are made.
struct Campaign {
    name: &'static str,
    options: &'static [&'static str],
}

/// An answer is seldom longer.
const DECODE: Campaign = Campaign { name: "decode", options: &["-dict=fuzz/decode.dict", "-max_len=1024"] };
/// A hundred events.
const EVENTS: Campaign = Campaign { name: "events", options: &["-max_len=256"] };
/// Forty calls with all their arguments.
const FFI: Campaign = Campaign { name: "ffi", options: &["-max_len=512"] };

/// A hundred calls on a fleet.
const FLEET: Campaign = Campaign { name: "fleet", options: &["-max_len=1024"] };

/// Executes `runs` answers.
pub fn decode(runs: u64) -> Outcome {
    campaign(&DECODE, runs)
}

/// Executes `runs` sequences of events.
pub fn events(runs: u64) -> Outcome {
    campaign(&EVENTS, runs)
}

/// Executes `runs` sequences of calls of the C ABI.
pub fn ffi(runs: u64) -> Outcome {
    campaign(&FFI, runs)
}

/// Executes `runs` sequences of calls on a fleet.
pub fn fleet(runs: u64) -> Outcome {
    campaign(&FLEET, runs)
}

fn campaign(campaign: &Campaign, runs: u64) -> Outcome {
    // What is committed is few and small; what campaigns have found stays, so that the next one goes on from there.
    let corpus = format!("fuzz/corpus/{}", campaign.name);
    let work = format!("{corpus}.work");
    fs::create_dir_all(file(&work)).map_err(|error| format!("{work}: {error}"))?;
    let toolchain = format!("+{NIGHTLY}");
    let runs = format!("-runs={runs}");
    // The targets check what a sanitizer would and more; it would cost most of the speed.
    let fuzz = [
        &toolchain,
        "fuzz",
        "run",
        "--fuzz-dir",
        "fuzz",
        "--sanitizer",
        "none",
        campaign.name,
        &work,
        &corpus,
        "--",
    ];
    run(command("cargo", &[&fuzz[..], campaign.options, &[&runs, "-print_final_stats=1"]].concat()))
}
