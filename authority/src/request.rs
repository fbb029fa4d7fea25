//! What a host asks for, already read from the wire, and what it is answered.

use leasebeat::Millis;

use crate::amount::{Amount, Overage};
use crate::refusal::Denial;
use crate::time::ServerTime;

/// A digest of 128 bits that no two texts share in practice, such as the first half of a SHA-256.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub u128);

/// The name of a reservation: 128 random bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReservationId(pub u128);

/// A tenant: its place among the tenants the authority was given. One that is out of bounds is answered as if
/// nothing of its were there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TenantId(pub u16);

/// Whose request it is, and which (A15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    /// The effective tenant, from the API key.
    pub tenant: TenantId,
    /// Of the idempotency key.
    pub key: Digest,
    /// Of the payload in a canonical form: what a later request with the key is compared with (A16).
    pub payload: Digest,
}

/// A create (A2–A5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Create {
    /// The name it gets, if it is a new one and no dry run.
    pub id: ReservationId,
    /// In ms: 1,000 to 86,400,000; the tenant's default where absent.
    pub ttl_ms: Option<u64>,
    /// In ms: 0 to 60,000; 5,000 where absent.
    pub grace_ms: Option<u64>,
    /// What is to be held.
    pub estimate: Amount,
    /// What a commit of more does.
    pub overage: Overage,
    /// Evaluate only (A4).
    pub dry_run: bool,
    /// Whether the subject names the tenant, whose budget is the only one here (A5).
    pub in_budget: bool,
}

/// An event: spending without a reservation (A22).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The name it gets, if it is a new one.
    pub id: u128,
    /// What was spent.
    pub actual: Amount,
    /// What to do where less is there.
    pub overage: Overage,
    /// Whether the subject names the tenant (A5).
    pub in_budget: bool,
}

/// An answer, and whether it is a replay (A15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered<A> {
    /// What is answered.
    pub answer: A,
    /// It was answered before, and nothing was applied now.
    pub replayed: bool,
}

/// What a create is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CreateAnswer {
    /// It is reserved.
    Created(Created),
    /// A dry run would be granted, or denied for this (A4).
    Evaluated(Result<(), Denial>),
}

/// A new reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Created {
    /// Its name.
    pub id: ReservationId,
    /// What it holds.
    pub reserved: Amount,
    /// Until when it can be extended.
    pub expires_at: ServerTime,
    /// What remains until then; absent on an older server (A17, A20).
    pub remaining_ttl: Option<Millis>,
}

/// An extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extended {
    /// The expiry from now on.
    pub expires_at: ServerTime,
    /// What remains until then; absent on an older server (A17, A20).
    pub remaining_ttl: Option<Millis>,
    /// What came of the request's wish.
    pub clamp: Clamp,
}

/// Which policy decided how far an extension went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Clamp {
    /// None: what was asked for was added.
    None,
    /// The grant clamp (A9).
    Grant,
    /// The maximum lead (A10): less was added, or nothing.
    Lead,
    /// The maximum lead moved the expiry back (A10).
    Shortened,
}

/// A commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// What was charged.
    pub charged: Amount,
    /// What was held and not needed.
    pub released: Amount,
}
