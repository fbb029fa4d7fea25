//! The lab: a server, a network, clocks and kernels in virtual time, and the invariants that every event of every run
//! is held to. `docs/INVARIANTS.md` states them.

pub mod campaign;
pub mod compare;
pub mod explore;
mod in_fleet;
pub mod invariants;
mod kernel;
pub mod record;
pub mod scenario;
pub mod search;
pub mod shrink;
pub mod strategy;
pub mod world;

pub use in_fleet::InFleet;
pub use kernel::Kernel;
