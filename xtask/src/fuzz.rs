//! The fuzz campaigns: libFuzzer changes answers, guided by coverage, and the decoder and the naive reading of the
//! rules must agree on each; or events, and the naive
//! reference and the invariants must.

use std::fs;

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::NIGHTLY;

/// Executes `runs` answers.
pub fn decode(runs: u64) -> Outcome {
    // An answer is seldom longer.
    fuzz("decode", runs, &["-dict=fuzz/decode.dict", "-max_len=1024"])
}

/// Executes `runs` sequences of events.
pub fn events(runs: u64) -> Outcome {
    fuzz("events", runs, &["-max_len=256"])
}

/// What is committed is few and small; what campaigns have found is kept beside it, so that the next one goes on from
/// there.
fn fuzz(target: &str, runs: u64, options: &[&str]) -> Outcome {
    let (corpus, work) = (format!("fuzz/corpus/{target}"), format!("fuzz/corpus/{target}.work"));
    fs::create_dir_all(file(&work)).map_err(|error| format!("{work}: {error}"))?;
    let toolchain = format!("+{NIGHTLY}");
    let runs = format!("-runs={runs}");
    // Nothing here is unsafe, so a sanitizer would find nothing and cost most of the speed.
    let fuzz =
        [&toolchain, "fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", "none", target, &work, &corpus];
    run(command("cargo", &[&fuzz[..], &["--", &runs, "-print_final_stats=1"], options].concat()))
}
