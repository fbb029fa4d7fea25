//! HTTP answers, the broken ones included.

use std::convert::Infallible;
use std::io;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::{StreamExt, stream};

use super::apply::Success;
use super::body::ErrorResponse;
use super::correlate::Correlation;
use super::fault::Answer;
use super::problem::{Problem, Throttle};

/// An answer that is complete, and what a fault makes of it.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    body: Vec<u8>,
    headers: HeaderMap,
    ends: Ends,
}

/// How the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// Where it should.
    Whole,
    /// Half-way, with the connection.
    Cut,
    /// Half-way, and the rest never comes.
    Stalled,
}

impl Reply {
    pub(super) fn new(result: &Result<Success, Problem>, ids: &Correlation, tenant: Option<&str>) -> Self {
        let mut headers = HeaderMap::new();
        let mut put = |name: &'static str, value: &str| {
            // Ids are hexadecimal, tenants were checked, and a Retry-After was too.
            if let Ok(value) = HeaderValue::from_str(value) {
                headers.insert(name, value);
            }
        };
        put("content-type", "application/json");
        put("x-request-id", &ids.request_id);
        put("x-cycles-trace-id", &ids.trace_id);
        if let Some(tenant) = tenant {
            put("x-cycles-tenant", tenant);
        }
        let (status, body) = match result {
            Ok(success) => (success.status, success.body.clone()),
            Err(problem) => {
                if let Some(Throttle { retry_after, reset_s }) = &problem.throttle {
                    put("x-ratelimit-reset", &reset_s.to_string());
                    if let Some(retry_after) = retry_after {
                        put("retry-after", retry_after);
                    }
                }
                (problem.status, error_body(problem, ids))
            }
        };
        Self { status, body, headers, ends: Ends::Whole }
    }

    pub(super) fn with_header(mut self, name: &'static str, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// What a fault makes of the answer to a request that was applied.
    pub(super) fn spoiled(mut self, answer: &Answer) -> Self {
        match answer {
            Answer::Malformed => self.body.truncate(self.body.len() / 2),
            Answer::WrongSchema => self.body = br#"{"result":"OK"}"#.to_vec(),
            Answer::Body(text) => self.body = text.clone().into_bytes(),
            Answer::Accepted if self.status.is_success() => self.status = StatusCode::ACCEPTED,
            Answer::Truncated => self.ends = Ends::Cut,
            Answer::Stall => self.ends = Ends::Stalled,
            _ => {}
        }
        self
    }

    pub(super) fn into_response(self) -> Response {
        let length = self.body.len();
        let bytes = Bytes::from(self.body);
        let half = bytes.slice(..length / 2);
        let body = match self.ends {
            Ends::Whole => Body::from(bytes),
            Ends::Cut => {
                let broken = io::Error::new(io::ErrorKind::ConnectionAborted, "cut as asked for");
                // The half must be on its way before the connection ends.
                let end = stream::once(async {
                    tokio::task::yield_now().await;
                    Err(broken)
                });
                Body::from_stream(stream::iter([Ok(half)]).chain(end))
            }
            Ends::Stalled => {
                Body::from_stream(stream::iter([Ok::<_, Infallible>(half)]).chain(stream::pending()))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if self.ends != Ends::Whole {
            response.headers_mut().insert("content-length", HeaderValue::from(length));
        }
        response
    }
}

fn error_body(problem: &Problem, ids: &Correlation) -> Vec<u8> {
    let body = ErrorResponse {
        error: problem.code.as_str().to_owned(),
        message: problem.message.clone(),
        request_id: ids.request_id.clone(),
        trace_id: ids.trace_id.clone(),
        details: problem.details.clone(),
    };
    // Texts always have a JSON form.
    serde_json::to_vec(&body).unwrap_or_default()
}
