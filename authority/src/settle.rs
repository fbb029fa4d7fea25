//! Commit and release: how a reservation is finalized (A11–A13).

use crate::amount::{Amount, Overage};
use crate::authority::Authority;
use crate::record::{KeyRecord, Operation, Outcome, Reservation, Status, Tenant, budget_of};
use crate::refusal::{Denial, Refusal, in_range};
use crate::request::{Answered, Call, Committed, ReservationId};
use crate::table::Slots;
use crate::time::ServerTime;

impl<D, T, R, K> Authority<D, T, R, K>
where
    T: AsRef<[Tenant]> + AsMut<[Tenant]>,
    R: Slots<Reservation<D>>,
    K: Slots<KeyRecord>,
{
    /// Charges `actual`, and gives back what was held and not needed.
    ///
    /// # Errors
    /// Another tenant's or none (A19), a key of another request (A16), a closed tenant (A18), finalized (A13),
    /// expired (A11), another unit or more than was held (A11), no room (A23); the first of these.
    pub fn commit(
        &mut self,
        call: &Call,
        id: ReservationId,
        actual: Amount,
        now: ServerTime,
    ) -> Result<Answered<Committed>, Refusal> {
        self.tidy(now);
        in_range("actual.amount", actual.amount, 0..=i64::MAX as u64)?;
        match self.before_settling(call, Operation::Commit, id, now)? {
            Some(Outcome::Committed { id: of, committed }) if of == id => {
                return Ok(Answered { answer: committed, replayed: true });
            }
            Some(_) => return Err(Refusal::Mismatch),
            None => {}
        }
        let reservation = self.owned(call.tenant, id, now)?;
        let (reserved, overage) = (reservation.reserved, reservation.overage);
        if reserved.unit != actual.unit {
            let mismatch = Denial::UnitMismatch { requested: actual.unit, expected: reserved.unit };
            return Err(mismatch.into());
        }
        let more = actual.amount.saturating_sub(reserved.amount);
        if more > 0 && overage == Overage::Reject {
            return Err(Denial::BudgetExceeded.into());
        }
        self.key_room()?;
        // What others hold no more may be there for the rest.
        self.budget_lacks(call.tenant, more, now);
        let mut charged = actual;
        if let Some(budget) = budget_of(self.tenants.as_mut(), call.tenant) {
            charged = actual.with(budget.chargeable(reserved.amount, actual.amount));
            budget.charge(reserved.amount, charged.amount, actual.amount);
        }
        let released = reserved.with(reserved.amount.saturating_sub(charged.amount));
        let committed = Committed { charged, released };
        let reservation = self.owned(call.tenant, id, now)?;
        reservation.status = Status::Committed;
        reservation.charged = Some(charged);
        reservation.ended_at = now;
        self.remember(call, Operation::Commit, now, Outcome::Committed { id, committed });
        Ok(Answered { answer: committed, replayed: false })
    }

    /// Gives back all that was held.
    ///
    /// # Errors
    /// Another tenant's or none (A19), a key of another request (A16), a closed tenant (A18), finalized (A13),
    /// expired (A12), no room (A23); the first of these.
    pub fn release(
        &mut self,
        call: &Call,
        id: ReservationId,
        now: ServerTime,
    ) -> Result<Answered<Amount>, Refusal> {
        self.tidy(now);
        match self.before_settling(call, Operation::Release, id, now)? {
            Some(Outcome::Released { id: of, released }) if of == id => {
                return Ok(Answered { answer: released, replayed: true });
            }
            Some(_) => return Err(Refusal::Mismatch),
            None => {}
        }
        self.key_room()?;
        let reservation = self.owned(call.tenant, id, now)?;
        reservation.status = Status::Released;
        reservation.ended_at = now;
        let released = reservation.reserved;
        if let Some(budget) = budget_of(self.tenants.as_mut(), call.tenant) {
            budget.give_back(released.amount);
        }
        self.remember(call, Operation::Release, now, Outcome::Released { id, released });
        Ok(Answered { answer: released, replayed: false })
    }

    /// What was answered to the key; without such an answer, that the reservation can be settled.
    fn before_settling(
        &mut self,
        call: &Call,
        operation: Operation,
        id: ReservationId,
        now: ServerTime,
    ) -> Result<Option<Outcome>, Refusal> {
        let found = self.owned(call.tenant, id, now).map(|_| ());
        if found == Err(Refusal::Foreign) {
            return Err(Refusal::Foreign);
        }
        if let Some(outcome) = self.answered(call, operation, now)? {
            return Ok(Some(outcome));
        }
        found?;
        self.open(call.tenant)?;
        let reservation = self.owned(call.tenant, id, now)?;
        match reservation.status {
            Status::Committed | Status::Released => Err(Refusal::Finalized),
            // An active one is within its grace period, or it would have lapsed.
            Status::Active => Ok(None),
            Status::Expired => Err(Refusal::Expired { until: reservation.grace_ends_at() }),
        }
    }
}
