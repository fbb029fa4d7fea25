//! One attempt over HTTP: from the kernel's description of it to the event that reports what became of it.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use leasebeat::{
    Attempt, ErrorCode, Event, Failure, HttpFailure, Instant, Operation, Outcome, Success, parse_retry_after,
};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde::Serialize;

use super::schema::{CreateResponse, ExtendResponse, Verdict};
use crate::clock::Clock;
use crate::serve::body::{CreateRequest, ExtendRequest};
use crate::serve::scalar::{Text, Whole};

/// No answer of this protocol comes near it: a bound on memory.
const BODY_MAX_BYTES: usize = 1 << 20;

/// A server, and the one reservation that is kept on it.
#[derive(Debug)]
pub(super) struct Api {
    client: Client,
    base: Url,
    clock: Clock,
    timeout: Duration,
    template: CreateRequest,
    reservation_id: OnceLock<String>,
}

/// What became of an attempt, and when.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) at: Instant,
    pub(super) event: Event,
    /// What the network or the server said about a failure, for a person.
    pub(super) detail: Option<String>,
}

/// An outcome before it is dated.
type Exchange = Result<(Outcome, Option<String>), Trouble>;

/// A failure without an HTTP answer.
#[derive(Debug)]
struct Trouble {
    failure: Failure,
    detail: String,
}

impl Api {
    /// A client of `base`. `timeout` bounds each whole attempt; `template` is the create, whose
    /// `idempotency_key` is the stem of all keys.
    pub(super) fn new(
        base: Url,
        api_key: &str,
        timeout: Duration,
        template: CreateRequest,
        clock: Clock,
    ) -> Result<Self, String> {
        let mut key =
            HeaderValue::from_str(api_key).map_err(|_| "the API key has characters no header takes")?;
        key.set_sensitive(true);
        let mut headers = HeaderMap::new();
        headers.insert("X-Cycles-API-Key", key);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        // It is an error only where a provider is installed already, and then that one serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = Client::builder()
            .default_headers(headers)
            .user_agent(concat!("leasebeat/", env!("CARGO_PKG_VERSION")))
            .http1_only()
            // A beat is a small request: waiting to fill a packet would only slow it.
            .tcp_nodelay(true)
            // The kernel decides on each attempt; a client that redirects or retries by itself would hide some.
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never());
        if base.scheme() == "http" {
            // A machine without certificates can still speak plain HTTP.
            builder = builder.tls_certs_only(std::iter::empty());
        }
        if base.host_str() == Some("127.0.0.1") {
            builder = builder.no_proxy();
        }
        let client = builder
            .build()
            .map_err(|error| format!("cannot set up the HTTP client: {}", innermost(&error)))?;
        Ok(Self { client, base, clock, timeout, template, reservation_id: OnceLock::new() })
    }

    /// The server's name for the reservation, once it is created.
    pub(super) fn reservation_id(&self) -> Option<&str> {
        self.reservation_id.get().map(String::as_str)
    }

    /// Makes one attempt. The round trip is measured from just before the send to the whole, valid body (T7).
    pub(super) async fn attempt(&self, attempt: Attempt) -> Report {
        let sent = self.clock.now();
        // The bound holds from connect to the last byte of the body, however slowly the bytes trickle.
        let exchange = tokio::time::timeout(self.timeout, self.exchange(&attempt)).await;
        let at = self.clock.now();
        let rtt_ns = at.as_nanos().saturating_sub(sent.as_nanos());
        let (outcome, detail) = match exchange {
            Err(_) => (Outcome::Failed(Failure::Timeout), None),
            Ok(Err(trouble)) => (Outcome::Failed(trouble.failure), Some(trouble.detail)),
            Ok(Ok((outcome, detail))) => (timed(outcome, rtt_ns), detail),
        };
        Report { at, event: outcome.of(attempt.id), detail }
    }

    async fn exchange(&self, attempt: &Attempt) -> Exchange {
        // Attempts of one generation repeat one request: the server answers it once and replays that answer.
        let key = format!("{}-{}", self.template.idempotency_key, attempt.key_generation);
        let key = Text::new(key).expect("a stem and a number are a short key");
        match attempt.operation {
            Operation::Create => {
                let request = CreateRequest { idempotency_key: key, ..self.template.clone() };
                let response = self.post(&["v1", "reservations"], &request).await?;
                self.read(response, |body| self.created(body)).await
            }
            Operation::Extend => {
                let id = self.reservation_id().unwrap_or_default();
                let request = ExtendRequest {
                    idempotency_key: key,
                    extend_by_ms: Whole::new(attempt.extend_by.get()),
                    metadata: None,
                };
                let response = self.post(&["v1", "reservations", id, "extend"], &request).await?;
                self.read(response, extended).await
            }
        }
    }

    async fn post(&self, path: &[&str], body: &impl Serialize) -> Result<Response, Trouble> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        let body = serde_json::to_vec(body).expect("a request of names and numbers has a JSON form");
        self.client.post(url).body(body).send().await.map_err(|error| lost(&error))
    }

    /// C1: only an exact 200 whose body is valid by the schema is a success.
    async fn read(
        &self,
        mut response: Response,
        decode: impl Fn(&[u8]) -> Result<Outcome, String>,
    ) -> Exchange {
        let status = response.status().as_u16();
        let retry_after = {
            let mut values = response.headers().get_all(RETRY_AFTER).iter();
            // C5: two headers are a list, and a list is invalid.
            values
                .next()
                .filter(|_| values.next().is_none())
                .and_then(|one| parse_retry_after(one.as_bytes()))
        };
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| lost(&error))? {
            body.extend_from_slice(&chunk);
            if body.len() > BODY_MAX_BYTES {
                return Err(Trouble {
                    failure: Failure::Ambiguous,
                    detail: "the body is too long".to_owned(),
                });
            }
        }
        if status == 200 {
            let decoded = decode(&body);
            return decoded
                .map(|outcome| (outcome, None))
                .map_err(|detail| Trouble { failure: Failure::Ambiguous, detail });
        }
        let (code, detail) = refusal(&body);
        Ok((Outcome::Failed(Failure::Http(HttpFailure { status, code, retry_after })), detail))
    }

    fn created(&self, body: &[u8]) -> Result<Outcome, String> {
        let created: CreateResponse = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        if created.decision == Verdict::Deny {
            return Ok(Outcome::Denied);
        }
        match created.reservation_id {
            Some(id) if !id.is_empty() => {
                // A replayed create names the same reservation.
                let _ = self.reservation_id.set(id);
                Ok(Outcome::Created(Success {
                    rtt_ns: None,
                    remaining_ttl_ms: created.remaining_ttl_ms.map(super::schema::Int64::get),
                    expires_at_ms: created.expires_at_ms.map(super::schema::Int64::get),
                }))
            }
            _ => Err("allowed, but without a reservation_id".to_owned()),
        }
    }
}

