//! An answer's body held to its schema in one pass, up to the first thing that is wrong.
//!
//! The schema leads: at each place it says what has to come, and only that is looked for. The tokens of
//! [`json`](super::json) would do as well, for twice the instructions.

use super::UnknownKeys;
use super::json::{skip_blanks, skip_value, skip_word};
use super::keys::{find, missing};
use super::number::Number;
use super::problem::{Fault, Wrong};
use super::schema::{Field, Item, Key, Object, Shape};
use super::text::Text;

/// What the kernel reads of a body, each text with how many bytes were left before it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Fields<'a> {
    pub(super) decision: Option<Text<'a>>,
    pub(super) reservation_id: Option<(Text<'a>, usize)>,
    pub(super) remaining_ttl_ms: Option<u64>,
    pub(super) expires_at_ms: Option<u64>,
    pub(super) code: Option<(Text<'a>, usize)>,
    /// How many bytes were left before the body's last bracket.
    pub(super) end: usize,
}

/// How many objects and arrays of the schemas lie in one another: a body, its balances, one of them, its amount.
const LEVELS: usize = 4;

/// What is open.
#[derive(Debug, Clone, Copy)]
enum Level {
    /// The body is closed, or not yet open.
    Outside,
    /// An object, and a bit for each of its keys that has been there.
    Object(Object, u32),
    /// An array of these.
    List(Item),
}

struct Walk<'a> {
    rest: &'a [u8],
    unknown_keys: UnknownKeys,
    fields: Fields<'a>,
    inner: Level,
    outer: [Level; LEVELS],
    depth: u8,
    /// Whether nothing has been yet in what is open.
    first: bool,
}

/// Holds `body` to `root`, and reads its fields.
pub(super) fn walk(body: &[u8], root: Object, unknown_keys: UnknownKeys) -> Result<Fields<'_>, Fault> {
    let mut walk = Walk {
        rest: skip_blanks(body),
        unknown_keys,
        fields: Fields::default(),
        inner: Level::Outside,
        outer: [Level::Outside; LEVELS],
        depth: 0,
        first: true,
    };
    let [b'{', behind @ ..] = walk.rest else { return Err(walk.not(Shape::Object(root))) };
    walk.open(Level::Object(root, 0), behind)?;
    while let Some((shape, field)) = walk.next()? {
        walk.value(shape, field)?;
    }
    Ok(walk.fields)
}

impl<'a> Walk<'a> {
    /// Goes to the next value that the schema speaks of; `None` at the end of the body.
    fn next(&mut self) -> Result<Option<(Shape, Field)>, Fault> {
        loop {
            self.rest = skip_blanks(self.rest);
            match self.inner {
                Level::Object(object, seen) => {
                    if let [b'}', behind @ ..] = self.rest {
                        if let Some(name) = missing(object, seen) {
                            return Err(self.fault(Wrong::KeyMissing(name)));
                        }
                        self.fields.end = self.rest.len();
                        self.close(behind);
                    } else {
                        self.comma()?;
                        if let Some(key) = self.key(object, seen)? {
                            return Ok(Some((key.shape, key.field)));
                        }
                    }
                }
                Level::List(item) => {
                    if let [b']', behind @ ..] = self.rest {
                        self.close(behind);
                    } else {
                        self.comma()?;
                        return Ok(Some((item.shape(), Field::Unread)));
                    }
                }
                Level::Outside if self.rest.is_empty() => return Ok(None),
                Level::Outside => return Err(self.fault(Wrong::Trailing)),
            }
        }
    }

    /// The comma between two of what is open.
    fn comma(&mut self) -> Result<(), Fault> {
        if self.first {
            self.first = false;
            return Ok(());
        }
        let [b',', behind @ ..] = self.rest else { return Err(Fault::no_json(self.rest)) };
        self.rest = skip_blanks(behind);
        Ok(())
    }

