//! What checks leasebeat from outside: the vectors, and a naive reference of the rules in `docs/RULES.md` to be
//! compared with the kernel decision by decision.

pub mod both;
pub mod reference;
pub mod vectors;
