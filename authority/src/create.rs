//! Create and events: what takes from a budget (A2–A5, A22).

use crate::amount::{Amount, Overage};
use crate::authority::Authority;
use crate::policy::{GRACE_DEFAULT_MS, GRACE_MS, TTL_MS};
use crate::record::{KeyRecord, Operation, Outcome, Reservation, Status, Tenant, budget_of};
use crate::refusal::{Denial, Refusal, in_range};
use crate::request::{Answered, Call, Create, CreateAnswer, Created, Event, TenantId};
use crate::table::Slots;
use crate::time::ServerTime;

use leasebeat::Millis;

impl<D, T, R, K> Authority<D, T, R, K>
where
    T: AsRef<[Tenant]> + AsMut<[Tenant]>,
    R: Slots<Reservation<D>>,
    K: Slots<KeyRecord>,
{
    /// Reserves, or evaluates whether it would (A4). `data` is kept beside a new reservation.
    ///
    /// # Errors
    /// Out of range (A2), a key of another request (A16), a closed tenant (A18), no budget (A5), no room (A23).
    pub fn create(
        &mut self,
        call: &Call,
        create: &Create,
        data: D,
        now: ServerTime,
    ) -> Result<Answered<CreateAnswer>, Refusal> {
        self.tidy(now);
        // A2
        if let Some(ttl_ms) = create.ttl_ms {
            in_range("ttl_ms", ttl_ms, TTL_MS)?;
        }
        let grace_ms = create.grace_ms.unwrap_or(GRACE_DEFAULT_MS);
        in_range("grace_period_ms", grace_ms, GRACE_MS)?;
        in_range("estimate.amount", create.estimate.amount, 0..=i64::MAX as u64)?;

        if let Some(outcome) = self.answered(call, Operation::Create, now)? {
            return Ok(Answered { answer: self.replay_create(call, outcome, now), replayed: true });
        }
        let evaluated = self.evaluate(call.tenant, create.estimate, create.in_budget, true, now);
        if create.dry_run {
            if let Err(mismatch @ Denial::UnitMismatch { .. }) = evaluated {
                return Err(mismatch.into());
            }
            self.key_room()?;
            self.remember(call, Operation::Create, now, Outcome::Evaluated(evaluated));
            return Ok(Answered { answer: CreateAnswer::Evaluated(evaluated), replayed: false });
        }
        evaluated?;
        self.key_room()?;
        if !self.reservations.has_room() {
            return Err(Refusal::Full { what: "reservations" });
        }
        if self.reservations.get(create.id).is_some() {
            return Err(Refusal::IdInUse);
        }
        // A3: silently capped.
        let expires_at = now.plus(self.policy(call.tenant).granted_ttl(create.ttl_ms));
        let _ = self.reservations.insert(Reservation {
            id: create.id,
            tenant: call.tenant,
            status: Status::Active,
            reserved: create.estimate,
            charged: None,
            overage: create.overage,
            created_at: now,
            expires_at,
            grace: Millis::new(grace_ms),
            ended_at: now,
            extensions: 0,
            data,
        });
        if let Some(budget) = budget_of(self.tenants.as_mut(), call.tenant) {
            budget.hold(create.estimate.amount);
        }
        let outcome = Outcome::Created { id: create.id, reserved: create.estimate, expires_at };
        self.remember(call, Operation::Create, now, outcome);
        Ok(Answered { answer: self.replay_create(call, outcome, now), replayed: false })
    }

    /// A22: applies spending that has happened, without a reservation.
    ///
    /// # Errors
    /// As [`Self::create`]; where less is there than was spent, only with [`Overage::Reject`].
    pub fn event(
        &mut self,
        call: &Call,
        event: &Event,
        now: ServerTime,
    ) -> Result<Answered<(u128, Amount)>, Refusal> {
        self.tidy(now);
        in_range("actual.amount", event.actual.amount, 0..=i64::MAX as u64)?;
        if let Some(outcome) = self.answered(call, Operation::Event, now)? {
            return match outcome {
                Outcome::Event { id, charged } => Ok(Answered { answer: (id, charged), replayed: true }),
                _ => Err(Refusal::Mismatch),
            };
        }
        match self.evaluate(call.tenant, event.actual, event.in_budget, false, now) {
            Err(Denial::BudgetExceeded) if event.overage != Overage::Reject => {}
            other => other?,
        }
        self.key_room()?;
        let mut charged = event.actual;
        if let Some(budget) = budget_of(self.tenants.as_mut(), call.tenant) {
            charged = event.actual.with(budget.chargeable(0, event.actual.amount));
            budget.charge(0, charged.amount, event.actual.amount);
        }
        self.remember(call, Operation::Event, now, Outcome::Event { id: event.id, charged });
        Ok(Answered { answer: (event.id, charged), replayed: false })
    }

    /// A5, A18: whether the tenant and its budget allow `amount`.
    fn evaluate(
        &mut self,
        tenant: TenantId,
        amount: Amount,
        in_budget: bool,
        reserves: bool,
        now: ServerTime,
    ) -> Result<(), Denial> {
        self.open(tenant)?;
        // What nobody holds any more must not be the reason of a refusal.
        self.budget_lacks(tenant, amount.amount, now);
        match budget_of(self.tenants.as_mut(), tenant) {
            None => Ok(()),
            Some(_) if !in_budget => Err(Denial::BudgetNotFound),
            Some(budget) => budget.evaluate(amount, reserves),
        }
    }

    fn replay_create(&mut self, call: &Call, outcome: Outcome, now: ServerTime) -> CreateAnswer {
        match outcome {
            Outcome::Created { id, reserved, expires_at } => CreateAnswer::Created(Created {
                id,
                reserved,
                expires_at,
                remaining_ttl: self.remaining(call.tenant, id, expires_at, now),
            }),
            Outcome::Evaluated(evaluated) => CreateAnswer::Evaluated(evaluated),
            // No other operation answers under a create's key (A15).
            _ => CreateAnswer::Evaluated(Ok(())),
        }
    }
}
