//! The keys of an object: which of the schema's one is, and which lack.

use super::problem::Fault;
use super::schema::{Key, Object};
use super::text::Text;

/// A key, and its bit among the object's.
pub(super) type Found = Option<(&'static Key, u32)>;

/// Reads a key from behind its opening quote, and finds it in the schema. Also gives what follows it.
pub(super) fn find(object: Object, seen: u32, content: &[u8]) -> Result<(Found, &[u8]), Fault> {
    // Most servers write keys in the schema's order, so the search begins behind the last of those that have been
    // there; and most write them without escapes, so they need no scanning.
    let next = u32::BITS.wrapping_sub(seen.leading_zeros());
    let keys = object.keys();
    let (before, after) = keys.split_at_checked(next as usize).unwrap_or((keys, &[]));
    if let Some(found) = find_plain(after, 1 << (next & 31), content) {
        return Ok(found);
    }
    if let Some(found) = find_plain(before, 1, content) {
        return Ok(found);
    }
    let (name, behind) = Text::scan(content)?;
    let mut bit = 1;
    for key in keys {
        if name.is(key.name()) {
            return Ok((Some((key, bit)), behind));
        }
        bit <<= 1;
    }
    Ok((None, behind))
}

/// The one of `keys` that `content` begins with, unescaped and up to its closing quote; `bit` is that of the first.
fn find_plain<'a>(keys: &'static [Key], bit: u32, content: &'a [u8]) -> Option<(Found, &'a [u8])> {
    let mut bit = bit;
    for key in keys {
        if content.first() == Some(&key.first) {
            if let Some([b'"', behind @ ..]) = content.strip_prefix(key.bytes()) {
                return Some((Some((key, bit)), behind));
            }
        }
        bit <<= 1;
    }
    None
}

/// A required key that was not there.
pub(super) fn missing(object: Object, seen: u32) -> Option<&'static str> {
    let mut seen = seen;
    for key in object.keys() {
        if key.required && seen & 1 == 0 {
            return Some(key.name());
        }
        seen >>= 1;
    }
    None
}
