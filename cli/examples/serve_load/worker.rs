//! One client of the load: its own reservations, and what it knows of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::MissedTickBehavior;

use crate::Outcome;

const API_KEY: &str = "demo-key";
const TTL_MS: u64 = 3_600_000;
const EXTEND_BY_MS: u64 = 1_000;

/// What all workers count.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) requests: AtomicU64,
    pub(crate) slowest_us: AtomicU64,
}

/// A reservation, as its worker knows it must be.
#[derive(Debug)]
pub(crate) struct Lease {
    id: String,
    create_key: String,
    created_expiry: u64,
    expiry: u64,
    /// The last extension, to be replayed.
    last: Option<(String, u64)>,
}

#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) client: Client,
    pub(crate) url: String,
    pub(crate) number: u64,
    pub(crate) serial: u64,
    pub(crate) leases: Vec<Lease>,
    pub(crate) tally: Arc<Tally>,
}

impl Worker {
    /// A request at each tick, until the end.
    pub(crate) async fn work(mut self, end: Instant, pause: Duration) -> Outcome {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        while Instant::now() < end {
            ticks.tick().await;
            self.one().await?;
        }
        Ok(())
    }

    /// The next request of the mix, on the next reservation: mostly extensions, some replays and reads, now and then
    /// a commit and a new reservation in its place.
    async fn one(&mut self) -> Outcome {
        let turn = self.serial;
        let count = self.leases.len() as u64;
        let index = usize::try_from(turn % count).unwrap_or(0);
        match turn % 20 {
            0 => self.replay(index).await,
            1 => self.read(index).await,
            2 if turn / count % 4 == 0 => self.replace(index).await,
            3 => self.replay_create(index).await,
            _ => self.extend(index).await,
        }
    }

    fn key(&mut self) -> String {
        self.serial += 1;
        format!("load-{}-{}", self.number, self.serial)
    }

    pub(crate) async fn create(&mut self) -> Outcome<Lease> {
        let key = self.key();
        let body = self.post("/v1/reservations", 200, &created_by(&key)).await?;
        let expiry = number(&body, "expires_at_ms")?;
        must(number(&body, "remaining_ttl_ms")? == TTL_MS, "a new lease has its TTL", &body)?;
        let id = body["reservation_id"].as_str().ok_or("no reservation_id")?.to_owned();
        Ok(Lease { id, create_key: key, created_expiry: expiry, expiry, last: None })
    }

    async fn replay_create(&mut self, index: usize) -> Outcome {
        self.serial += 1;
        let request = created_by(&self.leases[index].create_key);
        let body = self.post("/v1/reservations", 200, &request).await?;
        let lease = &self.leases[index];
        must(body["reservation_id"] == lease.id.as_str(), "a replay names the same", &body)?;
        must(number(&body, "expires_at_ms")? == lease.created_expiry, "a replay repeats", &body)?;
        must(number(&body, "remaining_ttl_ms")? <= TTL_MS, "a replay does not overstate", &body)
    }

    async fn extend(&mut self, index: usize) -> Outcome {
        let key = self.key();
        let path = format!("/v1/reservations/{}/extend", self.leases[index].id);
        let body =
            self.post(&path, 200, &json!({"idempotency_key": key, "extend_by_ms": EXTEND_BY_MS})).await?;
        let lease = &mut self.leases[index];
        lease.expiry += EXTEND_BY_MS;
        lease.last = Some((key, lease.expiry));
        must(number(&body, "expires_at_ms")? == lease.expiry, "an extension adds", &body)
    }

    async fn replay(&mut self, index: usize) -> Outcome {
        let Some((key, expiry)) = self.leases[index].last.clone() else { return self.extend(index).await };
        self.serial += 1;
        let path = format!("/v1/reservations/{}/extend", self.leases[index].id);
        let request = json!({"idempotency_key": key, "extend_by_ms": EXTEND_BY_MS});
        let body = self.post(&path, 200, &request).await?;
        let answered = number(&body, "expires_at_ms")?;
        let lease = &mut self.leases[index];
        // An answer older than the retention is forgotten, and its key is fresh again.
        if answered == lease.expiry + EXTEND_BY_MS {
            lease.expiry = answered;
            lease.last = Some((key, answered));
        }
        must(answered == expiry || answered == lease.expiry, "a replay repeats", &body)
    }

    async fn read(&mut self, index: usize) -> Outcome {
        self.serial += 1;
        let path = format!("/v1/reservations/{}", self.leases[index].id);
        let request = self.client.get(self.url.clone() + &path);
        let body = self.send(request, 200).await?;
        let lease = &self.leases[index];
        must(body["status"] == "ACTIVE", "it is live", &body)?;
        must(number(&body, "expires_at_ms")? == lease.expiry, "it is as it was left", &body)
    }

    /// Commits one, sees that it is final, and makes another.
    async fn replace(&mut self, index: usize) -> Outcome {
        let (key, other) = (self.key(), self.key());
        let path = format!("/v1/reservations/{}", self.leases[index].id);
        let commit = json!({"idempotency_key": key, "actual": {"unit": "TOKENS", "amount": 40}});
        let body = self.post(&(path.clone() + "/commit"), 200, &commit).await?;
        must(body["charged"]["amount"] == 40 && body["released"]["amount"] == 60, "it is charged", &body)?;
        let body = self.post(&(path + "/release"), 409, &json!({"idempotency_key": other})).await?;
        must(body["error"] == "RESERVATION_FINALIZED", "it is final", &body)?;
        self.leases[index] = self.create().await?;
        Ok(())
    }

    async fn post(&self, path: &str, status: u16, body: &Value) -> Outcome<Value> {
        let request = self.client.post(self.url.clone() + path);
        self.send(request.header("Content-Type", "application/json").body(body.to_string()), status).await
    }

    async fn send(&self, request: reqwest::RequestBuilder, status: u16) -> Outcome<Value> {
        let sent = Instant::now();
        let response =
            request.header("X-Cycles-API-Key", API_KEY).send().await.map_err(|error| format!("{error:?}"))?;
        let answered = response.status().as_u16();
        let bytes = response.bytes().await.map_err(|error| format!("{error:?}"))?;
        let took_us = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.tally.requests.fetch_add(1, Ordering::Relaxed);
        self.tally.slowest_us.fetch_max(took_us, Ordering::Relaxed);
        let body = serde_json::from_slice(&bytes).map_err(|error| format!("{answered}: {error}"))?;
        if answered == status { Ok(body) } else { Err(format!("{answered}, not {status}: {body}")) }
    }
}

fn created_by(key: &str) -> Value {
    json!({
        "idempotency_key": key,
        "subject": {"tenant": "demo", "agent": "load"},
        "action": {"kind": "load", "name": "serve_load"},
        "estimate": {"unit": "TOKENS", "amount": 100},
        "ttl_ms": TTL_MS,
    })
}

fn number(body: &Value, name: &str) -> Outcome<u64> {
    body[name].as_u64().ok_or_else(|| format!("no {name}: {body}"))
}

fn must(holds: bool, what: &str, body: &Value) -> Outcome {
    if holds { Ok(()) } else { Err(format!("wrong answer, as {what}: {body}")) }
}
