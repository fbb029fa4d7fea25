//! `--find-lapse`: the least that makes each strategy lapse.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use leasebeat_lab::compare::Setup;
use leasebeat_lab::record::Recording;
use leasebeat_lab::search::{Least, Outage};
use leasebeat_lab::strategy::StrategyKind;
use serde_json::json;

use super::options::Args;
use super::progress;
use crate::exit;
use crate::units::seconds;

pub(super) fn run(args: &Args) -> ExitCode {
    let setup = args.setup();
    let bar = progress::bar(setup.strategies.len() as u64, "searching");
    let found = setup.find_lapses(args.threads(), || bar.inc(1));
    bar.finish_and_clear();
    let found = match found {
        Ok(found) => found,
        Err(error) => return exit::bad_input(error),
    };
    let mut text = if args.json {
        format!("{}\n", json!({ "setup": setup, "least": found }))
    } else {
        table(&setup, &found)
    };
    if let Some(directory) = &args.traces {
        match traces(&setup, &found, directory) {
            Ok(written) if !args.json => {
                for path in written {
                    let _ = writeln!(text, "wrote {}", path.display());
                }
            }
            Ok(_) => {}
            Err(error) => return exit::bad_input(format!("{}: {error}", directory.display())),
        }
    }
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::bad_input(error),
    }
}

fn table(setup: &Setup, found: &[Least]) -> String {
    let mut text = String::new();
    let ms = |ms: u64| seconds(leasebeat::Millis::new(ms));
    let _ = writeln!(
        text,
        "The least that makes a lease lapse: TTL {}, request timeout {}, policy {}\n",
        ms(setup.ttl_ms),
        ms(setup.request_timeout_ms),
        setup.policy.name()
    );
    text.push_str("                    lost requests  lost answers  outage\n");
    let count = |lost: Option<u32>| lost.map_or_else(|| "none".to_owned(), |lost| lost.to_string());
    for least in found {
        let outage = least.outage.map_or_else(|| "none".to_owned(), |outage| ms(outage.length_ms));
        let _ = writeln!(
            text,
            "{:18}{:>15}{:>14}  {}",
            least.strategy.name(),
            count(least.lost_requests),
            count(least.lost_answers),
            outage
        );
    }
    text.push_str("\nIn a row; none: not even 200, or three TTLs. 0: it lapses by itself.\n");
    text
}

/// leasebeat's run that still meets its bound, and the one that does not any more.
fn traces(setup: &Setup, found: &[Least], directory: &Path) -> io::Result<Vec<PathBuf>> {
    std::fs::create_dir_all(directory)?;
    let Some(least) = found.iter().find(|least| least.strategy == StrategyKind::Leasebeat) else {
        return Ok(Vec::new());
    };
    let Some(beyond) = least.outage.filter(|outage| outage.length_ms >= 100) else { return Ok(Vec::new()) };
    let within = Outage { length_ms: beyond.length_ms - 100, ..beyond };
    let mut written = Vec::new();
    for (outage, name, word) in [(within, "within.jsonl", "recovered"), (beyond, "beyond.jsonl", "stopped")] {
        let (recording, lapsed) = setup.witness(outage).map_err(io::Error::other)?;
        if lapsed != (name == "beyond.jsonl") {
            return Err(io::Error::other(format!("an outage of {} ms was not {word}", outage.length_ms)));
        }
        let path = directory.join(name);
        let note =
            format!("an outage of {} ms, {} ms after the start: {word}", outage.length_ms, outage.at_ms);
        write(&path, &recording, &note)?;
        written.push(path);
    }
    Ok(written)
}

/// Writes a recording as a trace that `leasebeat replay` reads.
pub(super) fn write(path: &Path, recording: &Recording, note: &str) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    recording.write_trace(&mut out, note)?;
    out.flush()
}
