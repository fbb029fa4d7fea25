#![doc = include_str!("../README.md")]
#![no_std]
// Tests may compute and unwrap; the library itself is linted without them as well.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

#[macro_use]
mod names;
#[macro_use]
mod words;

mod budget;
mod config;
mod decision;
mod event;
mod explain;
#[cfg(feature = "fleet")]
pub mod fleet;
mod heartbeat;
mod lead;
mod ledger;
mod recovery;
mod response;
mod snapshot;
mod state;
mod ticks;
mod time;
mod view;
#[cfg(feature = "wire")]
pub mod wire;

pub use budget::Plan;
pub use config::{Config, ConfigError, ConfigField, Fallback, Settings};
pub use decision::{Action, Attempt, AttemptId, Decision, Key, Misuse, Operation, Rule, StopReason};
pub use event::{ErrorCode, Event, Failure, HttpFailure, Outcome, Success};
pub use explain::{Explanation, Numbers, Remedy};
pub use response::{Disposition, classify, parse_retry_after};
pub use snapshot::{Snapshot, SnapshotState};
pub use state::{Heartbeat, Stats};
pub use ticks::TickWidener;
pub use time::{Instant, Millis};
