//! The ways in which many leases can be kept.

mod delays;
mod fleet;
mod task;

use std::any::Any;
use std::fmt;

use clap::ValueEnum;
use leasebeat::{Config, Outcome, Settings};

use crate::Args;
use crate::wire::{RESERVE_MS, Wire, success};

/// One of the ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Way {
    /// All in one fleet of kernels, with one timer; what is due within 5 ms leaves together, as in the gateway
    Fleet,
    /// The same, but each beat leaves in its own millisecond
    FleetByMs,
    /// A kernel each, in one `tokio_util::time::DelayQueue`
    DelayQueue,
    /// A task and a timer each, with the official client's loop, but keys that cost nothing
    LeanTask,
    /// A task and a timer each, as the official client does it
    TaskPerLease,
}

impl Way {
    pub(crate) const ALL: [Self; 5] =
        [Self::Fleet, Self::FleetByMs, Self::DelayQueue, Self::LeanTask, Self::TaskPerLease];
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fleet => "fleet",
            Self::FleetByMs => "fleet-by-ms",
            Self::DelayQueue => "delay-queue",
            Self::LeanTask => "lean-task",
            Self::TaskPerLease => "task-per-lease",
        })
    }
}

/// Begins to keep the leases. They are kept for as long as the runtime and what is returned.
pub(crate) fn start(way: Way, args: &Args, wire: &Wire) -> Box<dyn Any> {
    match way {
        Way::Fleet => Box::new(fleet::start(args, wire.clone(), 5_000_000)),
        Way::FleetByMs => Box::new(fleet::start(args, wire.clone(), 1_000_000)),
        Way::DelayQueue => Box::new(delays::start(args, wire.clone())),
        Way::LeanTask => Box::new(task::start(args, wire, task::Kind::Lean)),
        Way::TaskPerLease => Box::new(task::start(args, wire, task::Kind::Official)),
    }
}

/// What every kernel is told.
fn config(args: &Args) -> Config {
    let ttl_ms = RESERVE_MS + args.period.as_millis() as u64;
    Config::new(Settings { request_timeout_ms: Some(1_000), ..Settings::new(ttl_ms) })
        .expect("the values are in range")
}

/// The server's name for a lease.
fn reservation(number: u32) -> String {
    format!("rsv_{number:032x}")
}

/// What is left of a new lease: the first beats are spread over one period.
fn first_remaining_ms(args: &Args, number: u32) -> u64 {
    let period_ms = args.period.as_millis() as u64;
    RESERVE_MS + 1 + period_ms * u64::from(number) / u64::from(args.leases)
}

/// The create of it, adopted.
fn created(args: &Args, number: u32) -> Outcome {
    Outcome::Created(leasebeat::Success { rtt_ns: Some(0), ..success(first_remaining_ms(args, number)) })
}
