//! What is sent: the two requests of the protocol that keep a lease.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::{Method, Request};
use leasebeat::{Attempt, Operation};
use serde::Serialize;

use crate::job::Job;

/// What all requests have in common.
#[derive(Debug, Clone)]
pub struct Template {
    /// `host:port` of the server.
    pub authority: HeaderValue,
    /// Goes into `X-Cycles-API-Key`.
    pub api_key: HeaderValue,
    /// The tenant whose leases they are.
    pub tenant: String,
    /// Begins every idempotency key, and differs from run to run.
    pub stem: String,
    /// What a create asks for, in ms.
    pub ttl_ms: u64,
}

#[derive(Serialize)]
struct Create<'a> {
    idempotency_key: &'a str,
    subject: Subject<'a>,
    action: Action,
    estimate: Amount,
    ttl_ms: u64,
}

#[derive(Serialize)]
struct Subject<'a> {
    tenant: &'a str,
}

#[derive(Serialize)]
struct Action {
    kind: &'static str,
    name: &'static str,
}

#[derive(Serialize)]
struct Amount {
    unit: &'static str,
    amount: u64,
}

#[derive(Serialize)]
struct Extend<'a> {
    idempotency_key: &'a str,
    extend_by_ms: u64,
}

impl Template {
    /// The request of one attempt.
    ///
    /// # Panics
    /// Where the server's name for the lease can stand in no path.
    #[must_use]
    pub fn request(&self, job: &Job) -> Request<Full<Bytes>> {
        let key = self.key(job.serial, &job.attempt);
        let (path, body) = if let (Operation::Extend, Some(id)) = (job.attempt.operation, &job.reservation) {
            let body = Extend { idempotency_key: &key, extend_by_ms: job.attempt.extend_by.get() };
            (format!("/v1/reservations/{id}/extend"), serde_json::to_vec(&body))
        } else {
            let body = Create {
                idempotency_key: &key,
                subject: Subject { tenant: &self.tenant },
                action: Action { kind: "llm.completion", name: "gateway" },
                estimate: Amount { unit: "TOKENS", amount: 1 },
                ttl_ms: self.ttl_ms,
            };
            ("/v1/reservations".to_owned(), serde_json::to_vec(&body))
        };
        let body = body.expect("names and numbers have a JSON form");
        Request::builder()
            .method(Method::POST)
            .uri(path)
            .header(HOST, &self.authority)
            .header(CONTENT_TYPE, "application/json")
            .header("X-Cycles-API-Key", &self.api_key)
            .body(Full::from(body))
            .expect("the path is plain ASCII")
    }

    /// One key generation, one key: a retry repeats it, and the server answers it once.
    #[must_use]
    pub fn key(&self, serial: u64, attempt: &Attempt) -> String {
        format!("{}-{serial}-{}", self.stem, attempt.key_generation)
    }
}
