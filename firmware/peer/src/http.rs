//! Requests read and answers written.

use serde_json::{Value, json};

use crate::Outcome;

/// A request, whole.
pub(crate) struct Request {
    path: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads the bytes that came over the modem; strictly, for they are the device's.
    pub(crate) fn read(bytes: &[u8]) -> Outcome<Self> {
        let mut headers = [httparse::EMPTY_HEADER; 16];
        let mut head = httparse::Request::new(&mut headers);
        let httparse::Status::Complete(length) = head.parse(bytes)? else {
            return Err("a request is cut".into());
        };
        let body = bytes[length..].to_vec();
        let header = |name: &str| {
            head.headers
                .iter()
                .find(|header| header.name.eq_ignore_ascii_case(name))
                .and_then(|header| std::str::from_utf8(header.value).ok())
        };
        let expected = [
            ("Content-Length", body.len().to_string()),
            ("Content-Type", "application/json".to_owned()),
            ("X-Cycles-API-Key", "field".to_owned()),
        ];
        for (name, value) in expected {
            if header(name) != Some(value.as_str()) {
                return Err(format!("{name} is {:?}, not {value}", header(name)).into());
            }
        }
        match (head.method, head.path) {
            (Some("POST"), Some(path)) => Ok(Self { path: path.to_owned(), body }),
            other => Err(format!("no request of the protocol: {other:?}").into()),
        }
    }

    /// The reservation that it extends; nothing for a create.
    pub(crate) fn extends(&self) -> Option<&str> {
        self.path.strip_prefix("/v1/reservations/")?.strip_suffix("/extend")
    }
}

/// An answer with a body.
pub(crate) fn response(status: u16, retry_after: Option<u32>, body: &Value) -> Vec<u8> {
    let body = body.to_string();
    let retry_after = retry_after.map_or_else(String::new, |seconds| format!("Retry-After: {seconds}\r\n"));
    format!(
        "HTTP/1.1 {status} -\r\nContent-Type: application/json\r\n{retry_after}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// An error of the protocol.
pub(crate) fn error(status: u16, code: &str, message: &str, retry_after: Option<u32>) -> Vec<u8> {
    response(status, retry_after, &json!({ "error": code, "message": message, "request_id": "r" }))
}
