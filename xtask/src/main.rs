//! `cargo xtask JOB`: what the project does with itself. `cargo xtask test` is what every change must pass, and it
//! sets up what it needs; `cargo xtask soak` holds the long campaigns.

mod abi;
mod bare_metal;
mod bench;
mod budgets;
mod c_budgets;
mod consumer;
mod explore;
mod firmware;
mod fleet;
mod fuzz;
mod gateway;
mod r#gen;
mod history;
mod java;
mod lab;
mod library;
mod mutants;
mod npm;
mod npm_names;
mod playground;
mod python;
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
    /// Run the firmware under QEMU, link the kernel for other bare targets, and replay as big-endian
    Firmware,
    /// Write the generated files: the C header, and the list of what its ABI is
    Gen {
        /// Write nothing, and fail where a file is not what would be written
        #[arg(long)]
        check: bool,
    },
    /// The C ABI as its users meet it: compilers, sanitizers, valgrind, doxygen, packages, examples
    C,
    /// Build the C libraries, and install them with their headers
    Install {
        /// Where: gets include, lib, lib/pkgconfig and lib/cmake
        #[arg(long)]
        prefix: std::path::PathBuf,
        /// With the functions and headers of a fleet: many leases on one timer
        #[arg(long)]
        fleet: bool,
    },
    /// Measure what the budgets gate, and compare
    Budgets {
        /// Append every figure that changed to benches/history.tsv
        #[arg(long)]
        record: bool,
        /// Only show how the figures and their gates went
        #[arg(long, conflicts_with = "record")]
        history: bool,
    },
    /// Count what a fleet costs and what its queue could be instead, into docs/FLEET.md
    Fleet {
        /// Only hold what a fleet of a million costs to its budgets
        #[arg(long)]
        check: bool,
    },
    /// Build, test and install the Java package, bindings/java
    Java {
        /// Only measure what its calls and its driver cost
        #[arg(long)]
        bench: bool,
    },
    /// Build the npm package, wasm/npm
    Npm,
    /// Build, check and test the Python package, bindings/python
    Python {
        /// Only measure what its calls and its driver cost
        #[arg(long)]
        bench: bool,
    },
    /// Build the playground, a static page, into playground/dist
    Playground,
    /// Measure what docs/PERFORMANCE.md says, and write it
    Bench {
        /// Only these sections; the others keep their figures
        sections: Vec<String>,
        /// Measure nothing: write the page, its plots and the marked figures from the results
        #[arg(long, conflicts_with = "sections")]
        render: bool,
        /// Measure and write nothing, and fail where a file is not what would be written
        #[arg(long, conflicts_with_all = ["sections", "render"])]
        check: bool,
    },
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
    /// Keep 100,000 leases over HTTP with the gateway and with the official client, and write what it took into the guide
    Gateway,
    /// Run the lab's worlds with every invariant checked at every event; goes on where the last campaign ended
    Lab {
        /// How many lease-hours in all
        #[arg(long, default_value_t = 10_000_000)]
        hours: u64,
    },
    /// Fuzz the decoding of answers against the naive reading of the rules; goes on where the last campaign ended
    FuzzDecode {
        /// How many executions
        #[arg(long, default_value_t = 20_000_000)]
        runs: u64,
    },
    /// Fuzz every function of the C ABI with raw bytes; goes on where the last campaign ended
    FuzzFfi {
        /// How many executions
        #[arg(long, default_value_t = 50_000_000)]
        runs: u64,
    },
    /// Fuzz a fleet of the C ABI against single heartbeats; goes on where the last campaign ended
    FuzzFleet {
        /// How many executions
        #[arg(long, default_value_t = 20_000_000)]
        runs: u64,
    },
    /// Fuzz event sequences against the naive reference and the invariants; goes on where the last campaign ended
    FuzzEvents {
        /// How many executions
        #[arg(long, default_value_t = 10_000_000)]
        runs: u64,
    },
    /// Visit every state of small worlds with the real kernel and the real authority
    Explore {
        /// How many faults a path may have
        #[arg(long, default_value_t = 1)]
        faults: u8,
        /// How long a path may be, in half seconds of the world
        #[arg(long, default_value_t = 10)]
        until: u64,
        /// How many states of a world at most: each takes about 20 bytes
        #[arg(long, default_value_t = 60_000_000)]
        states: u64,
    },
}

