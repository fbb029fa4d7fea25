//! The real authority with one lease, in storage small enough to be copied with every state.

use std::hash::{Hash, Hasher};

use leasebeat::{ErrorCode, Failure, HttpFailure, Millis, Operation, Outcome, Success};
use leasebeat_authority::{
    Amount, Authority, Call, Create, CreateAnswer, Digest, KeyRecord, Overage, Policy, Refusal, Reservation,
    ReservationId, ServerTime, Settings, Tenant, TenantId, Unit,
};

const TENANT: TenantId = TenantId(0);
const LEASE: ReservationId = ReservationId(1);
const EPOCH_MS: u64 = 1_785_585_600_000;
const MS: u64 = 1_000_000;
/// Keys that fit, one slot in eight staying empty: more than an exploration sends.
const KEYS: usize = 16;

type Leases = Authority<(), [Tenant; 1], [Option<Reservation<()>>; 2], [Option<KeyRecord>; KEYS]>;

#[derive(Clone)]
pub(super) struct Server {
    authority: Leases,
    /// What the last two keys were answered, the latest first: all of the authority's memory that can still be asked for.
    answered: [Option<(u32, u64)>; 2],
}

impl Server {
    pub(super) fn new(settings: Settings) -> Self {
        let policy = Policy::new(settings).expect("a policy in range");
        let authority =
            Authority::new([Tenant::new(policy, None)], [None, None], [None; KEYS], Millis::new(3_600_000));
        Self { authority, answered: [None; 2] }
    }

    /// The true time at which the lease is first not held: a server that counts whole milliseconds holds it at its
    /// expiry (A7), so until the next one begins.
    pub(super) fn expires_at_ns(&self) -> Option<u64> {
        let expires_at = self.authority.peek(LEASE)?.expires_at();
        Some((expires_at.as_millis() - EPOCH_MS + 1) * MS)
    }

    /// The server is replaced by one that does, or does not, say what remains.
    pub(super) fn flip(&mut self) {
        let tenant = self.authority.tenant_mut(TENANT).expect("the one tenant");
        let settings = *tenant.policy.settings();
        tenant.policy = Policy::new(Settings { remaining_ttl: !settings.remaining_ttl, ..settings })
            .expect("a policy in range");
    }

    pub(super) fn ask(
        &mut self,
        operation: Operation,
        generation: u32,
        extend_by: Millis,
        ttl_ms: u64,
        at_ns: u64,
    ) -> Outcome {
        let now = ServerTime::from_millis(EPOCH_MS + at_ns / MS);
        let key = Digest(u128::from(generation) << 96 | u128::from(generation));
        let call = Call { tenant: TENANT, key, payload: Digest(7) };
        let answer = match operation {
            Operation::Create => self.create(&call, ttl_ms, now),
            Operation::Extend => self.extend(&call, extend_by, now),
        };
        let outcome = answer.unwrap_or_else(|refusal| refused(&refusal));
        if let Outcome::Created(success) | Outcome::Extended(success) = outcome {
            let answered = success.expires_at_ms.map(|expires_at| (generation, expires_at));
            if self.answered[0].is_none_or(|(latest, _)| latest < generation) {
                self.answered = [answered, self.answered[0]];
            }
        }
        outcome
    }

    fn create(&mut self, call: &Call, ttl_ms: u64, now: ServerTime) -> Result<Outcome, Refusal> {
        let create = Create {
            id: LEASE,
            ttl_ms: Some(ttl_ms),
            grace_ms: Some(0),
            estimate: Amount { unit: Unit::Tokens, amount: 1 },
            overage: Overage::Reject,
            dry_run: false,
            in_budget: true,
        };
        Ok(match self.authority.create(call, &create, (), now)?.answer {
            CreateAnswer::Created(created) => {
                Outcome::Created(success(created.remaining_ttl, created.expires_at))
            }
            CreateAnswer::Evaluated(_) => Outcome::Denied,
        })
    }

    fn extend(&mut self, call: &Call, extend_by: Millis, now: ServerTime) -> Result<Outcome, Refusal> {
        let extended = self.authority.extend(call, LEASE, extend_by.get(), now)?.answer;
        Ok(Outcome::Extended(success(extended.remaining_ttl, extended.expires_at)))
    }
}

impl Hash for Server {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let lease = self.authority.peek(LEASE);
        lease.map(|lease| (lease.expires_at(), lease.extensions(), lease.status())).hash(hasher);
        self.answered.hash(hasher);
    }
}

fn success(remaining: Option<Millis>, expires_at: ServerTime) -> Success {
    Success {
        rtt_ns: None,
        remaining_ttl_ms: remaining.map(Millis::get),
        expires_at_ms: Some(expires_at.as_millis()),
    }
}

/// The statuses are those of `leasebeat serve`.
fn refused(refusal: &Refusal) -> Outcome {
    let code = refusal.code();
    let status = match code {
        ErrorCode::NotFound => 404,
        ErrorCode::ReservationExpired => 410,
        ErrorCode::InternalError => 500,
        _ => 409,
    };
    http(status, Some(code), None)
}

pub(super) const fn http(status: u16, code: Option<ErrorCode>, retry_after: Option<Millis>) -> Outcome {
    Outcome::Failed(Failure::Http(HttpFailure { status, code, retry_after }))
}
