//! `leasebeat replay`: decides a recorded trace again, says why, and draws it.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use leasebeat::{Heartbeat, Instant};
use leasebeat_trace::{Replay, ReplayError, Step, write_decision, write_invalid_config};

use crate::input::{self, Problem, ended};
use crate::timeline::Timeline;
use crate::{exit, words};

/// What `replay` is asked to do.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The trace; - is standard input
    file: PathBuf,
    /// Print what happened and why each decision was made, instead of the decisions as JSON
    #[arg(long)]
    explain: bool,
    /// Also draw it: the lead over time, beats, failures, danger and fence
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Prints one decision a line, until the trace ends or breaks.
pub(crate) fn run(args: &Args) -> ExitCode {
    let input = match input::open(&args.file) {
        Ok(input) => input,
        Err(code) => return code,
    };
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    if args.svg.as_ref().is_some_and(|svg| same_file(svg, &args.file)) {
        return exit::bad_input("--svg would overwrite the trace");
    }
    let mut timeline = args.svg.as_ref().map(|_| Timeline::new());
    let replayed = replay(input, args.explain, timeline.as_mut(), &mut out);
    let flushed = out.flush().map_err(Problem::Output);
    let drawn = match (&args.svg, &timeline) {
        (Some(path), Some(timeline)) if !timeline.is_empty() => draw(timeline, path),
        _ => Ok(()),
    };
    ended(replayed.and(flushed).and(drawn), &args.file)
}

fn replay(
    input: impl Read,
    explain: bool,
    mut timeline: Option<&mut Timeline>,
    out: &mut impl Write,
) -> Result<(), Problem<ReplayError>> {
    let mut replay = Replay::new(BufReader::with_capacity(1 << 16, input)).or_else(|error| {
        if let (ReplayError::Config { what, .. }, false) = (&error, explain) {
            write_invalid_config(out, what).map_err(Problem::Output)?;
        }
        Err(Problem::Input(error))
    })?;
    while let Some(step) = replay.next_step().map_err(Problem::Input)? {
        let written = if explain {
            write_explained(out, &step, replay.heartbeat())
        } else {
            write_decision(out, &step.decision)
        };
        written.map_err(Problem::Output)?;
        if let Some(timeline) = &mut timeline {
            timeline.record(step.at, &step.event, &step.decision, replay.heartbeat());
        }
    }
    Ok(())
}

/// Two lines: what happened, and what was decided by which numbers.
fn write_explained(out: &mut impl Write, step: &Step, after: &Heartbeat) -> io::Result<()> {
    writeln!(out, "{} s  line {}: {}", seconds(step.at), step.line, words::event(&step.event))?;
    match &step.decision {
        Ok(decision) => writeln!(out, "    {}: {}", decision.action, after.explain(decision)),
        Err(misuse) => writeln!(out, "    {misuse}: the event cannot happen now and changes nothing (L2)"),
    }
}

fn seconds(at: Instant) -> String {
    let millis = at.as_nanos() / 1_000_000;
    format!("{:>10}.{:03}", millis / 1_000, millis % 1_000)
}

fn same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn draw(timeline: &Timeline, path: &Path) -> Result<(), Problem<ReplayError>> {
    timeline.write_svg(path).map_err(|error| {
        Problem::Output(io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    })
}
