//! Strings of a JSON text: scanned once, then read without ever failing.

use super::problem::{Fault, Wrong};

/// A string in an answer's body, as it stands there. What [`decode`](super::decode) hands out is well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    /// What stands between the quotes.
    raw: &'a [u8],
    escaped: bool,
}

/// The buffer given to [`Text::unescape`] is shorter than the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BufferTooSmall {
    /// The bytes it needs.
    pub needed: usize,
}

impl<'a> Text<'a> {
    /// Scans a string from behind its opening quote. Also gives what follows its closing one.
    pub(super) fn scan(content: &'a [u8]) -> Result<(Self, &'a [u8]), Fault> {
        let mut rest = skip_plain(content);
        let mut escaped = false;
        loop {
            if let [b'"', behind @ ..] = rest {
                let length = content.len().wrapping_sub(rest.len());
                return Ok((Self { raw: content.get(..length).unwrap_or_default(), escaped }, behind));
            }
            escaped |= rest.first() == Some(&b'\\');
            match character(rest) {
                Ok((_, behind)) => rest = skip_plain(behind),
                Err(wrong) => return Err(Fault::new(wrong, rest)),
            }
        }
    }

    /// What stands between the quotes, escapes and all: a slice of the body.
    #[must_use]
    pub const fn as_raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The text as a slice of the body, where it has no escapes.
    #[must_use]
    pub fn as_str(&self) -> Option<&'a str> {
        if self.escaped { None } else { core::str::from_utf8(self.raw).ok() }
    }

    /// The text's characters, unescaped.
    pub fn chars(&self) -> impl Iterator<Item = char> + use<'a> {
        let mut rest = self.raw;
        core::iter::from_fn(move || {
            let (character, behind) = character(rest).ok()?;
            rest = behind;
            Some(character)
        })
    }

    /// Copies the text, unescaped, into `buffer`. It is never longer than [`as_raw`](Self::as_raw).
    ///
    /// # Errors
    /// Where it does not fit; the buffer's content is then unspecified.
    pub fn unescape<'b>(&self, buffer: &'b mut [u8]) -> Result<&'b str, BufferTooSmall> {
        let mut length = 0_usize;
        for character in self.chars() {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                if let Some(slot) = buffer.get_mut(length) {
                    *slot = byte;
                }
                length = length.saturating_add(1);
            }
        }
        let copy: &'b [u8] = buffer;
        let copy = copy.get(..length).ok_or(BufferTooSmall { needed: length })?;
        Ok(core::str::from_utf8(copy).unwrap_or_default())
    }

    /// Whether it has no characters.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether it has more than `most` characters (code points).
    pub(super) fn is_longer_than(&self, most: usize) -> bool {
        // A character takes at least a byte.
        most < self.raw.len() && self.chars().count() > most
    }

    /// Whether it reads `name`, however it is escaped.
    pub(super) fn is(&self, name: &str) -> bool {
        self.raw == name.as_bytes() || (self.escaped && self.chars().eq(name.chars()))
    }
}

impl core::fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "Text(\"{}\")", self.raw.escape_ascii())
    }
}

impl core::fmt::Display for BufferTooSmall {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the buffer is too small: the text takes {} bytes", self.needed)
    }
}

impl core::error::Error for BufferTooSmall {}

/// A word of the machine, so that a string is scanned some bytes at a time.
const WORD: usize = size_of::<usize>();
/// A word of bytes 1.
const ONES: usize = usize::MAX / 0xFF;
/// The highest bit of each byte.
const TOPS: usize = ONES << 7;

/// Skips the bytes of a string that are characters by themselves.
fn skip_plain(content: &[u8]) -> &[u8] {
    let mut rest = content;
    while let Some((word, behind)) = rest.split_first_chunk::<WORD>() {
        let word = usize::from_le_bytes(*word);
        // A byte's top bit is set in one of these where the byte is below 0x20, a quote or a backslash, and in at
        // least one where it is above 0x7F. A borrow may set the bits of later bytes too, never of earlier ones.
        let below_space = word.wrapping_sub(ONES << 5);
        let quote = (word ^ QUOTES).wrapping_sub(ONES);
        let backslash = (word ^ BACKSLASHES).wrapping_sub(ONES);
        let special = (below_space | quote | backslash) & TOPS;
        if special != 0 {
            return rest.get(special.trailing_zeros() as usize / 8..).unwrap_or_default();
        }
        rest = behind;
    }
    while let [byte, behind @ ..] = rest {
        if !is_plain(*byte) {
            break;
        }
        rest = behind;
    }
    rest
}

/// Words of nothing but quotes, and of nothing but backslashes.
const QUOTES: usize = ONES.wrapping_mul(b'"' as usize);
const BACKSLASHES: usize = ONES.wrapping_mul(b'\\' as usize);

