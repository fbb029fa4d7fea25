//! The fuzz campaigns: libFuzzer changes answers, guided by coverage, and the decoder and the naive reading of the
//! rules must agree on each.

use std::fs;

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::NIGHTLY;

/// What is committed: few and small.
const CORPUS: &str = "fuzz/corpus/decode";
/// What campaigns have found, so that the next one goes on from there.
const WORK: &str = "fuzz/corpus/decode.work";
/// An answer is seldom longer.
const LENGTH_MAX: &str = "-max_len=1024";

/// Executes `runs` answers.
pub fn decode(runs: u64) -> Outcome {
    fs::create_dir_all(file(WORK)).map_err(|error| format!("{WORK}: {error}"))?;
    let toolchain = format!("+{NIGHTLY}");
    let runs = format!("-runs={runs}");
    // Nothing here is unsafe, so a sanitizer would find nothing and cost most of the speed.
    let fuzz = [
        &toolchain,
        "fuzz",
        "run",
        "--fuzz-dir",
        "fuzz",
        "--sanitizer",
        "none",
        "decode",
        WORK,
        CORPUS,
        "--",
    ];
    let options = [&runs, "-dict=fuzz/decode.dict", LENGTH_MAX, "-print_final_stats=1"];
    run(command("cargo", &[&fuzz[..], &options].concat()))
}
