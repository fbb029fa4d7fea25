#![doc = include_str!("../README.md")]
#![no_std]
// Tests may compute and unwrap; the library itself is linted without them as well.
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::unwrap_used))]

#[cfg(test)]
extern crate std;

mod amount;
mod authority;
mod budget;
mod create;
mod extend;
mod policy;
mod record;
mod refusal;
mod request;
mod settle;
mod table;
mod time;

pub use amount::{Amount, Overage, Unit};
pub use authority::Authority;
pub use budget::{Budget, BudgetState};
pub use policy::{
    EXTEND_BY_MS, GRACE_DEFAULT_MS, GRACE_MS, Policy, PolicyError, RateLimit, Settings, TTL_MS,
};
pub use record::{KeyRecord, Reservation, Status, Tenant};
pub use refusal::{Denial, Refusal};
pub use request::{
    Answered, Call, Clamp, Committed, Create, CreateAnswer, Created, Digest, Event, Extended, ReservationId,
    TenantId,
};
pub use table::Slots;
pub use time::ServerTime;