fn extended(body: &[u8]) -> Result<Outcome, String> {
    let extended: ExtendResponse = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    Ok(Outcome::Extended(Success {
        rtt_ns: None,
        remaining_ttl_ms: extended.remaining_ttl_ms.map(super::schema::Int64::get),
        expires_at_ms: Some(extended.expires_at_ms.get()),
    }))
}

/// A success with its round trip.
fn timed(outcome: Outcome, rtt_ns: u64) -> Outcome {
    let with = |success: Success| Success { rtt_ns: Some(rtt_ns), ..success };
    match outcome {
        Outcome::Created(success) => Outcome::Created(with(success)),
        Outcome::Extended(success) => Outcome::Extended(with(success)),
        other => other,
    }
}

/// The code and message of an error body, as far as it is one. Never fails: the status decides without them.
fn refusal(body: &[u8]) -> (Option<ErrorCode>, Option<String>) {
    let Ok(serde_json::Value::Object(body)) = serde_json::from_slice(body) else { return (None, None) };
    let text = |key: &str| body.get(key).and_then(serde_json::Value::as_str);
    (text("error").and_then(ErrorCode::from_name), text("message").map(str::to_owned))
}

fn lost(error: &reqwest::Error) -> Trouble {
    Trouble { failure: Failure::Connection, detail: innermost(error) }
}

/// The cause that a person can do something about stands innermost.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
