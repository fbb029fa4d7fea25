//! Extend: the heartbeat's other end (A6–A10).

use leasebeat::Millis;

use crate::authority::Authority;
use crate::policy::{EXTEND_BY_MS, Policy};
use crate::record::{KeyRecord, Operation, Outcome, Reservation, Status, Tenant};
use crate::refusal::{Refusal, in_range};
use crate::request::{Answered, Call, Clamp, Extended, ReservationId};
use crate::table::Slots;
use crate::time::ServerTime;

impl<D, T, R, K> Authority<D, T, R, K>
where
    T: AsRef<[Tenant]> + AsMut<[Tenant]>,
    R: Slots<Reservation<D>>,
    K: Slots<KeyRecord>,
{
    /// Moves the expiry of an active reservation by `extend_by_ms` (1 to 86,400,000), as far as the policy lets it.
    ///
    /// # Errors
    /// Out of range (A6), another tenant's or none (A19), a key of another request (A16), a closed tenant (A18),
    /// finalized (A13), expired (A7), extended often enough (A8), no room (A23); the first of these.
    pub fn extend(
        &mut self,
        call: &Call,
        id: ReservationId,
        extend_by_ms: u64,
        now: ServerTime,
    ) -> Result<Answered<Extended>, Refusal> {
        self.tidy(now);
        in_range("extend_by_ms", extend_by_ms, EXTEND_BY_MS)?;
        let found = self.owned(call.tenant, id, now).map(|_| ());
        if found == Err(Refusal::Foreign) {
            return Err(Refusal::Foreign);
        }
        if let Some(outcome) = self.answered(call, Operation::Extend, now)? {
            return match outcome {
                Outcome::Extended { id: of, expires_at, clamp } if of == id => {
                    let remaining_ttl = self.remaining(call.tenant, id, expires_at, now);
                    Ok(Answered { answer: Extended { expires_at, remaining_ttl, clamp }, replayed: true })
                }
                _ => Err(Refusal::Mismatch),
            };
        }
        found?;
        self.open(call.tenant)?;
        let policy = self.policy(call.tenant);
        let room = self.key_room();
        let reservation = self.owned(call.tenant, id, now)?;
        may_extend(reservation, &policy, now)?;
        room?;
        let (expires_at, clamp) = extended(reservation.expires_at, extend_by_ms, &policy, now);
        reservation.expires_at = expires_at;
        reservation.extensions = reservation.extensions.saturating_add(1);
        self.remember(call, Operation::Extend, now, Outcome::Extended { id, expires_at, clamp });
        let remaining_ttl = self.remaining(call.tenant, id, expires_at, now);
        Ok(Answered { answer: Extended { expires_at, remaining_ttl, clamp }, replayed: false })
    }
}

/// A7, A8, A13
fn may_extend<D>(reservation: &Reservation<D>, policy: &Policy, now: ServerTime) -> Result<(), Refusal> {
    match reservation.status {
        Status::Committed | Status::Released => return Err(Refusal::Finalized),
        // Held at its expiry, and not after it.
        Status::Active if now <= reservation.expires_at => {}
        Status::Active | Status::Expired => return Err(Refusal::Expired { until: reservation.expires_at }),
    }
    match policy.settings().max_extensions {
        Some(limit) if reservation.extensions >= limit => Err(Refusal::MaxExtensions { limit }),
        _ => Ok(()),
    }
}

/// A6, A9, A10: the new expiry, and which clamp decided it.
fn extended(current: ServerTime, extend_by_ms: u64, policy: &Policy, now: ServerTime) -> (ServerTime, Clamp) {
    let settings = policy.settings();
    let grant_ms = settings.grant_clamp_ms.map_or(extend_by_ms, |most| extend_by_ms.min(most));
    let added = current.plus(Millis::new(grant_ms));
    let by_grant = if grant_ms < extend_by_ms { Clamp::Grant } else { Clamp::None };
    match settings.max_lead_ms.map(|lead| now.plus(Millis::new(lead))) {
        Some(most) if added > most && most >= current => (most, Clamp::Lead),
        Some(most) if added > most && settings.max_lead_shortens => (most, Clamp::Shortened),
        Some(most) if added > most => (current, Clamp::Lead),
        _ => (added, by_grant),
    }
}
