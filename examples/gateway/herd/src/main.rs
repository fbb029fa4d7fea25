//! Keeps many leases in each of several ways, in the same run, and says what each takes: a JSON object a line.
//!
//! What is compared is the keeping: timers, tasks, state. The server is in the process, and answers at once or after a round
//! trip. Each way runs in a process of its own, so that none inherits the other's memory.

// Figures that people read need no more digits than a float has.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod keeper;
mod measure;
mod wire;

use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use clap::Parser;

use keeper::Way;
use measure::Measured;

/// Keeps many leases in several ways, and says what each takes
#[derive(Debug, Clone, Parser)]
#[command(name = "leasebeat-herd", version)]
struct Args {
    /// How many leases
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    leases: u32,
    /// Time between two beats of a lease
    #[arg(long, default_value = "2s", value_parser = humantime::parse_duration)]
    period: Duration,
    /// Beats of each lease that are measured, after one that is not
    #[arg(long, default_value_t = 4)]
    beats: u32,
    /// How long the server takes to answer; 0: it answers in the call
    #[arg(long, default_value = "0s", value_parser = humantime::parse_duration)]
    rtt: Duration,
    /// Threads of the runtime; 0: one runtime on the thread it is started on
    #[arg(long, default_value_t = 0)]
    workers: usize,
    /// Only this way, in this process
    #[arg(long)]
    way: Option<Way>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.way {
        Some(way) => measure::run(&args, way).map(|measured| println!("{}", measured.line())),
        None => compare(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("leasebeat-herd: {what}");
            ExitCode::FAILURE
        }
    }
}

fn compare(args: &Args) -> Result<(), String> {
    let mut fleet = None;
    for way in Way::ALL {
        let measured = in_process(args, way)?;
        println!("{}", measured.line());
        if way == Way::Fleet {
            fleet = Some(measured);
        } else if let Some(fleet) = &fleet {
            eprintln!(
                "{way} takes {:.1} times the memory and {:.1} times the processor of a fleet",
                measured.bytes_per_lease / fleet.bytes_per_lease,
                measured.cpu_ns_per_beat / fleet.cpu_ns_per_beat
            );
        }
    }
    Ok(())
}

/// Runs one way in a process of its own.
fn in_process(args: &Args, way: Way) -> Result<Measured, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(this)
        .args(["--leases", &args.leases.to_string(), "--beats", &args.beats.to_string()])
        .args(["--period", &humantime::format_duration(args.period).to_string()])
        .args(["--workers", &args.workers.to_string()])
        .args(["--rtt", &humantime::format_duration(args.rtt).to_string()])
        .args(["--way", &way.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{way}: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{way}: {error}"))
}
