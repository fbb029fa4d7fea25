//! The tokens of one JSON text, pulled one by one.
//!
//! Own code, because no crate that was tried does it. picojson 0.2.3, the best of them, was measured on a
//! 316-byte extend answer: 45,660 instructions for the tokens alone, where the whole decoding may take 6,000;
//! 25 KB of flash on a Cortex-M3, where 12 KiB are allowed; it links panics; it accepts half a surrogate pair
//! that is followed by another character and then the other half; its scratch buffer has to hold all escaped
//! strings of a text together, whose number nobody knows without an allocation; and what it hands out neither
//! outlives the next token nor says where it stood.

use super::number::Number;
use super::problem::{Fault, Wrong};
use super::text::Text;

/// W5: how many arrays and objects may stand in one another.
pub(super) const DEPTH_MAX: u8 = 16;

/// The smallest parts that the schemas speak of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    ObjectStart,
    ObjectEnd,
    ArrayStart,
    ArrayEnd,
    /// A key, its colon included.
    Key(Text<'a>),
    String(Text<'a>),
    Number(Number),
    Boolean,
    Null,
    /// The text is complete, and nothing but blanks follows it.
    End,
}

/// What may come next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expect {
    Value,
    ValueOrArrayEnd,
    Key,
    KeyOrObjectEnd,
    CommaOrEnd,
    /// The one value of the text has been.
    Nothing,
}

/// Reads a JSON text in one pass, without recursion and without memory of more than what is open.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    /// What follows the last token.
    rest: &'a [u8],
    /// How many bytes of the text were left before the last token.
    left: usize,
    expect: Expect,
    depth: u8,
    /// A bit for each open bracket, the innermost lowest: whether it is an object's.
    objects: u32,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(body: &'a [u8]) -> Self {
        Self { rest: body, left: body.len(), expect: Expect::Value, depth: 0, objects: 0 }
    }

    /// How many bytes were left before the last token.
    pub(super) const fn left(&self) -> usize {
        self.left
    }

    pub(super) const fn expect(&self) -> Expect {
        self.expect
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        let mut text = skip_blanks(self.rest);
        if let (Expect::CommaOrEnd, [b',', behind @ ..]) = (self.expect, text) {
            self.expect = if self.in_object() { Expect::Key } else { Expect::Value };
            text = skip_blanks(behind);
        }
        self.rest = text;
        self.left = text.len();
        let Some((first, behind)) = text.split_first() else {
            return if self.expect == Expect::Nothing { Ok(Token::End) } else { Err(Fault::no_json(text)) };
        };
        match (self.expect, first) {
            (Expect::Key | Expect::KeyOrObjectEnd, b'"') => self.key(behind),
            (Expect::KeyOrObjectEnd, b'}') => Ok(self.close(Token::ObjectEnd, behind)),
            (Expect::CommaOrEnd, b'}') if self.in_object() => Ok(self.close(Token::ObjectEnd, behind)),
            (Expect::ValueOrArrayEnd, b']') => Ok(self.close(Token::ArrayEnd, behind)),
            (Expect::CommaOrEnd, b']') if !self.in_object() => Ok(self.close(Token::ArrayEnd, behind)),
            (Expect::Value | Expect::ValueOrArrayEnd, _) => self.value(*first, behind),
            _ => Err(Fault::no_json(text)),
        }
    }

    fn value(&mut self, first: u8, behind: &'a [u8]) -> Result<Token<'a>, Fault> {
        let (token, rest) = match first {
            b'"' => {
                let (text, rest) = Text::scan(behind)?;
                (Token::String(text), rest)
            }
            b'-' | b'0'..=b'9' => {
                let (number, rest) = Number::scan(self.rest)?;
                (Token::Number(number), rest)
            }
            b'{' => return self.open(Token::ObjectStart, Expect::KeyOrObjectEnd, behind),
            b'[' => return self.open(Token::ArrayStart, Expect::ValueOrArrayEnd, behind),
            b't' => (Token::Boolean, skip_word(behind, b"rue")?),
            b'f' => (Token::Boolean, skip_word(behind, b"alse")?),
            b'n' => (Token::Null, skip_word(behind, b"ull")?),
            _ => return Err(Fault::no_json(self.rest)),
        };
        self.rest = rest;
        self.after_value();
        Ok(token)
    }

    fn key(&mut self, behind: &'a [u8]) -> Result<Token<'a>, Fault> {
        let (key, rest) = Text::scan(behind)?;
        let rest = skip_blanks(rest);
        let [b':', rest @ ..] = rest else { return Err(Fault::no_json(rest)) };
        self.rest = rest;
        self.expect = Expect::Value;
        Ok(Token::Key(key))
    }

    fn open(&mut self, token: Token<'a>, expect: Expect, behind: &'a [u8]) -> Result<Token<'a>, Fault> {
        if self.depth >= DEPTH_MAX {
            return Err(Fault::new(Wrong::TooDeep, self.rest)); // W5
        }
        self.depth = self.depth.wrapping_add(1);
        self.objects = (self.objects << 1) | u32::from(expect == Expect::KeyOrObjectEnd);
        self.expect = expect;
        self.rest = behind;
        Ok(token)
    }

    fn close(&mut self, token: Token<'a>, behind: &'a [u8]) -> Token<'a> {
        self.depth = self.depth.wrapping_sub(1);
        self.objects >>= 1;
        self.rest = behind;
        self.after_value();
        token
    }

    fn after_value(&mut self) {
        self.expect = if self.depth == 0 { Expect::Nothing } else { Expect::CommaOrEnd };
    }

    const fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }
}

/// Skips a value, whatever it is, that lies in `depth` arrays and objects.
pub(super) fn skip_value(text: &[u8], depth: u8) -> Result<&[u8], Fault> {
    let mut reader = Reader { depth, ..Reader::new(text) };
    loop {
        reader.next()?;
        if reader.depth == depth {
            return Ok(reader.rest);
        }
    }
}

pub(super) fn skip_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    while let [b' ' | b'\t' | b'\n' | b'\r', behind @ ..] = rest {
        rest = behind;
    }
    rest
}

/// Skips `word`, which has to stand here.
pub(super) fn skip_word<'a>(text: &'a [u8], word: &[u8]) -> Result<&'a [u8], Fault> {
    let mut rest = text;
    for expected in word {
        match rest {
            [byte, behind @ ..] if byte == expected => rest = behind,
            _ => return Err(Fault::no_json(rest)),
        }
    }
    Ok(rest)
}
