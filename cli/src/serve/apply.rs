//! From a request to the authority, and back to a body.

use axum::http::StatusCode;
use leasebeat::{ErrorCode, Millis};
use leasebeat_authority::{
    Amount as Sum, Create, CreateAnswer, Event, Overage, Reservation, ReservationId, ServerTime, TenantId,
};
use serde::Serialize;
use uuid::Uuid;

use super::asked::Asked;
use super::body::{
    CommitRequest, CommitResponse, CreateRequest, CreateResponse, Detail, EventRequest, EventResponse,
    ExtendRequest, ExtendResponse, OveragePolicy, ReleaseRequest, ReleaseResponse, Subject, Verdict,
};
use super::problem::Problem;
use super::scalar::{Int64, Whole};
use super::script::Operation;
use super::world::{Kept, World, read_id, written};

/// A success, before anything is done to it.
#[derive(Debug)]
pub(super) struct Success {
    pub(super) status: StatusCode,
    pub(super) body: Vec<u8>,
}

/// What the log says of a request.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) tenant: Option<TenantId>,
    pub(super) reservation: Option<ReservationId>,
    pub(super) applied: bool,
    pub(super) replayed: bool,
    pub(super) remaining_before: Option<Millis>,
    pub(super) expires_at: Option<ServerTime>,
    pub(super) remaining_ttl: Option<Millis>,
}

/// One request, and what is found out about it.
#[derive(Debug)]
pub(super) struct Work<'a> {
    pub(super) world: &'a World,
    pub(super) asked: &'a Asked,
    /// What stands in the path.
    pub(super) reservation: Option<&'a str>,
    pub(super) facts: Facts,
}

type Result<T> = std::result::Result<T, Problem>;

