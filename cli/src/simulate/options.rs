//! What the simulation can be asked for.

use std::path::PathBuf;

use leasebeat::Millis;
use leasebeat_lab::compare::Setup;
use leasebeat_lab::scenario::{FaultProfile, PolicyKind};
use leasebeat_lab::strategy::StrategyKind;

use crate::units;

/// The world, the strategies, and what to look for.
#[derive(Debug, clap::Args)]
#[allow(clippy::struct_excessive_bools)] // each is an option
pub(crate) struct Args {
    /// Compare the strategies: a table, and a picture. This is what is done where nothing else is asked for
    #[arg(long, group = "what")]
    pub(super) compare: bool,
    /// Find the least that makes each strategy lapse
    #[arg(long, group = "what")]
    pub(super) find_lapse: bool,
    /// Check every invariant at every event, over all policies and faults
    #[arg(long, group = "what")]
    pub(super) check: bool,

    /// Where all chance comes from
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(super) seed: u64,
    /// Lease-hours to simulate: of each strategy, or checked in all [default: 10000, with --check 20000]
    #[arg(long, value_name = "HOURS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub(super) hours: Option<u64>,
    /// The server's policy
    #[arg(long, value_name = "NAME", value_parser = policy, default_value = "max-lead", conflicts_with = "check")]
    pub(super) policy: PolicyKind,
    /// What goes wrong
    #[arg(long, value_name = "NAME", value_parser = faults, default_value = "outages", conflicts_with = "check")]
    pub(super) faults: FaultProfile,
    /// A strategy to compare; may be given several times [default: all]
    #[arg(long, value_name = "NAME", value_parser = strategy, conflicts_with = "check")]
    pub(super) strategy: Vec<StrategyKind>,
    /// TTL of each lease, and length of each extension
    #[arg(long, value_name = "DURATION", value_parser = units::ttl, default_value = "60s", conflicts_with = "check")]
    pub(super) ttl: Millis,
    /// Request timeout, for leasebeat and for those that have none of their own
    #[arg(long, value_name = "DURATION", value_parser = units::timeout, default_value = "10s", conflicts_with = "check")]
    pub(super) timeout: Millis,
    /// Threads to run on [default: one for each core]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,

    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
    /// With --compare: where to draw the picture
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "find_lapse"])]
    pub(super) svg: Option<PathBuf>,
    /// With --find-lapse: write leasebeat's longest outage survived and its shortest not survived into this directory, as
    /// traces. With --check: the trace of a violation [default: .]
    #[arg(long, value_name = "DIRECTORY")]
    pub(super) traces: Option<PathBuf>,
    /// With --check: each lease lives in a fleet that brings its beats forward (FL3, FL4)
    #[arg(long, requires = "check")]
    pub(super) in_fleet: bool,
    /// With --check: go on from where this file says, and keep it up to date
    #[arg(long, value_name = "FILE", requires = "check")]
    pub(super) resume: Option<PathBuf>,
}

impl Args {
    /// What clap cannot check: the TTL of a reservation is at least a second (A2), and a comparison has no traces.
    pub(super) fn checked(&self) -> Result<(), String> {
        if self.traces.is_some() && !self.check && !self.find_lapse {
            return Err("--traces is for --find-lapse and --check".to_owned());
        }
        if self.ttl < Millis::new(1_000) {
            return Err(format!("--ttl is {}; it must be from 1s to 24h", self.ttl));
        }
        Ok(())
    }

    pub(super) fn setup(&self) -> Setup {
        let all = || StrategyKind::ALL.to_vec();
        Setup {
            seed: self.seed,
            ttl_ms: self.ttl.get(),
            request_timeout_ms: self.timeout.get(),
            policy: self.policy,
            faults: self.faults,
            hours: self.hours.unwrap_or(10_000),
            strategies: if self.strategy.is_empty() { all() } else { self.strategy.clone() },
        }
    }

    pub(super) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.map_or_else(cores, usize::from)
    }
}

fn policy(text: &str) -> Result<PolicyKind, String> {
    named(text, &PolicyKind::ALL, PolicyKind::name)
}

fn faults(text: &str) -> Result<FaultProfile, String> {
    named(text, &FaultProfile::ALL, FaultProfile::name)
}

fn strategy(text: &str) -> Result<StrategyKind, String> {
    named(text, &StrategyKind::ALL, StrategyKind::name)
}

fn named<T: Copy>(text: &str, all: &[T], name: fn(T) -> &'static str) -> Result<T, String> {
    all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| {
        let names: Vec<_> = all.iter().map(|one| name(*one)).collect();
        format!("expected one of {}", names.join(", "))
    })
}
