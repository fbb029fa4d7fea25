//! One attempt over HTTP: from the kernel's description of it to the event that reports what became of it.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use leasebeat::wire::{UnknownKeys, decode};
use leasebeat::{Attempt, Event, Failure, Instant, Operation, Outcome};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use serde::Serialize;

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
        let (outcome, detail) = match exchange {
            Err(_) => (Outcome::Failed(Failure::Timeout), None),
            Ok(Err(trouble)) => (Outcome::Failed(trouble.failure), Some(trouble.detail)),
            Ok(Ok((outcome, detail))) => (outcome.timed(sent, at), detail),
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
                self.read(attempt.operation, response).await
            }
            Operation::Extend => {
                let id = self.reservation_id().unwrap_or_default();
                let request = ExtendRequest {
                    idempotency_key: key,
                    extend_by_ms: Whole::new(attempt.extend_by.get()),
                    metadata: None,
                };
                let response = self.post(&["v1", "reservations", id, "extend"], &request).await?;
                self.read(attempt.operation, response).await
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

    /// C1, W: what the answer proves, by the kernel's own decoder.
    async fn read(&self, operation: Operation, mut response: Response) -> Exchange {
        let status = response.status().as_u16();
        let headers: Vec<_> = response.headers().get_all(RETRY_AFTER).iter().cloned().collect();
        // C5: two headers are a list, and a list is invalid.
        let retry_after = match headers.as_slice() {
            [] => None,
            [one] => Some(one.as_bytes()),
            _ => Some(&b","[..]),
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
        let decoded = decode(operation, status, retry_after, &body, UnknownKeys::Reject);
        if let Some(id) = decoded.reservation_id() {
            // Unescaped it is no longer than as it stands. A replayed create names the same reservation.
            let mut buffer = vec![0; body.len()];
            let _ = self.reservation_id.set(id.unescape(&mut buffer).unwrap_or_default().to_owned());
        }
        let detail = message(&body).or_else(|| decoded.problem().map(|problem| problem.to_string()));
        Ok((decoded.outcome(None), detail))
    }
}

/// The message of an error body, for a person.
fn message(body: &[u8]) -> Option<String> {
    let body: serde_json::Value = serde_json::from_slice(body).ok()?;
    body.get("message").and_then(serde_json::Value::as_str).map(str::to_owned)
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
