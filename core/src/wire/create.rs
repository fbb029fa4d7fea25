//! What a 200 to a create says (W3).

use super::UnknownKeys;
use super::problem::{Fault, Wrong};
use super::schema::{DENY, Object};
use super::text::Text;
use super::walk::walk;
use crate::event::{Outcome, Success};

/// The outcome, and the reservation where one was granted.
pub(super) fn decode(body: &[u8], unknown_keys: UnknownKeys) -> Result<(Outcome, Option<Text<'_>>), Fault> {
    let fields = walk(body, Object::Create, unknown_keys)?;
    if fields.decision.is_some_and(|decision| decision.is(DENY)) {
        return Ok((Outcome::Denied, None));
    }
    match fields.reservation_id {
        Some((id, _)) if !id.is_empty() => {
            let success = Success {
                rtt_ns: None,
                remaining_ttl_ms: fields.remaining_ttl_ms,
                expires_at_ms: fields.expires_at_ms,
            };
            Ok((Outcome::Created(success), Some(id)))
        }
        empty => Err(Fault::before(Wrong::NoReservationId, empty.map_or(fields.end, |(_, at)| at))),
    }
}
