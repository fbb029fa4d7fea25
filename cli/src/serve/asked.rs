//! A request as it came: its bytes, what they say, and the digests that a replay is told by.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue};
use leasebeat_authority::{Call, Digest, TenantId};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::problem::Problem;

/// The headers and the body of a request.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) headers: HeaderMap,
    body: Bytes,
    /// The body in general, where it is JSON at all.
    value: Option<Value>,
}

impl Asked {
    pub(super) fn new(headers: HeaderMap, body: Bytes) -> Self {
        let value = serde_json::from_slice(&body).ok();
        Self { headers, body, value }
    }

    /// The key, as far as there is one: read before anything is checked, for the script and the log.
    pub(super) fn key(&self) -> Option<&str> {
        self.value.as_ref()?.get("idempotency_key")?.as_str()
    }

    pub(super) fn api_key(&self) -> Option<&[u8]> {
        self.headers.get("X-Cycles-API-Key").map(HeaderValue::as_bytes)
    }

    /// Reads the body. A key in the header, where there is one, must be the one in the body.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        if let Some(kind) = self.headers.get("Content-Type") {
            let kind = String::from_utf8_lossy(kind.as_bytes());
            let essence = kind.split(';').next().unwrap_or_default().trim();
            if !essence.eq_ignore_ascii_case("application/json") {
                return Err(Problem::invalid(format!("Content-Type is {kind}; it must be application/json")));
            }
        }
        let mut reader = serde_json::Deserializer::from_slice(&self.body);
        let request: T = serde_path_to_error::deserialize(&mut reader)
            .map_err(|error| Problem::invalid(format!("the body: {error}")))?;
        reader.end().map_err(|error| Problem::invalid(format!("the body: {error}")))?;
        match (self.headers.get("X-Idempotency-Key"), self.key()) {
            (Some(header), Some(key)) if !says(header, key) => {
                Err(Problem::invalid("X-Idempotency-Key differs from the body's idempotency_key"))
            }
            _ => Ok(request),
        }
    }

    /// The digests of a body that was read.
    pub(super) fn call(&self, tenant: TenantId) -> Call {
        // Objects are kept sorted by key, so that the same payload has the same text.
        let canonical = self.value.as_ref().map(Value::to_string).unwrap_or_default();
        let key = digest(self.key().unwrap_or_default());
        Call { tenant, key, payload: digest(&canonical) }
    }
}

/// Half of the SHA-256 of a text.
pub(super) fn digest(text: &str) -> Digest {
    let whole = Sha256::digest(text.as_bytes());
    let mut half = [0; 16];
    half.copy_from_slice(&whole[..16]);
    Digest(u128::from_be_bytes(half))
}

/// Whether a header carries `text`, as UTF-8 or, as older clients write it, in Latin-1.
fn says(header: &HeaderValue, text: &str) -> bool {
    let latin = || header.as_bytes().iter().map(|byte| char::from(*byte)).eq(text.chars());
    header.as_bytes() == text.as_bytes() || latin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(body: &str) -> Asked {
        Asked::new(HeaderMap::new(), Bytes::from(body.to_owned()))
    }

    #[test]
    fn a16_the_same_payload_has_the_same_digest() {
        let call = |body: &str| asked(body).call(TenantId(0));
        let one = call(r#"{"idempotency_key":"k","a":{"x":1,"y":2}}"#);
        assert_eq!(one, call("{ \"a\": {\"y\":2, \"x\":1},\n \"idempotency_key\":\"\\u006b\" }"));
        assert_ne!(one.payload, call(r#"{"idempotency_key":"k","a":{"x":1,"y":3}}"#).payload);
    }

    #[test]
    fn a_bad_body_is_told_what_is_wrong_and_where() {
        use super::super::body::CreateRequest;
        let body = r#"{"idempotency_key":"k","subject":{"tenant":"t"},"action":{"kind":"k","name":"n"},
            "estimate":{"unit":"TOKENS","amount":-1}}"#;
        let problem = asked(body).read::<CreateRequest>().expect_err("it is refused");
        assert!(problem.message.contains("estimate.amount"), "{}", problem.message);
    }
}
