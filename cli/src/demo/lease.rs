//! The server's side of a lease, without I/O: create, extend, expiry, and replay of what was answered before.
//!
//! The first, small version of the reference server: one tenant, no budgets, no commit and no release.

use std::collections::HashMap;

use leasebeat::ErrorCode;

use super::schema::{
    ActiveStatus, CreateRequest, CreateResponse, ExtendRequest, ExtendResponse, Int64, Verdict,
};

/// What the protocol gives a create without `ttl_ms`.
const TTL_DEFAULT_MS: u64 = 60_000;
const TTL_MS: std::ops::RangeInclusive<u64> = 1_000..=86_400_000;
const EXTEND_BY_MS: std::ops::RangeInclusive<u64> = 1..=86_400_000;

/// What the server allows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Policy {
    /// An extension leads to at most so much from now; `None`: it adds to the current expiry without a cap.
    pub(super) max_lead_ms: Option<u64>,
    /// So many extensions are granted; `None`: any number.
    pub(super) max_extensions: Option<u64>,
}

/// A refusal: the code decides the status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: ErrorCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Every lease of the server. It reads no clock: each call carries `now_ms`, the server's time.
#[derive(Debug, Default)]
pub(super) struct Authority {
    policy: Policy,
    leases: HashMap<String, Lease>,
    /// What was answered, by idempotency key: creates and extends apart, as keys are per endpoint.
    creates: HashMap<String, (CreateRequest, CreateResponse)>,
    extends: HashMap<String, (String, ExtendRequest, ExtendResponse)>,
}

#[derive(Debug, Clone, Copy)]
struct Lease {
    expires_at_ms: u64,
    extensions: u64,
    /// The least that remained whenever somebody looked.
    closest_ms: u64,
}

impl Lease {
    /// What remains; `None` once it has expired, which is after its expiry, not at it.
    fn remaining_ms(&self, now_ms: u64) -> Option<u64> {
        self.expires_at_ms.checked_sub(now_ms)
    }
}

impl Authority {
    pub(super) fn new(policy: Policy) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Creates a lease. `id` names it, where it is a new one.
    pub(super) fn create(
        &mut self,
        request: &CreateRequest,
        id: String,
        now_ms: u64,
    ) -> Result<CreateResponse, Refusal> {
        if let Some((first, answer)) = self.creates.get(&request.idempotency_key) {
            if first != request {
                return Err(mismatch());
            }
            let id = answer.reservation_id.as_deref().unwrap_or_default();
            let remaining = self.replayed_ms(id, answer.expires_at_ms, now_ms);
            return Ok(CreateResponse { remaining_ttl_ms: Some(remaining), ..answer.clone() });
        }
        let ttl_ms = request.ttl_ms.unwrap_or(TTL_DEFAULT_MS);
        check_key(&request.idempotency_key)?;
        if !TTL_MS.contains(&ttl_ms) {
            return Err(Refusal::new(ErrorCode::InvalidRequest, "ttl_ms is from 1000 to 86400000"));
        }
        if request.dry_run == Some(true) {
            return Err(Refusal::new(ErrorCode::InvalidRequest, "this demo server has no dry run"));
        }
        let Some(tenant) = request.subject.tenant.as_deref() else {
            return Err(Refusal::new(ErrorCode::InvalidRequest, "subject.tenant is required here"));
        };
        let expires_at_ms = now_ms.saturating_add(ttl_ms);
        self.leases.insert(id.clone(), Lease { expires_at_ms, extensions: 0, closest_ms: ttl_ms });
        let scope = format!("tenant:{tenant}");
        let answer = CreateResponse {
            decision: Verdict::Allow,
            affected_scopes: vec![scope.clone()],
            reservation_id: Some(id),
            reserved: Some(request.estimate.clone()),
            expires_at_ms: Some(Int64::new(expires_at_ms)),
            remaining_ttl_ms: Some(Int64::new(ttl_ms)),
            scope_path: Some(scope),
            caps: None,
            balances: None,
            reason_code: None,
            retry_after_ms: None,
            cycles_evidence: None,
        };
        self.creates.insert(request.idempotency_key.clone(), (request.clone(), answer.clone()));
        Ok(answer)
    }

