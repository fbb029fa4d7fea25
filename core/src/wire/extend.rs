//! What a 200 to an extend says (C1, W2).

use super::UnknownKeys;
use super::problem::Fault;
use super::schema::Object;
use super::walk::walk;
use crate::event::{Outcome, Success};

pub(super) fn decode(body: &[u8], unknown_keys: UnknownKeys) -> Result<Outcome, Fault> {
    let fields = walk(body, Object::Extend, unknown_keys)?;
    Ok(Outcome::Extended(Success {
        rtt_ns: None,
        remaining_ttl_ms: fields.remaining_ttl_ms,
        expires_at_ms: fields.expires_at_ms,
    }))
}
