//! The server: the real authority, called without HTTP, its answers turned into outcomes as a decoder would.

use leasebeat::{ErrorCode, Failure, HttpFailure, Millis, Operation, Outcome, Success};
use leasebeat_authority::{
    Amount, Authority, Call, Create, CreateAnswer, Digest, KeyRecord, Policy, PolicyError, Refusal,
    Reservation, ReservationId, ServerTime, Tenant, TenantId, Unit,
};

use crate::scenario::ServerPolicy;

const TENANT: TenantId = TenantId(0);
/// What the server's clock read at true time 0, in ms since the epoch.
const EPOCH_MS: u64 = 1_785_585_600_000;
/// How long ends and answers are remembered: longer than any recovery.
const RETENTION: Millis = Millis::new(600_000);

/// One request, as it comes off the wire.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) reservation: ReservationId,
    pub(super) key: Digest,
    pub(super) operation: Operation,
    pub(super) extend_by: Millis,
}

/// What the server said, and what it did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply {
    pub(super) outcome: Outcome,
    /// The true time, in ns, at which the lease is first not held any more, where this request has moved it.
    pub(super) expires_ns: Option<u64>,
}

/// The authority over vectors of a fixed length.
type Leases = Authority<(), Vec<Tenant>, Vec<Option<Reservation<()>>>, Vec<Option<KeyRecord>>>;

/// The authority, and the fleet in front of it.
#[derive(Debug)]
pub(super) struct Server {
    authority: Leases,
    fleet: Vec<Policy>,
}

impl Server {
    pub(super) fn new(fleet: &[ServerPolicy], hosts: usize) -> Result<Self, PolicyError> {
        let fleet = fleet.iter().map(ServerPolicy::parse).collect::<Result<Vec<_>, _>>()?;
        let tenant = Tenant::new(fleet.first().copied().unwrap_or_default(), None);
        let empty = || std::iter::repeat_with(|| None);
        let reservations = empty().take(16 * hosts).collect();
        let keys = std::iter::repeat_with(|| None).take(512 * hosts).collect();
        Ok(Self { authority: Authority::new(vec![tenant], reservations, keys, RETENTION), fleet })
    }

    /// Answers `request` by the server of the fleet that `chance` picks.
    pub(super) fn answer(&mut self, request: &Request, chance: impl FnOnce() -> u64, at_ns: u64) -> Reply {
        let now = server_time(at_ns);
        if self.fleet.len() > 1 {
            let pick = usize::try_from(chance() % self.fleet.len() as u64).unwrap_or(0);
            if let Some(tenant) = self.authority.tenant_mut(TENANT) {
                tenant.policy = self.fleet[pick];
            }
        }
        let call =
            Call { tenant: TENANT, key: request.key, payload: Digest(u128::from(request.extend_by.get())) };
        let answer = self.authority.admit(TENANT, now).and_then(|()| match request.operation {
            Operation::Create => self.create(&call, request, now),
            Operation::Extend => self.extend(&call, request, now),
        });
        answer.unwrap_or_else(|refusal| Reply { outcome: refused(&refusal), expires_ns: None })
    }

    /// The work is done: the reservation goes. A refusal changes nothing, so it does not matter here.
    pub(super) fn release(&mut self, reservation: ReservationId, key: Digest, at_ns: u64) {
        let call = Call { tenant: TENANT, key, payload: Digest(0) };
        let _ = self.authority.release(&call, reservation, server_time(at_ns));
    }

    fn create(&mut self, call: &Call, request: &Request, now: ServerTime) -> Result<Reply, Refusal> {
        let create = Create {
            id: request.reservation,
            ttl_ms: Some(request.extend_by.get().max(1_000)),
            grace_ms: None,
            estimate: Amount { unit: Unit::Tokens, amount: 1 },
            overage: leasebeat_authority::Overage::Reject,
            dry_run: false,
            in_budget: true,
        };
        let answered = self.authority.create(call, &create, (), now)?;
        let CreateAnswer::Created(created) = answered.answer else {
            return Ok(Reply { outcome: Outcome::Denied, expires_ns: None });
        };
        let success = success(created.remaining_ttl, created.expires_at);
        let expires_ns = (!answered.replayed).then_some(first_not_held(created.expires_at));
        Ok(Reply { outcome: Outcome::Created(success), expires_ns })
    }

    fn extend(&mut self, call: &Call, request: &Request, now: ServerTime) -> Result<Reply, Refusal> {
        let extend_by_ms = request.extend_by.get();
        let answered = self.authority.extend(call, request.reservation, extend_by_ms, now)?;
        let extended = answered.answer;
        let success = success(extended.remaining_ttl, extended.expires_at);
        let expires_ns = (!answered.replayed).then_some(first_not_held(extended.expires_at));
        Ok(Reply { outcome: Outcome::Extended(success), expires_ns })
    }
}

fn server_time(at_ns: u64) -> ServerTime {
    ServerTime::from_millis(EPOCH_MS + at_ns / 1_000_000)
}

/// A lease is held at its expiry (A7), and a server that counts milliseconds is at it for one.
fn first_not_held(expires_at: ServerTime) -> u64 {
    (expires_at.as_millis() - EPOCH_MS + 1) * 1_000_000
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
    let retry_after = match refusal {
        Refusal::Throttled { retry_after_s, .. } => Some(Millis::new(retry_after_s * 1_000)),
        _ => None,
    };
    let status = match code {
        ErrorCode::InvalidRequest => 400,
        ErrorCode::Forbidden => 403,
        ErrorCode::NotFound => 404,
        ErrorCode::ReservationExpired => 410,
        ErrorCode::LimitExceeded => 429,
        ErrorCode::InternalError => 500,
        _ => 409,
    };
    http(status, Some(code), retry_after)
}

/// A failure over HTTP.
pub(super) const fn http(status: u16, code: Option<ErrorCode>, retry_after: Option<Millis>) -> Outcome {
    Outcome::Failed(Failure::Http(HttpFailure { status, code, retry_after }))
}
