//! `leasebeat`: plan, watch and replay how a server-granted lease is kept alive.

mod clock;
mod decode;
mod demo;
mod exit;
mod input;
mod plan;
mod replay;
mod serve;
mod signal;
mod simulate;
mod timeline;
mod units;
mod words;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Decides when to extend a server-granted lease, and shows why.
#[derive(Debug, Parser)]
#[command(name = "leasebeat", version, about, after_help = exit::HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what raw HTTP answers prove, and what is wrong with those that prove nothing
    Decode(decode::Args),
    /// Keep a real lease alive through real faults, on this machine or on a server of yours
    Demo(demo::Args),
    /// Work out the cadence, or the dead zone, of a TTL and a request timeout
    Plan(plan::Args),
    /// Decide a recorded trace again
    Replay(replay::Args),
    /// A server to test an SDK against: the protocol's rules behind real HTTP, with faults on demand
    Serve(serve::Args),
    /// Keep leases alive through a simulated world: strategies compared, lapses looked for, invariants checked
    Simulate(simulate::Args),
}

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(Cli { command: Command::Decode(args) }) => decode::run(&args),
        Ok(Cli { command: Command::Demo(args) }) => demo::run(&args),
        Ok(Cli { command: Command::Plan(args) }) => plan::run(&args),
        Ok(Cli { command: Command::Replay(args) }) => replay::run(&args),
        Ok(Cli { command: Command::Serve(args) }) => serve::run(args),
        Ok(Cli { command: Command::Simulate(args) }) => simulate::run(&args),
        Err(error) => exit::usage(&error),
    }
}