/// Both as they are shipped: the server is what is measured, and the load must not be what is slow.
fn serve_load() -> Outcome {
    let build = ["build", "--release", "--locked", "--package", "leasebeat-cli"];
    run::cargo(&[&build[..], &["--bin", "leasebeat", "--example", "serve_load"]].concat())?;
    run::run(run::command("target/release/examples/serve_load", &[]))
}

/// Everything that `benches/budgets.toml` gates but the stack, which the firmware measures.
fn all_budgets(record: bool) -> Outcome {
    setup::for_budgets()?;
    setup::c()?;
    // Before anything runs: what is measured is what is there now.
    let commit = bench::machine::commit()?;
    let mut held = budgets::measure()?;
    library::build()?;
    held.extend(c_budgets::measure()?);
    held.extend(fleet::measure()?);
    if record {
        let figures: Vec<_> = held.iter().map(|held| (held.name.clone(), held.measured, held.gate)).collect();
        history::record(&commit, &figures)?;
    }
    budgets::verdict(&held)
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().job {
        Job::Setup => setup::all(),
        Job::Test => test::all(),
        Job::Gen { check } => r#gen::run(check)
            .and_then(|()| library::build())
            .and_then(|()| abi::check(!check))
            .and_then(|()| library::build_kind(library::Kind::Fleet).and_then(|()| abi::check_fleet(!check))),
        Job::Firmware => firmware::all(),
        Job::C => consumer::all(),
        Job::Install { prefix, fleet } => {
            library::install(&prefix, if fleet { library::Kind::Fleet } else { library::Kind::Shipped })
        }
        Job::Budgets { history: true, .. } => history::show(),
        Job::Budgets { record, .. } => all_budgets(record),
        Job::Fleet { check } => {
            setup::for_budgets().and_then(|()| if check { fleet::check() } else { fleet::document() })
        }
        Job::Java { bench: false } => java::all(),
        Job::Java { bench: true } => java::bench(),
        Job::Npm => setup::npm().and_then(|()| npm::build()),
        Job::Python { bench: false } => python::all(),
        Job::Python { bench: true } => python::bench(),
        Job::Playground => playground::build(),
        Job::Bench { check: true, .. } => bench::check(),
        Job::Bench { render: true, .. } => bench::render(),
        Job::Bench { sections, .. } => setup::for_budgets()
            .and_then(|()| bench::run(&sections))
            .and_then(|()| if sections.is_empty() { fleet::document() } else { Ok(()) }),
        Job::Soak { campaign: Campaign::FuzzDecode { runs } } => {
            setup::fuzz().and_then(|()| fuzz::decode(runs))
        }
        Job::Soak { campaign: Campaign::FuzzFfi { runs } } => setup::fuzz().and_then(|()| fuzz::ffi(runs)),
        Job::Soak { campaign: Campaign::FuzzFleet { runs } } => {
            setup::fuzz().and_then(|()| fuzz::fleet(runs))
        }
        Job::Soak { campaign: Campaign::FuzzEvents { runs } } => {
            setup::fuzz().and_then(|()| fuzz::events(runs))
        }
        Job::Soak { campaign: Campaign::Explore { faults, until, states } } => {
            explore::campaign(faults, until, states)
        }
        Job::Soak { campaign: Campaign::Lab { hours } } => lab::check(hours),
        Job::Soak { campaign: Campaign::Gateway } => gateway::campaign(),
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
