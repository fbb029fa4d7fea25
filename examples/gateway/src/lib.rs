//! A gateway that keeps many leases alive over HTTP with one timer, as an example to copy from: `docs/GATEWAY.md`.
//!
//! One task owns all leases ([`owner`]). A pool of connections ([`connection`]) takes the attempts that it sends from one
//! queue, and answers on another ([`job`]).

// Figures that people read need no more digits than a float has.
#![allow(clippy::cast_precision_loss)]

pub mod clock;
pub mod connection;
pub mod figures;
pub mod job;
pub mod live;
pub mod memory;
pub mod options;
pub mod owner;
pub mod ramp;
pub mod request;
pub mod server;
pub mod took;
pub mod usage;
