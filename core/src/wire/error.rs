//! What the body of a 4xx or 5xx says (W4).

use super::UnknownKeys;
use super::problem::{Fault, Wrong};
use super::schema::Object;
use super::walk::walk;
use crate::event::ErrorCode;

/// The code: of a body that is one well-formed JSON object and has one `error` that the protocol names. The rest
/// of it is skipped, for an error may come from a gateway that knows no schema.
pub(super) fn code(body: &[u8]) -> Result<ErrorCode, Fault> {
    let fields = walk(body, Object::Error, UnknownKeys::Ignore)?;
    let (text, at) = fields.code.ok_or(Fault::before(Wrong::KeyMissing("error"), fields.end))?;
    ErrorCode::ALL
        .iter()
        .copied()
        .find(|code| text.is(code.as_str()))
        .ok_or(Fault::before(Wrong::UnknownCode, at))
}