    /// A key and its colon: what the schema says of it, unless it is skipped with its value.
    fn key(&mut self, object: Object, seen: u32) -> Result<Option<&'static Key>, Fault> {
        let [b'"', content @ ..] = self.rest else { return Err(Fault::no_json(self.rest)) };
        let (found, behind) = find(object, seen, content)?;
        match found {
            // However it is written: `"a"` and `"\u0061"` are one key (W2).
            Some((_, bit)) if seen & bit != 0 => return Err(self.fault(Wrong::KeyTwice)),
            Some((_, bit)) => self.inner = Level::Object(object, seen | bit),
            None if self.unknown_keys == UnknownKeys::Reject => return Err(self.fault(Wrong::UnknownKey)),
            None => {}
        }
        let behind = skip_blanks(behind);
        let [b':', behind @ ..] = behind else { return Err(Fault::no_json(behind)) };
        let behind = skip_blanks(behind);
        // W6
        self.rest = if found.is_some() { behind } else { skip_value(behind, self.depth)? };
        Ok(found.map(|(key, _)| key))
    }

    /// Holds the value that comes now to its shape (W2).
    fn value(&mut self, shape: Shape, field: Field) -> Result<(), Fault> {
        match (shape, self.rest) {
            (Shape::Text | Shape::TextUpTo(_), [b'"', content @ ..]) => {
                let (text, behind) = Text::scan(content)?;
                if let Shape::TextUpTo(most) = shape {
                    let most = usize::from(most);
                    if text.is_longer_than(most) {
                        return Err(self.fault(Wrong::TooLong(most)));
                    }
                }
                self.read_text(field, text);
                self.rest = behind;
            }
            (Shape::Name(names), [b'"', content @ ..]) => {
                let (text, behind) = Text::scan(content)?;
                let names = names.all();
                if !names.iter().any(|name| text.is(name)) {
                    return Err(self.fault(Wrong::NotOneOf(names)));
                }
                self.read_text(field, text);
                self.rest = behind;
            }
            (Shape::Hash, [b'"', content @ ..]) => {
                let (text, behind) = Text::scan(content)?;
                if !is_hash(&text) {
                    return Err(self.fault(Wrong::NotAHash));
                }
                self.rest = behind;
            }
            (Shape::Count | Shape::Integer, [b'-' | b'0'..=b'9', ..]) => {
                let (number, behind) = Number::scan(self.rest)?;
                let minimum = if matches!(shape, Shape::Count) { 0 } else { i64::MIN };
                match number {
                    Number::Integer(number) if number >= minimum => self.read_count(field, number),
                    Number::Integer(_) => return Err(self.fault(Wrong::Below(minimum))),
                    Number::TooLarge => return Err(self.fault(Wrong::OutsideInt64)),
                    Number::Fraction => return Err(self.fault(Wrong::NotAnInteger)),
                }
                self.rest = behind;
            }
            (Shape::Flag, [b't', behind @ ..]) => self.rest = skip_word(behind, b"rue")?,
            (Shape::Flag, [b'f', behind @ ..]) => self.rest = skip_word(behind, b"alse")?,
            (Shape::List(item), [b'[', behind @ ..]) => self.open(Level::List(item), behind)?,
            (Shape::Object(object), [b'{', behind @ ..]) => self.open(Level::Object(object, 0), behind)?,
            _ => return Err(self.not(shape)),
        }
        Ok(())
    }

    /// Something else than `shape`, which may be no JSON at all.
    #[cold]
    fn not(&self, shape: Shape) -> Fault {
        match self.rest {
            [b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'[' | b'{', ..] => {
                self.fault(Wrong::Not(shape.in_words()))
            }
            rest => Fault::no_json(rest),
        }
    }

    fn read_text(&mut self, field: Field, text: Text<'a>) {
        let left = self.rest.len();
        match field {
            Field::Decision => self.fields.decision = Some(text),
            Field::ReservationId => self.fields.reservation_id = Some((text, left)),
            Field::Code => self.fields.code = Some((text, left)),
            Field::Unread | Field::RemainingTtl | Field::ExpiresAt => {}
        }
    }

    fn read_count(&mut self, field: Field, number: i64) {
        match field {
            Field::RemainingTtl => self.fields.remaining_ttl_ms = u64::try_from(number).ok(),
            Field::ExpiresAt => self.fields.expires_at_ms = u64::try_from(number).ok(),
            Field::Unread | Field::Decision | Field::ReservationId | Field::Code => {}
        }
    }

    fn open(&mut self, level: Level, behind: &'a [u8]) -> Result<(), Fault> {
        // The schemas go no deeper than there is room; a test holds them to it.
        let slot =
            self.outer.get_mut(usize::from(self.depth)).ok_or(Fault::new(Wrong::TooDeep, self.rest))?;
        *slot = core::mem::replace(&mut self.inner, level);
        self.depth = self.depth.wrapping_add(1);
        self.first = true;
        self.rest = behind;
        Ok(())
    }

    fn close(&mut self, behind: &'a [u8]) {
        self.depth = self.depth.wrapping_sub(1);
        self.inner = self.outer.get(usize::from(self.depth)).copied().unwrap_or(Level::Outside);
        self.first = false;
        self.rest = behind;
    }

    fn fault(&self, wrong: Wrong) -> Fault {
        Fault::new(wrong, self.rest)
    }
}

impl Shape {
    const fn in_words(self) -> &'static str {
        match self {
            Self::Text | Self::TextUpTo(_) | Self::Hash | Self::Name(_) => "a string",
            Self::Count | Self::Integer => "an integer",
            Self::Flag => "true or false",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

fn is_hash(text: &Text<'_>) -> bool {
    !text.is_longer_than(64)
        && text.chars().count() == 64
        && text.chars().all(|digit| matches!(digit, '0'..='9' | 'a'..='f'))
}
