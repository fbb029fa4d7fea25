//! A server to put questions to: two tenants, times counted from its start.

#![allow(dead_code, unreachable_pub)] // each test file is a crate of its own, and uses some of it

use leasebeat::{ErrorCode, Millis};
use leasebeat_authority::*;

pub const START: u64 = 1_800_000_000_000;
pub const RETENTION_MS: u64 = 100_000;
pub const MINE: TenantId = TenantId(0);
pub const OTHERS: TenantId = TenantId(1);
pub const R: ReservationId = ReservationId(1 << 100);

type Store =
    Authority<&'static str, Vec<Tenant>, Vec<Option<Reservation<&'static str>>>, Vec<Option<KeyRecord>>>;

#[derive(Debug)]
pub struct Server(pub Store);

pub fn at(ms: u64) -> ServerTime {
    ServerTime::from_millis(START + ms)
}

pub fn tokens(amount: u64) -> Amount {
    Amount { unit: Unit::Tokens, amount }
}

pub fn call(key: u128) -> Call {
    Call { tenant: MINE, key: Digest(key), payload: Digest(key) }
}

pub fn create(ttl_ms: u64) -> Create {
    Create {
        id: R,
        ttl_ms: Some(ttl_ms),
        grace_ms: None,
        estimate: tokens(100),
        overage: Overage::default(),
        dry_run: false,
        in_budget: true,
    }
}

/// An extension: expiry from the start, and what remains.
pub type Lease = (u64, Option<u64>);

impl Server {
    pub fn new(settings: Settings) -> Self {
        Self::with_budget(settings, None)
    }

    pub fn with_budget(settings: Settings, allocated: Option<u64>) -> Self {
        let policy = Policy::new(settings).expect("a valid policy");
        let budget = allocated.map(|amount| Budget::new(tokens(amount)));
        let tenants = vec![Tenant::new(policy, budget), Tenant::new(policy, None)];
        Self(Authority::new(tenants, vec![None; 64], vec![None; 256], Millis::new(RETENTION_MS)))
    }

    /// A server that has created `R` for `ttl_ms` at its start, with key 0.
    pub fn holding(settings: Settings, ttl_ms: u64) -> Self {
        let mut server = Self::new(settings);
        server.create(0, &create(ttl_ms), 0).expect("it is created");
        server
    }

    pub fn create(&mut self, key: u128, create: &Create, now: u64) -> Result<Lease, Refusal> {
        match self.0.create(&call(key), create, "data", at(now))?.answer {
            CreateAnswer::Created(created) => Ok(lease(created.expires_at, created.remaining_ttl)),
            CreateAnswer::Evaluated(evaluated) => Err(evaluated.expect_err("a dry run is no lease").into()),
        }
    }

    pub fn evaluate(&mut self, key: u128, create: &Create, now: u64) -> Result<Result<(), Denial>, Refusal> {
        let dry = Create { dry_run: true, ..*create };
        match self.0.create(&call(key), &dry, "data", at(now))?.answer {
            CreateAnswer::Evaluated(evaluated) => Ok(evaluated),
            CreateAnswer::Created(_) => panic!("a dry run reserved"),
        }
    }

    pub fn extend(&mut self, key: u128, by_ms: u64, now: u64) -> Result<Lease, Refusal> {
        self.extend_answered(key, by_ms, now)
            .map(|answered| lease(answered.answer.expires_at, answered.answer.remaining_ttl))
    }

    pub fn extend_answered(
        &mut self,
        key: u128,
        by_ms: u64,
        now: u64,
    ) -> Result<Answered<Extended>, Refusal> {
        // The payload is the length, so that another length is another payload.
        let call = Call { payload: Digest(by_ms.into()), ..call(key) };
        self.0.extend(&call, R, by_ms, at(now))
    }

    pub fn commit(&mut self, key: u128, amount: u64, now: u64) -> Result<(u64, u64), Refusal> {
        let call = Call { payload: Digest(amount.into()), ..call(key) };
        let committed = self.0.commit(&call, R, tokens(amount), at(now))?.answer;
        Ok((committed.charged.amount, committed.released.amount))
    }

    pub fn release(&mut self, key: u128, now: u64) -> Result<u64, Refusal> {
        Ok(self.0.release(&call(key), R, at(now))?.answer.amount)
    }

    pub fn event(&mut self, key: u128, amount: u64, overage: Overage, now: u64) -> Result<u64, Refusal> {
        let event = Event { id: key, actual: tokens(amount), overage, in_budget: true };
        Ok(self.0.event(&call(key), &event, at(now))?.answer.1.amount)
    }

    pub fn get(&mut self, tenant: TenantId, now: u64) -> Result<Status, Refusal> {
        self.0.get(tenant, R, at(now)).map(Reservation::status)
    }

    pub fn tenant(&mut self) -> &mut Tenant {
        self.0.tenant_mut(MINE).expect("it is there")
    }

    pub fn budget(&mut self) -> Budget {
        self.tenant().budget.expect("it has one")
    }
}

fn lease(expires_at: ServerTime, remaining: Option<Millis>) -> Lease {
    (expires_at.as_millis() - START, remaining.map(Millis::get))
}

#[track_caller]
pub fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>, code: ErrorCode) {
    assert_eq!(result.expect_err("it is refused").code(), code);
}
