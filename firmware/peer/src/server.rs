//! The server: the authority, asked over HTTP.

use std::collections::BTreeMap;

use leasebeat::Millis;
use leasebeat_authority::{
    Amount, Authority, Call, Create, CreateAnswer, Digest, KeyRecord, Overage, Policy, Refusal, Reservation,
    ReservationId, ServerTime, Settings, Tenant, TenantId, Unit,
};
use serde_json::{Value, json};

use crate::Outcome;
use crate::http::{Request, error, response};

type Store = Authority<(), Vec<Tenant>, Vec<Option<Reservation<()>>>, Vec<Option<KeyRecord>>>;

const TENANT: TenantId = TenantId(0);
/// An arbitrary time of day.
const BEGAN_MS: u64 = 1_785_585_600_000;

/// The leases, and which device's they are.
pub(crate) struct Server {
    store: Store,
    /// In the order in which they were created, by the stem of their keys.
    names: BTreeMap<String, ReservationId>,
    digests: BTreeMap<String, u128>,
}

impl Server {
    pub(crate) fn new() -> Outcome<Self> {
        // As often as is wanted: the run lasts longer than ten extensions.
        let policy = Policy::new(Settings { max_extensions: None, ..Settings::default() })?;
        let tenants = vec![Tenant::new(policy, None)];
        let slots = |count| std::iter::repeat_with(|| None).take(count).collect();
        let keys = std::iter::repeat_with(|| None).take(4096).collect();
        Ok(Self {
            store: Authority::new(tenants, slots(16), keys, Millis::new(86_400_000)),
            names: BTreeMap::new(),
            digests: BTreeMap::new(),
        })
    }

    /// What is answered at `ms` since the start.
    pub(crate) fn answer(&mut self, request: &Request, ms: u64) -> Outcome<Vec<u8>> {
        let now = ServerTime::from_millis(BEGAN_MS + ms);
        let body: Value = serde_json::from_slice(&request.body)?;
        let key = body["idempotency_key"].as_str().ok_or("a request has an idempotency_key")?.to_owned();
        let call = Call { tenant: TENANT, key: self.digest(&key), payload: self.digest(&body.to_string()) };
        let answered = match request.extends() {
            None => self.create(&call, &key, &body, now),
            Some(id) => self.extend(&call, id, &body, now),
        };
        Ok(match answered {
            Ok(body) => response(200, None, &body),
            Err(refusal) => error(400, refusal.code().as_str(), &refusal.to_string(), None),
        })
    }

    fn create(&mut self, call: &Call, key: &str, body: &Value, now: ServerTime) -> Result<Value, Refusal> {
        let estimate = Amount {
            unit: body["estimate"]["unit"].as_str().and_then(Unit::from_name).unwrap_or(Unit::Tokens),
            amount: body["estimate"]["amount"].as_u64().unwrap_or_default(),
        };
        let create = Create {
            id: ReservationId(call.key.0),
            ttl_ms: body["ttl_ms"].as_u64(),
            grace_ms: Some(0),
            estimate,
            overage: Overage::default(),
            dry_run: false,
            in_budget: true,
        };
        let answered = self.store.create(call, &create, (), now)?;
        let CreateAnswer::Created(created) = answered.answer else { return Err(Refusal::NotFound) };
        let stem = key.rsplit_once('-').map_or(key, |(stem, _)| stem);
        self.names.insert(stem.to_owned(), created.id);
        Ok(json!({
            "decision": "ALLOW",
            "reservation_id": format!("{:032x}", created.id.0),
            "affected_scopes": ["tenant:field"],
            "expires_at_ms": created.expires_at.as_millis(),
            "remaining_ttl_ms": created.remaining_ttl.map(Millis::get),
        }))
    }

    fn extend(&mut self, call: &Call, id: &str, body: &Value, now: ServerTime) -> Result<Value, Refusal> {
        let id = u128::from_str_radix(id, 16).map_err(|_| Refusal::NotFound)?;
        let extend_by_ms = body["extend_by_ms"].as_u64().unwrap_or_default();
        let extended = self.store.extend(call, ReservationId(id), extend_by_ms, now)?.answer;
        Ok(json!({
            "status": "ACTIVE",
            "expires_at_ms": extended.expires_at.as_millis(),
            "remaining_ttl_ms": extended.remaining_ttl.map(Millis::get),
        }))
    }

    /// How long each lease still lives at `ms`; nothing for one that has lapsed.
    pub(crate) fn left(&self, ms: u64) -> Vec<Option<Millis>> {
        let now = ServerTime::from_millis(BEGAN_MS + ms);
        let alive = |id: &ReservationId| {
            let reservation = self.store.peek(*id)?;
            (now <= reservation.expires_at()).then(|| now.until(reservation.expires_at()))
        };
        self.names.values().map(alive).collect()
    }

    /// How many extensions each lease was granted.
    pub(crate) fn extensions(&self) -> Vec<u32> {
        self.names.values().map(|id| self.store.peek(*id).map_or(0, Reservation::extensions)).collect()
    }

    /// Texts are few here: their number is a digest without collisions.
    fn digest(&mut self, text: &str) -> Digest {
        let next = self.digests.len() as u128 + 1;
        // Spread, as a digest is.
        let spread = next.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        Digest(*self.digests.entry(text.to_owned()).or_insert(spread))
    }
}
