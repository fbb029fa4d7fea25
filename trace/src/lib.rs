//! The trace format `leasebeat/1`: how a host's log is written, replayed, and held to the same decisions in
//! every language. `docs/RULES.md` fixes the format.
//!
//! A trace is JSON Lines: a header with the configuration, then one event a line. [`Replay`] reads it as a
//! stream, in constant memory, and decides each event; [`write_header`], [`write_event`] and
//! [`write_decision`] write what it reads and what it prints.
//!
//! ```
//! use leasebeat_trace::{Replay, write_decision};
//!
//! let trace = br#"{"trace":"leasebeat/1","config":{"extend_by_ms":60000,"request_timeout_ms":10000}}
//! {"at":0,"in":"created","rtt_ns":0,"remaining_ttl_ms":60000,"expires_at_ms":1785585660000}
//! "#;
//! let mut replay = Replay::new(&trace[..])?;
//! let mut out = Vec::new();
//! while let Some(step) = replay.next_step()? {
//!     write_decision(&mut out, &step.decision)?;
//! }
//! assert_eq!(out, b"{\"do\":\"wait\",\"ms\":39000}\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Answers`] reads raw HTTP answers the same way, and [`write_decoded`] writes what they say (rules W1–W6).

mod answer;
mod field;
mod header;
mod line;
mod lines;
mod object;
mod replay;
mod write;

pub use answer::{Answer, Answers, write_decoded};
pub use lines::LineError;
pub use replay::{Replay, ReplayError, Step};
pub use write::{write_decision, write_event, write_header, write_invalid_config};

/// The name and version of the format, as the header carries it.
pub const FORMAT: &str = "leasebeat/1";
