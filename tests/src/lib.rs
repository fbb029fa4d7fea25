//! What checks leasebeat from outside: the vectors, and naive references of the rules in `docs/RULES.md` to be
//! compared with the kernel, decision by decision and answer by answer.

// What is generated or read wrongly shall fail a test loudly.
#![allow(clippy::missing_panics_doc)]

pub mod answer;
pub mod both;
pub mod events;
pub mod fleet;
pub mod generate;
pub mod node;
pub mod protocol;
pub mod reference;
pub mod vectors;

/// The guide's code runs as it stands there.
#[cfg(doctest)]
#[doc = include_str!("../../docs/FLEET.md")]
pub struct FleetGuide;
