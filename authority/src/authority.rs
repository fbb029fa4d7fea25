//! The authority: its storage, and what all requests share.

use core::fmt;

use leasebeat::Millis;

use crate::policy::Policy;
use crate::record::{KeyRecord, Operation, Outcome, Reservation, Scope, Status, Tenant, Window, budget_of};
use crate::refusal::{Denial, Refusal};
use crate::request::{Call, ReservationId, TenantId};
use crate::table::{Slots, Table};
use crate::time::ServerTime;

/// Slots that each request looks at for records to forget (A23): more than it can fill, so that a full table is
/// emptied sooner than it fills.
const SWEEP: usize = 8;

/// Every lease of a server, over storage that the caller gives: `T` holds the tenants, `R` the slots for
/// reservations, `K` those for idempotency keys. `D` is what the host keeps beside each reservation.
///
/// It reads no clock: every call carries `now` (A1). A call that is refused has changed nothing but for what time
/// alone changes.
#[derive(Clone)]
pub struct Authority<D, T, R, K> {
    pub(crate) tenants: T,
    pub(crate) reservations: Table<Reservation<D>, R>,
    pub(crate) keys: Table<KeyRecord, K>,
    pub(crate) retention: Millis,
}

impl<D, T, R, K> Authority<D, T, R, K>
where
    T: AsRef<[Tenant]> + AsMut<[Tenant]>,
    R: Slots<Reservation<D>>,
    K: Slots<KeyRecord>,
{
    /// An authority without reservations. What ended, and what was answered, is remembered for `retention` (A23).
    pub fn new(tenants: T, reservations: R, keys: K, retention: Millis) -> Self {
        Self { tenants, reservations: Table::new(reservations), keys: Table::new(keys), retention }
    }

    /// A21: lets a request of `tenant` through, or says when to come again. To be asked first, before a request is
    /// read: a replay and a bad request count as any other.
    ///
    /// # Errors
    /// [`Refusal::Throttled`].
    pub fn admit(&mut self, tenant: TenantId, now: ServerTime) -> Result<(), Refusal> {
        let Some(tenant) = self.tenants.as_mut().get_mut(usize::from(tenant.0)) else { return Ok(()) };
        let Some(limit) = tenant.policy.settings().rate_limit else { return Ok(()) };
        let length = Millis::new(limit.window_ms);
        // A window that ends later than one that begins now belongs to a clock that was set back since.
        if now >= tenant.window.ends_at || tenant.window.ends_at > now.plus(length) {
            tenant.window = Window { ends_at: now.plus(length), left: limit.requests };
        }
        match tenant.window.left.checked_sub(1) {
            Some(left) => {
                tenant.window.left = left;
                Ok(())
            }
            None => Err(Refusal::Throttled {
                retry_after_s: now.until(tenant.window.ends_at).get().div_ceil(1_000),
                reset_at: tenant.window.ends_at,
            }),
        }
    }

    /// A14: reads a reservation. A closed tenant can still read its own.
    ///
    /// # Errors
    /// Not there, another tenant's, or expired.
    pub fn get(
        &mut self,
        tenant: TenantId,
        id: ReservationId,
        now: ServerTime,
    ) -> Result<&Reservation<D>, Refusal> {
        self.owned(tenant, id, now)?;
        let reservation = self.reservations.get(id).ok_or(Refusal::NotFound)?;
        match reservation.status {
            Status::Expired => Err(Refusal::Expired { until: reservation.grace_ends_at() }),
            _ => Ok(reservation),
        }
    }

    /// The tenant, to be read or to be set anew: its policy, its budget, whether it is closed.
    pub fn tenant_mut(&mut self, tenant: TenantId) -> Option<&mut Tenant> {
        self.tenants.as_mut().get_mut(usize::from(tenant.0))
    }

    /// A reservation as it is remembered, without any rule applied to it: for a host that watches.
    pub fn peek(&self, id: ReservationId) -> Option<&Reservation<D>> {
        self.reservations.get(id)
    }

    /// What the host keeps beside a reservation.
    pub fn data_mut(&mut self, id: ReservationId) -> Option<&mut D> {
        self.reservations.get_mut(id).map(|reservation| &mut reservation.data)
    }

    /// How many reservations and how many keys are remembered.
    pub fn stored(&self) -> (usize, usize) {
        (self.reservations.len(), self.keys.len())
    }

    /// A23: forgets what is old, looking at up to `steps` slots of each kind. Every request does a little of it; a
    /// host does more of it where no requests come.
    pub fn sweep(&mut self, steps: usize, now: ServerTime) {
        let (retention, tenants) = (self.retention, self.tenants.as_mut());
        self.reservations.sweep(steps, |reservation| {
            reservation.lapse(tenants, now);
            reservation.is_kept(retention, now)
        });
        let reservations = &self.reservations;
        self.keys.sweep(steps, |record| is_kept(record, reservations, retention, now));
    }

    /// A little of the sweep.
    pub(crate) fn tidy(&mut self, now: ServerTime) {
        self.sweep(SWEEP, now);
    }

    /// A13: every reservation whose time is over gives back what it holds. Only where that decides something.
    pub(crate) fn lapse_all(&mut self, now: ServerTime) {
        let tenants = self.tenants.as_mut();
        for reservation in self.reservations.iter_mut() {
            reservation.lapse(tenants, now);
        }
    }

    /// A19: the reservation, if it is there and the tenant's own; up to date.
    pub(crate) fn owned(
        &mut self,
        tenant: TenantId,
        id: ReservationId,
        now: ServerTime,
    ) -> Result<&mut Reservation<D>, Refusal> {
        let reservation = self.reservations.get_mut(id).ok_or(Refusal::NotFound)?;
        reservation.lapse(self.tenants.as_mut(), now);
        if !reservation.is_kept(self.retention, now) {
            return Err(Refusal::NotFound);
        }
        if reservation.tenant == tenant { Ok(reservation) } else { Err(Refusal::Foreign) }
    }

    /// A15, A16: what was answered to this key before, if it is the same request.
    pub(crate) fn answered(
        &mut self,
        call: &Call,
        operation: Operation,
        now: ServerTime,
    ) -> Result<Option<Outcome>, Refusal> {
        let Some(record) = self.keys.get(Scope::of(call, operation)) else { return Ok(None) };
        if !is_kept(record, &self.reservations, self.retention, now) {
            // Old, but not swept yet: it must be out of the way of the new answer.
            let scope = record.scope;
            self.keys.discard(scope);
            return Ok(None);
        }
        if record.payload == call.payload { Ok(Some(record.outcome)) } else { Err(Refusal::Mismatch) }
    }

    /// A23: whether one more answer can be remembered: asked before anything is applied.
    pub(crate) fn key_room(&self) -> Result<(), Refusal> {
        if self.keys.has_room() { Ok(()) } else { Err(Refusal::Full { what: "idempotency keys" }) }
    }

    pub(crate) fn remember(&mut self, call: &Call, operation: Operation, now: ServerTime, outcome: Outcome) {
        let scope = Scope::of(call, operation);
        // There was room when this was asked for, and nothing was put in since.
        let _ = self.keys.insert(KeyRecord { scope, payload: call.payload, answered_at: now, outcome });
    }

    /// A17, A20: what remains of an answer's expiry now.
    pub(crate) fn remaining(
        &mut self,
        tenant: TenantId,
        id: ReservationId,
        answered: ServerTime,
        now: ServerTime,
    ) -> Option<Millis> {
        if !self.policy(tenant).settings().remaining_ttl {
            return None;
        }
        let remaining = match self.owned(tenant, id, now) {
            // The earlier one, where a clamp has moved the expiry back since: never more than is true.
            Ok(reservation) if reservation.status == Status::Active => {
                now.until(answered.min(reservation.expires_at))
            }
            _ => Millis::ZERO,
        };
        Some(remaining)
    }

    pub(crate) fn policy(&self, tenant: TenantId) -> Policy {
        self.tenants.as_ref().get(usize::from(tenant.0)).map(|tenant| tenant.policy).unwrap_or_default()
    }

    /// A18: a closed tenant changes nothing.
    pub(crate) fn open(&self, tenant: TenantId) -> Result<(), Denial> {
        match self.tenants.as_ref().get(usize::from(tenant.0)) {
            Some(tenant) if tenant.closed => Err(Denial::TenantClosed),
            _ => Ok(()),
        }
    }

    pub(crate) fn budget_lacks(&mut self, tenant: TenantId, amount: u64, now: ServerTime) -> bool {
        let lacks = |tenants: &mut [Tenant]| {
            budget_of(tenants, tenant).is_some_and(|budget| budget.remaining() < amount)
        };
        if !lacks(self.tenants.as_mut()) {
            return false;
        }
        self.lapse_all(now);
        lacks(self.tenants.as_mut())
    }
}

/// A23: an answer is kept for the retention; a create's for as long as its reservation, so that its key never
/// makes a second one beside it.
fn is_kept<D, R: Slots<Reservation<D>>>(
    record: &KeyRecord,
    reservations: &Table<Reservation<D>, R>,
    retention: Millis,
    now: ServerTime,
) -> bool {
    let guards = |id| reservations.get(id).is_some_and(|reservation| reservation.is_kept(retention, now));
    now <= record.answered_at.plus(retention)
        || matches!(record.outcome, Outcome::Created { id, .. } if guards(id))
}

impl<D, T, R, K> fmt::Debug for Authority<D, T, R, K>
where
    R: Slots<Reservation<D>>,
    K: Slots<KeyRecord>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authority")
            .field("reservations", &self.reservations.len())
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}
