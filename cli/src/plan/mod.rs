//! `leasebeat plan`: what a TTL, a request timeout and a round trip come to, before anything is sent.

mod forecast;
mod report;

use std::io::Write;
use std::process::ExitCode;

use leasebeat::Millis;

use crate::exit;
use crate::input::written;
use crate::units;
use forecast::{Forecast, Question};

/// What to plan for.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// TTL of the lease, and length of each extension: 1ms to 24h
    #[arg(long, value_parser = units::ttl, value_name = "DURATION")]
    ttl: Millis,
    /// Bound enforced on one whole attempt, the detection of its failure included; unknown if left out
    #[arg(long, value_parser = units::timeout, value_name = "DURATION")]
    timeout: Option<Millis>,
    /// Slowest round trip to expect
    #[arg(long, value_parser = units::consumed, value_name = "DURATION", default_value = "0s")]
    rtt: Millis,
    /// How many extensions the server grants
    #[arg(long, value_name = "NUMBER")]
    max_extensions: Option<u64>,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

/// Prints the plan. A dead zone is an answer too: exit code 0.
pub(crate) fn run(args: &Args) -> ExitCode {
    let question =
        Question { ttl: args.ttl, timeout: args.timeout, rtt: args.rtt, max_extensions: args.max_extensions };
    let forecast = match Forecast::new(&question) {
        Ok(forecast) => forecast,
        Err(error) => return exit::bad_input(error),
    };
    let text = if args.json { report::json(&forecast) } else { report::table(&forecast) };
    written(writeln!(std::io::stdout(), "{text}"))
}
