//! `cargo xtask JOB`: what the project does with itself. `cargo xtask test` is what every change must pass, and it
//! sets up what it needs; `cargo xtask soak` holds the long campaigns.

mod bare_metal;
mod budgets;
mod fuzz;
mod mutants;
mod npm;
mod npm_names;
mod playground;
mod run;
mod setup;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Anything that goes wrong, in words.
type Outcome<T = ()> = Result<T, String>;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "What the project does with itself")]
struct Cli {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand)]
enum Job {
    /// Install the tools that the tests need
    Setup,
    /// Everything that a change must pass: format, lints, docs, budgets, MSRV, and the tests
    Test,
    /// Measure what the budgets gate, and compare
    Budgets,
    /// Build the npm package, wasm/npm
    Npm,
    /// Build the playground, a static page, into playground/dist
    Playground,
    /// Time the kernel against the clock (criterion), and measure the budgets
    Bench,
    /// The long campaigns, bounded and resumable
    Soak {
        #[command(subcommand)]
        campaign: Campaign,
    },
}

#[derive(Subcommand)]
enum Campaign {
    /// Mutate the kernel's code: every viable mutant must be caught by a test
    Mutants,
    /// Load `leasebeat serve` with 10,000 live reservations and 2,000 requests a second for a minute
    ServeLoad,
    /// Fuzz the decoding of answers against the naive reading of the rules; goes on where the last campaign ended
    FuzzDecode {
        /// How many executions
        #[arg(long, default_value_t = 20_000_000)]
        runs: u64,
    },
}

/// Both as they are shipped: the server is what is measured, and the load must not be what is slow.
fn serve_load() -> Outcome {
    let build = ["build", "--release", "--locked", "--package", "leasebeat-cli"];
    run::cargo(&[&build[..], &["--bin", "leasebeat", "--example", "serve_load"]].concat())?;
    run::run(run::command("target/release/examples/serve_load", &[]))
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().job {
        Job::Setup => setup::all(),
        Job::Test => test::all(),
        Job::Budgets => setup::for_budgets().and_then(|()| budgets::check()),
        Job::Npm => setup::npm().and_then(|()| npm::build()),
        Job::Playground => playground::build(),
        Job::Bench => {
            let timed =
                run::cargo(&["bench", "--locked", "--package", "leasebeat-benches", "--bench", "handle"]);
            timed.and_then(|()| setup::for_budgets()).and_then(|()| budgets::check())
        }
        Job::Soak { campaign: Campaign::FuzzDecode { runs } } => {
            setup::fuzz().and_then(|()| fuzz::decode(runs))
        }
        Job::Soak { campaign: Campaign::Mutants } => setup::mutants().and_then(|()| mutants::campaign()),
        Job::Soak { campaign: Campaign::ServeLoad } => serve_load(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("xtask: {what}");
            ExitCode::FAILURE
        }
    }
}
