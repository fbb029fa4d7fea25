//! What the authority remembers: reservations, tenants, and what was answered to which key.

use leasebeat::Millis;

use crate::amount::{Amount, Overage};
use crate::budget::Budget;
use crate::policy::Policy;
use crate::refusal::Denial;
use crate::request::{Call, Clamp, Committed, Digest, ReservationId, TenantId};
use crate::table::Keyed;
use crate::time::ServerTime;

/// Where a reservation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It holds its amount.
    Active,
    /// It was committed: finalized.
    Committed,
    /// It was released: finalized.
    Released,
    /// Its grace period passed, and what it held was given back.
    Expired,
}

impl Status {
    /// The status as the protocol spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Committed => "COMMITTED",
            Self::Released => "RELEASED",
            Self::Expired => "EXPIRED",
        }
    }
}

/// A reservation, with what the host keeps beside it.
#[derive(Debug, Clone)]
pub struct Reservation<D> {
    pub(crate) id: ReservationId,
    pub(crate) tenant: TenantId,
    pub(crate) status: Status,
    pub(crate) reserved: Amount,
    pub(crate) charged: Option<Amount>,
    pub(crate) overage: Overage,
    pub(crate) created_at: ServerTime,
    pub(crate) expires_at: ServerTime,
    pub(crate) grace: Millis,
    /// When it left `Active`.
    pub(crate) ended_at: ServerTime,
    pub(crate) extensions: u32,
    /// What the host keeps: it goes when the reservation goes.
    pub data: D,
}

impl<D> Reservation<D> {
    /// Its name.
    #[must_use]
    pub const fn id(&self) -> ReservationId {
        self.id
    }

    /// Whose it is.
    #[must_use]
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }

    /// Where it stands.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// What it holds, or held.
    #[must_use]
    pub const fn reserved(&self) -> Amount {
        self.reserved
    }

    /// What its commit was charged.
    #[must_use]
    pub const fn charged(&self) -> Option<Amount> {
        self.charged
    }

    /// When it was created.
    #[must_use]
    pub const fn created_at(&self) -> ServerTime {
        self.created_at
    }

    /// Until when it can be extended.
    #[must_use]
    pub const fn expires_at(&self) -> ServerTime {
        self.expires_at
    }

    /// When it was committed or released.
    #[must_use]
    pub const fn finalized_at(&self) -> Option<ServerTime> {
        match self.status {
            Status::Committed | Status::Released => Some(self.ended_at),
            Status::Active | Status::Expired => None,
        }
    }

    /// How many extensions were applied.
    #[must_use]
    pub const fn extensions(&self) -> u32 {
        self.extensions
    }

    /// A11: until when a commit or a release is accepted.
    #[must_use]
    pub const fn grace_ends_at(&self) -> ServerTime {
        self.expires_at.plus(self.grace)
    }

    /// A13: an active one whose grace period has passed expires, and does not come back.
    pub(crate) fn lapse(&mut self, tenants: &mut [Tenant], now: ServerTime) {
        if self.status == Status::Active && now > self.grace_ends_at() {
            self.status = Status::Expired;
            self.ended_at = self.grace_ends_at();
            if let Some(budget) = budget_of(tenants, self.tenant) {
                budget.give_back(self.reserved.amount);
            }
        }
    }

    /// A23: whether it is still remembered.
    pub(crate) fn is_kept(&self, retention: Millis, now: ServerTime) -> bool {
        self.status == Status::Active || now <= self.ended_at.plus(retention)
    }
}

impl<D> Keyed for Reservation<D> {
    type Key = ReservationId;

    fn key(&self) -> ReservationId {
        self.id
    }

    fn hash(id: ReservationId) -> u64 {
        fold(id.0)
    }
}

/// A tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tenant {
    /// What is allowed.
    pub policy: Policy,
    /// What may be spent; `None`: without a limit.
    pub budget: Option<Budget>,
    /// Closed for good: nothing is created or changed any more (A18).
    pub closed: bool,
    pub(crate) window: Window,
}

impl Tenant {
    /// An open tenant.
    #[must_use]
    pub const fn new(policy: Policy, budget: Option<Budget>) -> Self {
        Self {
            policy,
            budget,
            closed: false,
            window: Window { ends_at: ServerTime::from_millis(0), left: 0 },
        }
    }
}

/// A21: the window that runs, and what it still lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) ends_at: ServerTime,
    pub(crate) left: u32,
}

pub(crate) fn budget_of(tenants: &mut [Tenant], tenant: TenantId) -> Option<&mut Budget> {
    tenants.get_mut(usize::from(tenant.0))?.budget.as_mut()
}

/// What keys are apart for (A15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    Create,
    Extend,
    Commit,
    Release,
    Event,
}

/// A key within its scope (A15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scope {
    tenant: TenantId,
    operation: Operation,
    key: Digest,
}

impl Scope {
    pub(crate) fn of(call: &Call, operation: Operation) -> Self {
        Self { tenant: call.tenant, operation, key: call.key }
    }
}

/// What was answered to a key.
#[derive(Debug, Clone, Copy)]
pub struct KeyRecord {
    pub(crate) scope: Scope,
    pub(crate) payload: Digest,
    pub(crate) answered_at: ServerTime,
    pub(crate) outcome: Outcome,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    Created { id: ReservationId, reserved: Amount, expires_at: ServerTime },
    Evaluated(Result<(), Denial>),
    Extended { id: ReservationId, expires_at: ServerTime, clamp: Clamp },
    Committed { id: ReservationId, committed: Committed },
    Released { id: ReservationId, released: Amount },
    Event { id: u128, charged: Amount },
}

impl Keyed for KeyRecord {
    type Key = Scope;

    fn key(&self) -> Scope {
        self.scope
    }

    fn hash(scope: Scope) -> u64 {
        // A key used for several operations would otherwise crowd one place.
        fold(scope.key.0).rotate_left(u32::from(scope.operation as u8).wrapping_mul(11))
            ^ u64::from(scope.tenant.0)
    }
}

#[allow(clippy::cast_possible_truncation)] // both halves are used
fn fold(bits: u128) -> u64 {
    (bits >> 64) as u64 ^ bits as u64
}