/// A byte of a string that is a character by itself.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'!' | b'#'..=b'[' | b']'..=0x7F)
}

/// The character at the start of `rest`, and what follows it.
fn character(rest: &[u8]) -> Result<(char, &[u8]), Wrong> {
    match *rest {
        [] => Err(Wrong::Unfinished),
        [b'\\', ref escaped @ ..] => escape(escaped),
        [byte, ..] if byte < 0x20 => Err(Wrong::ControlCharacter),
        [byte, ref behind @ ..] if byte < 0x80 => Ok((char::from(byte), behind)),
        _ => sequence(rest).ok_or(Wrong::Utf8),
    }
}

/// A sequence of UTF-8 that is no ASCII: none that is overlong, a surrogate, or above U+10FFFF (W2).
fn sequence(rest: &[u8]) -> Option<(char, &[u8])> {
    let (bits, behind) = match *rest {
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ref behind @ ..] => ([0, 0, a & 0x1F, b], behind),
        [a @ 0xE0, b @ 0xA0..=0xBF, c @ 0x80..=0xBF, ref behind @ ..]
        | [a @ (0xE1..=0xEC | 0xEE | 0xEF), b @ 0x80..=0xBF, c @ 0x80..=0xBF, ref behind @ ..]
        | [a @ 0xED, b @ 0x80..=0x9F, c @ 0x80..=0xBF, ref behind @ ..] => ([0, a & 0x0F, b, c], behind),
        [a @ 0xF0, b @ 0x90..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ref behind @ ..]
        | [a @ 0xF1..=0xF3, b @ 0x80..=0xBF, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ref behind @ ..]
        | [a @ 0xF4, b @ 0x80..=0x8F, c @ 0x80..=0xBF, d @ 0x80..=0xBF, ref behind @ ..] => {
            ([a & 0x07, b, c, d], behind)
        }
        _ => return None,
    };
    let code = bits.into_iter().fold(0, |code, byte| (code << 6) | u32::from(byte & 0x3F));
    Some((char::from_u32(code)?, behind))
}

/// An escape from behind its backslash: what it stands for, and what follows it. A surrogate pair is one, and half
/// of one is none (W2).
fn escape(rest: &[u8]) -> Result<(char, &[u8]), Wrong> {
    let (letter, behind) = rest.split_first().ok_or(Wrong::Unfinished)?;
    let simple = match letter {
        b'"' | b'\\' | b'/' => char::from(*letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(behind),
        _ => return Err(Wrong::Escape),
    };
    Ok((simple, behind))
}

fn unicode_escape(rest: &[u8]) -> Result<(char, &[u8]), Wrong> {
    let (first, behind) = hexadecimal(rest).ok_or(Wrong::Escape)?;
    if let Some(character) = char::from_u32(first) {
        return Ok((character, behind));
    }
    // Half of a pair: the other half must follow.
    let second = match behind {
        [b'\\', b'u', low @ ..] => hexadecimal(low),
        _ => None,
    };
    match (first, second) {
        (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, behind))) => {
            let code = (((first & 0x3FF) << 10) | (low & 0x3FF)).wrapping_add(0x1_0000);
            char::from_u32(code).map(|character| (character, behind)).ok_or(Wrong::LoneSurrogate)
        }
        _ => Err(Wrong::LoneSurrogate),
    }
}

/// The number that the first four digits write, and what follows them.
fn hexadecimal(rest: &[u8]) -> Option<(u32, &[u8])> {
    let (digits, behind) = rest.split_first_chunk::<4>()?;
    let mut number = 0;
    for byte in digits {
        number = (number << 4) | char::from(*byte).to_digit(16)?;
    }
    Some((number, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec;

    #[test]
    fn w2_a_scan_stops_exactly_at_the_first_byte_that_is_no_character_by_itself() {
        for length in [1, 4, 8, 16, 23] {
            for place in 0..length {
                for byte in 0..=u8::MAX {
                    for filler in [b' ', b'!', b'#', b'[', b']', b'a', 0x7F] {
                        let mut content = vec![filler; place];
                        content.push(byte);
                        content.resize(length, filler);
                        let stops = if is_plain(byte) { 0 } else { length - place };
                        assert_eq!(skip_plain(&content).len(), stops, "{byte:#x} at {place} of {length}");
                    }
                }
            }
        }
    }

    #[test]
    fn w2_a_byte_is_a_character_by_itself_but_for_these() {
        for byte in 0..=u8::MAX {
            let special = byte < 0x20 || byte == b'"' || byte == b'\\' || byte > 0x7F;
            assert_eq!(is_plain(byte), !special, "{byte:#x}");
        }
    }

    #[test]
    fn a_buffer_too_small_says_what_it_needs() {
        let text = BufferTooSmall { needed: 9 }.to_string();
        assert_eq!(text, "the buffer is too small: the text takes 9 bytes");
    }
}
