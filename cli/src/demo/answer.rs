//! HTTP answers of the demo's server, the broken ones included.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::{StreamExt, stream};
use leasebeat::ErrorCode;
use serde::Serialize;
use uuid::Uuid;

use super::lease::Refusal;
use super::schema::ErrorResponse;
use super::server::{TENANT, status_of};

/// A 200, and how much of it goes out.
#[derive(Debug)]
pub(super) struct Answer {
    body: Vec<u8>,
    stalls: bool,
}

impl Answer {
    pub(super) fn ok(body: &impl Serialize) -> Self {
        let body = serde_json::to_vec(body).expect("a body of names and numbers has a JSON form");
        Self { body, stalls: false }
    }

    /// A complete HTTP answer with half of a JSON text in it.
    pub(super) fn cut_short(mut self) -> Self {
        self.body.truncate(self.body.len() / 2);
        self
    }

    /// Half of the body comes, the rest never does: only a bound on the whole attempt catches that.
    pub(super) fn stalled(mut self) -> Self {
        self.stalls = true;
        self
    }
}

/// The answer, or the refusal in the protocol's form.
pub(super) fn respond(result: Result<Answer, Refusal>) -> Response {
    let answer = match result {
        Ok(answer) => answer,
        Err(refusal) => return refuse(status_of(refusal.code), &refusal, None),
    };
    let length = answer.body.len();
    let body = if answer.stalls {
        let half = Bytes::from(answer.body).slice(..length / 2);
        let chunks = stream::iter([Ok::<_, Infallible>(half)]).chain(stream::pending());
        Body::from_stream(chunks)
    } else {
        Body::from(answer.body)
    };
    let mut builder = Response::builder().status(StatusCode::OK).header("X-Cycles-Tenant", TENANT);
    if answer.stalls {
        builder = builder.header("Content-Length", length);
    }
    finish(builder, &id("req_"), &trace_id(), body)
}

/// A 503.
pub(super) fn unavailable() -> Response {
    let refusal = Refusal::new(ErrorCode::InternalError, "the store is unavailable");
    refuse(StatusCode::SERVICE_UNAVAILABLE, &refusal, None)
}

/// A 429 that asks to wait, until `reset_s` of the epoch.
pub(super) fn throttled(retry_after_s: u64, reset_s: u64) -> Response {
    let refusal = Refusal::new(ErrorCode::LimitExceeded, "too many requests");
    refuse(StatusCode::TOO_MANY_REQUESTS, &refusal, Some((retry_after_s, reset_s)))
}

fn refuse(status: StatusCode, refusal: &Refusal, throttle: Option<(u64, u64)>) -> Response {
    let body = ErrorResponse {
        error: refusal.code.as_str().to_owned(),
        message: refusal.message.clone(),
        request_id: id("req_"),
        trace_id: trace_id(),
    };
    let text = serde_json::to_vec(&body).expect("texts have a JSON form");
    let mut builder = Response::builder().status(status);
    if let Some((retry_after_s, reset_s)) = throttle {
        builder = builder.header("Retry-After", retry_after_s).header("X-RateLimit-Reset", reset_s);
    }
    finish(builder, &body.request_id, &body.trace_id, Body::from(text))
}

fn finish(builder: axum::http::response::Builder, request_id: &str, trace_id: &str, body: Body) -> Response {
    builder
        .header("Content-Type", "application/json")
        .header("X-Request-Id", request_id)
        .header("X-Cycles-Trace-Id", trace_id)
        .body(body)
        .expect("names and values of these headers are valid")
}

fn id(prefix: &str) -> String {
    format!("{prefix}{}", trace_id())
}

/// 32 lower-case hexadecimal digits, never all zero.
fn trace_id() -> String {
    Uuid::new_v4().simple().to_string()
}