impl Work<'_> {
    /// Does what is asked.
    pub(super) fn apply(&mut self, operation: Operation) -> Result<Success> {
        let tenant = self.authenticate()?;
        self.world.store().admit(tenant, self.world.time.now())?;
        match operation {
            Operation::Create => self.create(tenant),
            Operation::Event => self.event(tenant),
            Operation::Extend => self.extend(tenant),
            Operation::Commit => self.commit(tenant),
            Operation::Release => self.release(tenant),
            Operation::Get => self.get(tenant),
        }
    }

    /// Whose request it is.
    pub(super) fn authenticate(&mut self) -> Result<TenantId> {
        let tenant = self.asked.api_key().and_then(|key| self.world.tenant_of(key));
        self.facts.tenant = tenant;
        tenant.ok_or_else(|| Problem::new(ErrorCode::Unauthorized, "X-Cycles-API-Key is missing or unknown"))
    }

    fn create(&mut self, tenant: TenantId) -> Result<Success> {
        let request: CreateRequest = self.asked.read()?;
        request.action.check().map_err(Problem::invalid)?;
        let in_budget = self.names_tenant(&request.subject, tenant)?;
        let scopes = request.subject.scopes();
        let create = Create {
            id: ReservationId(Uuid::new_v4().as_u128()),
            ttl_ms: request.ttl_ms.map(Whole::get),
            grace_ms: request.grace_period_ms.map(Whole::get),
            estimate: Sum::from(&request.estimate),
            overage: overage(request.overage_policy),
            dry_run: request.dry_run == Some(true),
            in_budget,
        };
        let kept = Kept {
            key: request.idempotency_key,
            subject: request.subject,
            action: request.action,
            metadata: request.metadata,
            committed_metadata: None,
            closest: Millis::MAX,
        };
        let call = self.asked.call(tenant);
        let created = self.world.store().create(&call, &create, Box::new(kept), self.world.time.now())?;
        self.facts.replayed = created.replayed;
        let mut body = CreateResponse {
            decision: Verdict::Allow,
            scope_path: scopes.last().cloned(),
            affected_scopes: scopes,
            reservation_id: None,
            reserved: None,
            expires_at_ms: None,
            remaining_ttl_ms: None,
            reason_code: None,
        };
        match created.answer {
            CreateAnswer::Created(answer) => {
                self.facts.applied = !created.replayed;
                self.facts.reservation = Some(answer.id);
                self.expiry(answer.expires_at, answer.remaining_ttl);
                body.reservation_id = Some(written(answer.id));
                body.reserved = Some(answer.reserved.into());
                body.expires_at_ms = Some(int64(answer.expires_at));
                body.remaining_ttl_ms = answer.remaining_ttl.map(|left| Int64::new(left.get()));
            }
            CreateAnswer::Evaluated(Ok(())) => body.reserved = Some(create.estimate.into()),
            CreateAnswer::Evaluated(Err(denial)) => {
                body.decision = Verdict::Deny;
                body.reason_code = Some(denial.reason_code().to_owned());
            }
        }
        ok(StatusCode::OK, &body)
    }

    fn event(&mut self, tenant: TenantId) -> Result<Success> {
        let request: EventRequest = self.asked.read()?;
        request.action.check().map_err(Problem::invalid)?;
        let event = Event {
            id: Uuid::new_v4().as_u128(),
            actual: Sum::from(&request.actual),
            overage: overage(request.overage_policy),
            in_budget: self.names_tenant(&request.subject, tenant)?,
        };
        let call = self.asked.call(tenant);
        let applied = self.world.store().event(&call, &event, self.world.time.now())?;
        self.settled(applied.replayed);
        let (id, charged) = applied.answer;
        let body = EventResponse {
            status: "APPLIED".to_owned(),
            event_id: format!("evt_{id:032x}"),
            charged: Some(charged.into()),
        };
        ok(StatusCode::CREATED, &body)
    }

    fn extend(&mut self, tenant: TenantId) -> Result<Success> {
        let request: ExtendRequest = self.asked.read()?;
        let id = self.named()?;
        let call = self.asked.call(tenant);
        let mut store = self.world.store();
        let now = self.world.time.now();
        let left = store.peek(id).map(|reservation| now.until(reservation.expires_at()));
        if let (Some(left), Some(kept)) = (left, store.data_mut(id)) {
            kept.closest = kept.closest.min(left);
        }
        let extended = store.extend(&call, id, request.extend_by_ms.get(), now)?;
        drop(store);
        self.settled(extended.replayed);
        self.expiry(extended.answer.expires_at, extended.answer.remaining_ttl);
        let body = ExtendResponse {
            status: "ACTIVE".to_owned(),
            expires_at_ms: int64(extended.answer.expires_at),
            remaining_ttl_ms: extended.answer.remaining_ttl.map(|left| Int64::new(left.get())),
        };
        ok(StatusCode::OK, &body)
    }

    fn commit(&mut self, tenant: TenantId) -> Result<Success> {
        let request: CommitRequest = self.asked.read()?;
        let id = self.named()?;
        let call = self.asked.call(tenant);
        let actual = Sum::from(&request.actual);
        let mut store = self.world.store();
        let committed = store.commit(&call, id, actual, self.world.time.now())?;
        if let (false, Some(kept)) = (committed.replayed, store.data_mut(id)) {
            kept.committed_metadata = request.metadata;
        }
        drop(store);
        self.settled(committed.replayed);
        let released = committed.answer.released;
        let body = CommitResponse {
            status: "COMMITTED".to_owned(),
            charged: committed.answer.charged.into(),
            released: (released.amount > 0).then(|| released.into()),
        };
        ok(StatusCode::OK, &body)
    }

    fn release(&mut self, tenant: TenantId) -> Result<Success> {
        let _: ReleaseRequest = self.asked.read()?;
        let id = self.named()?;
        let call = self.asked.call(tenant);
        let released = self.world.store().release(&call, id, self.world.time.now())?;
        self.settled(released.replayed);
        ok(
            StatusCode::OK,
            &ReleaseResponse { status: "RELEASED".to_owned(), released: released.answer.into() },
        )
    }

    fn get(&mut self, tenant: TenantId) -> Result<Success> {
        let id = self.named()?;
        let mut store = self.world.store();
        let reservation = store.get(tenant, id, self.world.time.now())?;
        self.facts.expires_at = Some(reservation.expires_at());
        ok(StatusCode::OK, &detail(reservation))
    }

    /// The reservation that the path names. What is left of it is looked up for the log.
    fn named(&mut self) -> Result<ReservationId> {
        let name = self.reservation.unwrap_or_default();
        let length = name.chars().count();
        if !(1..=128).contains(&length) {
            let range = "it must be from 1 to 128";
            return Err(Problem::invalid(format!("reservation_id has {length} characters; {range}")));
        }
        let id =
            read_id(name).ok_or_else(|| Problem::new(ErrorCode::NotFound, "there is no such reservation"))?;
        let now = self.world.time.now();
        self.facts.reservation = Some(id);
        self.facts.remaining_before =
            self.world.store().peek(id).map(|reservation| now.until(reservation.expires_at()));
        Ok(id)
    }

    /// A19: another tenant's subject is forbidden. Whether this one names the tenant at all, and so its budget (A5).
    fn names_tenant(&self, subject: &Subject, tenant: TenantId) -> Result<bool> {
        subject.check().map_err(Problem::invalid)?;
        match &subject.tenant {
            Some(name) if Some(name.as_str()) != self.world.name_of(tenant) => {
                Err(Problem::new(ErrorCode::Forbidden, "subject.tenant is not the tenant of the API key"))
            }
            other => Ok(other.is_some()),
        }
    }

    fn settled(&mut self, replayed: bool) {
        self.facts.replayed = replayed;
        self.facts.applied = !replayed;
    }

    fn expiry(&mut self, expires_at: ServerTime, remaining_ttl: Option<Millis>) {
        self.facts.expires_at = Some(expires_at);
        self.facts.remaining_ttl = remaining_ttl;
    }
}

fn detail(reservation: &Reservation<Box<Kept>>) -> Detail {
    let kept = &reservation.data;
    let scopes = kept.subject.scopes();
    Detail {
        reservation_id: written(reservation.id()),
        status: reservation.status().as_str().to_owned(),
        subject: kept.subject.clone(),
        action: kept.action.clone(),
        reserved: reservation.reserved().into(),
        created_at_ms: int64(reservation.created_at()),
        expires_at_ms: int64(reservation.expires_at()),
        scope_path: scopes.last().cloned().unwrap_or_default(),
        affected_scopes: scopes,
        idempotency_key: Some(kept.key.clone()),
        committed: reservation.charged().map(Into::into),
        finalized_at_ms: reservation.finalized_at().map(int64),
        metadata: kept.metadata.clone(),
        committed_metadata: kept.committed_metadata.clone(),
    }
}

fn overage(policy: Option<OveragePolicy>) -> Overage {
    policy.map(Into::into).unwrap_or_default()
}

fn int64(time: ServerTime) -> Int64 {
    Int64::new(time.as_millis())
}

fn ok(status: StatusCode, body: &impl Serialize) -> Result<Success> {
    let body = serde_json::to_vec(body)
        .map_err(|error| Problem::new(ErrorCode::InternalError, format!("the answer: {error}")))?;
    Ok(Success { status, body })
}