    /// Extends the lease `id`.
    pub(super) fn extend(
        &mut self,
        id: &str,
        request: &ExtendRequest,
        now_ms: u64,
    ) -> Result<ExtendResponse, Refusal> {
        self.look(id, now_ms);
        if let Some((lease, first, answer)) = self.extends.get(&request.idempotency_key) {
            if lease != id || first != request {
                return Err(mismatch());
            }
            let remaining = self.replayed_ms(id, Some(answer.expires_at_ms), now_ms);
            return Ok(ExtendResponse { remaining_ttl_ms: Some(remaining), ..answer.clone() });
        }
        check_key(&request.idempotency_key)?;
        if !EXTEND_BY_MS.contains(&request.extend_by_ms) {
            return Err(Refusal::new(ErrorCode::InvalidRequest, "extend_by_ms is from 1 to 86400000"));
        }
        let policy = self.policy;
        let Some(lease) = self.leases.get_mut(id) else {
            return Err(Refusal::new(ErrorCode::NotFound, format!("no reservation {id}")));
        };
        if lease.remaining_ms(now_ms).is_none() {
            return Err(Refusal::new(ErrorCode::ReservationExpired, format!("{id} has expired")));
        }
        if policy.max_extensions.is_some_and(|most| lease.extensions >= most) {
            return Err(Refusal::new(ErrorCode::MaxExtensionsExceeded, format!("{id} was extended enough")));
        }
        let added = lease.expires_at_ms.saturating_add(request.extend_by_ms);
        let cap = policy.max_lead_ms.map_or(u64::MAX, |most| now_ms.saturating_add(most));
        // A cap keeps the expiry where it is; it never shortens a lease.
        lease.expires_at_ms = added.min(cap).max(lease.expires_at_ms);
        lease.extensions += 1;
        let answer = ExtendResponse {
            status: ActiveStatus::Active,
            expires_at_ms: Int64::new(lease.expires_at_ms),
            remaining_ttl_ms: Some(Int64::new(lease.expires_at_ms.saturating_sub(now_ms))),
            balances: None,
        };
        self.extends
            .insert(request.idempotency_key.clone(), (id.to_owned(), request.clone(), answer.clone()));
        Ok(answer)
    }

    /// What truly remains of the lease `id`; `None` where it has expired or never was.
    pub(super) fn remaining_ms(&self, id: &str, now_ms: u64) -> Option<u64> {
        self.leases.get(id)?.remaining_ms(now_ms)
    }

    /// How often the lease `id` was extended, replays not counted, and the least that remained of it whenever
    /// an extension came in.
    pub(super) fn history(&self, id: &str) -> Option<(u64, u64)> {
        self.leases.get(id).map(|lease| (lease.extensions, lease.closest_ms))
    }

    fn look(&mut self, id: &str, now_ms: u64) {
        if let Some(lease) = self.leases.get_mut(id) {
            lease.closest_ms = lease.closest_ms.min(lease.remaining_ms(now_ms).unwrap_or(0));
        }
    }

    /// A replay observes anew what remains of the answer it repeats: nothing, once the lease is no longer active.
    fn replayed_ms(&self, id: &str, expires_at_ms: Option<Int64>, now_ms: u64) -> Int64 {
        let active = self.remaining_ms(id, now_ms).is_some();
        let expiry = expires_at_ms.map_or(0, Int64::get);
        Int64::new(if active { expiry.saturating_sub(now_ms) } else { 0 })
    }
}

fn mismatch() -> Refusal {
    Refusal::new(ErrorCode::IdempotencyMismatch, "the key was used with another request")
}

fn check_key(key: &str) -> Result<(), Refusal> {
    if (1..=256).contains(&key.chars().count()) {
        return Ok(());
    }
    Err(Refusal::new(ErrorCode::InvalidRequest, "idempotency_key has 1 to 256 characters"))
}

#[cfg(test)]
mod tests;
