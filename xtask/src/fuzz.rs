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

/// Executes `runs` answers, and with `merge` puts those that the committed corpus lacks into it.
pub fn decode(runs: u64, merge: bool) -> Outcome {
    fs::create_dir_all(file(WORK)).map_err(|error| format!("{WORK}: {error}"))?;
    // Nothing here is unsafe, so a sanitizer would find nothing and cost most of the speed.
    let toolchain = format!("+{NIGHTLY}");
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
    let runs = format!("-runs={runs}");
    run(command(
        "cargo",
        &[&fuzz[..], &[&runs, "-dict=fuzz/decode.dict", LENGTH_MAX, "-print_final_stats=1"]].concat(),
    ))?;
    if !merge {
        return Ok(());
    }
    // The other way round: into the second from the first. Edges alone, or the corpus would have thousands.
    let merge = [
        &toolchain,
        "fuzz",
        "run",
        "--fuzz-dir",
        "fuzz",
        "--sanitizer",
        "none",
        "decode",
        CORPUS,
        WORK,
        "--",
    ];
    run(command(
        "cargo",
        &[&merge[..], &["-merge=1", "-use_value_profile=0", "-use_counters=0", "-max_len=256"]].concat(),
    ))
}
