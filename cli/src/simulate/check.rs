//! `--check`: every invariant at every event, over all policies and faults.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leasebeat::Heartbeat;
use leasebeat_lab::InFleet;
use leasebeat_lab::campaign::{self, Found, Progress};
use leasebeat_lab::world::Tally;

use super::options::Args;
use super::{find, progress};
use crate::exit;

/// A campaign that can be gone on with is kept in pieces of so many lease-hours.
const PIECE_HOURS: u64 = 50_000;
const HOUR_MS: u64 = 3_600_000;

pub(super) fn run(args: &Args) -> ExitCode {
    let hours = args.hours.unwrap_or(20_000);
    let start = match args.resume.as_deref().map(read) {
        Some(Ok(progress)) => progress,
        Some(Err(what)) => return exit::bad_input(what),
        None => Progress::default(),
    };
    let bar = progress::bar(hours, "lease-hours");
    let (began, shown) = (Instant::now(), AtomicU64::new(0));
    let mut now = start;
    let mut violations = 0;
    while now.lease_ms < hours * HOUR_MS && violations == 0 {
        let until = hours.min(now.lease_ms / HOUR_MS + PIECE_HOURS) * HOUR_MS;
        let before_ms = now.lease_ms;
        let run = if args.in_fleet { campaign::run::<InFleet, _> } else { campaign::run::<Heartbeat, _> };
        let piece = run(now, until, args.threads(), |tally: &Tally| {
            let done = before_ms + u64::try_from(tally.lease_ns / 1_000_000).unwrap_or(0);
            if shown.fetch_max(done / HOUR_MS, Ordering::Relaxed) < done / HOUR_MS {
                bar.set_position(done / HOUR_MS);
            }
            true
        });
        match piece {
            Ok((progress, _, None)) => now = progress,
            Ok((progress, _, Some(found))) => {
                (now, violations) = (progress, 1);
                bar.suspend(|| report(args, &found));
            }
            Err(error) => return exit::bad_input(error),
        }
        // A violation is found again by going on.
        if let (Some(path), 0) = (&args.resume, violations) {
            if let Err(error) = keep(path, &now) {
                return exit::bad_input(format!("{}: {error}", path.display()));
            }
        }
    }
    bar.finish_and_clear();
    summarize(args, &start, &now, began.elapsed(), violations)
}

fn summarize(args: &Args, start: &Progress, now: &Progress, took: Duration, violations: u32) -> ExitCode {
    let events = now.events - start.events;
    #[allow(clippy::cast_precision_loss)] // for people to read
    let rate = events as f64 / took.as_secs_f64().max(1e-9) / 1e6;
    let hours = now.lease_ms / HOUR_MS;
    let text = if args.json {
        let seconds = took.as_secs_f64();
        let json = serde_json::json!({
            "lease_hours": hours, "events": now.events, "scenarios": now.next, "violations": violations,
            "events_now": events, "seconds_now": seconds,
        });
        format!("{json}\n")
    } else {
        format!(
            "{hours} lease-hours, {} events, {} scenarios: {violations} violations\n{events} events in {:.1} s, {rate:.2} million a second on {} threads\n",
            now.events,
            now.next,
            took.as_secs_f64(),
            args.threads()
        )
    };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) if violations == 0 => ExitCode::SUCCESS,
        Ok(()) => exit::not_kept("an invariant does not hold"),
        Err(error) => exit::bad_input(error),
    }
}

/// Says what did not hold, and writes how to see it again.
fn report(args: &Args, found: &Found) {
    let seed = found.number;
    eprintln!("leasebeat: scenario {seed}: {}", found.violation);
    let directory = args.traces.as_deref().unwrap_or_else(|| Path::new("."));
    let trace = directory.join(format!("violation-{seed}.jsonl"));
    let scenario = directory.join(format!("violation-{seed}.scenario.json"));
    let note = format!("scenario {seed}: {}", found.violation);
    let written = std::fs::create_dir_all(directory)
        .and_then(|()| find::write(&trace, &found.recording, &note))
        .and_then(|()| std::fs::write(&scenario, serde_json::to_vec(&found.scenario)?));
    match written {
        Ok(()) => eprintln!("leasebeat: wrote {} and {}", trace.display(), scenario.display()),
        Err(error) => eprintln!("leasebeat: {}: {error}", directory.display()),
    }
}

fn read(path: &Path) -> Result<Progress, String> {
    match std::fs::read(path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| format!("{}: {error}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Progress::default()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Whole or not at all.
fn keep(path: &Path, progress: &Progress) -> io::Result<()> {
    let beside = path.with_extension("part");
    std::fs::write(&beside, serde_json::to_vec(progress)?)?;
    std::fs::rename(&beside, path)
}
