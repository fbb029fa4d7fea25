//! What is wrong with an answer, and where.

use core::fmt::Write;

use super::pointer::Pointer;
use crate::words::{Line, Words};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wrong {
    /// The status is neither 200 nor one of an error: 4xx or 5xx (C1, C4).
    Status(u16),
    /// The `Retry-After` of a 429 is not decimal seconds (C5).
    RetryAfter,
    /// The text ends before it is complete.
    Unfinished,
    /// Something follows the JSON text.
    Trailing,
    /// The grammar of JSON allows no such byte here.
    Syntax,
    /// Arrays and objects lie in one another more than 16 deep (W5).
    TooDeep,
    /// Bytes that are no UTF-8.
    Utf8,
    /// A control character in a string that is not escaped.
    ControlCharacter,
    /// A backslash that starts no escape.
    Escape,
    /// An escaped half of a surrogate pair without the other.
    LoneSurrogate,
    /// Anything but this was expected.
    Not(&'static str),
    /// A key that the schema does not name.
    UnknownKey,
    /// A key that was there before.
    KeyTwice,
    /// An object ends without this key.
    KeyMissing(&'static str),
    /// A string that is none of these.
    NotOneOf(&'static [&'static str]),
    /// A string of more characters than this.
    TooLong(usize),
    /// A string that is not 64 lower-case hexadecimal digits.
    NotAHash,
    /// A number with a point or an exponent.
    NotAnInteger,
    /// An integer that int64 cannot hold.
    OutsideInt64,
    /// An integer below this minimum.
    Below(i64),
    /// A granted reservation without a `reservation_id`, or with an empty one (W3).
    NoReservationId,
    /// An `error` that the protocol does not name (W4).
    UnknownCode,
}

/// The first thing that is wrong with an answer. Printed, it says what, and where: as a JSON pointer (RFC 6901)
/// and a byte offset. The pointer is worked out when it is asked for, by reading the body again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem<'a> {
    wrong: Wrong,
    place: Option<Pointer<'a>>,
}

/// Something wrong, and how many bytes of the body are left where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) wrong: Wrong,
    left: usize,
}

impl Fault {
    /// `rest` starts with what is wrong.
    pub(super) const fn new(wrong: Wrong, rest: &[u8]) -> Self {
        Self { wrong, left: rest.len() }
    }

    /// As [`new`](Self::new), with the length of `rest`.
    pub(super) const fn before(wrong: Wrong, left: usize) -> Self {
        Self { wrong, left }
    }

    /// A byte that JSON does not allow there, or none where one has to be.
    pub(super) const fn no_json(rest: &[u8]) -> Self {
        Self::new(if rest.is_empty() { Wrong::Unfinished } else { Wrong::Syntax }, rest)
    }

    pub(super) const fn offset(&self, body: &[u8]) -> usize {
        body.len().saturating_sub(self.left)
    }
}

impl<'a> Problem<'a> {
    pub(super) const fn in_body(fault: Fault, body: &'a [u8]) -> Self {
        Self { wrong: fault.wrong, place: Some(Pointer::new(body, fault.offset(body))) }
    }

    pub(super) const fn in_head(wrong: Wrong) -> Self {
        Self { wrong, place: None }
    }

    /// What it is.
    #[must_use]
    pub const fn wrong(&self) -> Wrong {
        self.wrong
    }

    /// The value, the key or, where something is missing or misplaced, the object or array at fault. `None` where it
    /// is not the body that is wrong.
    #[must_use]
    pub const fn pointer(&self) -> Option<Pointer<'a>> {
        self.place
    }

    /// The body's byte at which it is wrong; where something is missing, the one that should have come later.
    #[must_use]
    pub fn offset(&self) -> Option<usize> {
        self.place.map(|place| place.offset())
    }
}

written!(Problem<'_>, Wrong);

impl Words for Problem<'_> {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        line.then(&self.wrong);
        let Some(place) = &self.place else { return };
        line.text(" at ");
        if !place.is_root() {
            line.then(place).text(", ");
        }
        line.text("byte ").number(place.offset() as u64);
    }
}

impl Words for Wrong {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        let end = match self {
            Self::Status(status) => {
                line.text("status ").number((*status).into());
                " is neither 200 nor 4xx nor 5xx"
            }
            Self::KeyMissing(name) => {
                line.text("key ").text(name);
                " is missing"
            }
            Self::Not(expected) => {
                line.text("not ");
                expected
            }
            Self::NotOneOf(names) => {
                line.text("none of");
                for name in *names {
                    line.text(" ").text(name);
                }
                ""
            }
            Self::TooLong(most) => {
                line.text("more than ").number(*most as u64);
                " characters"
            }
            Self::Below(least) => {
                line.text("below ").signed(*least);
                ""
            }
            Self::RetryAfter => "Retry-After is not decimal seconds",
            Self::Unfinished => "the text ends too early",
            Self::Trailing => "something follows the JSON text",
            Self::Syntax => "no JSON",
            Self::TooDeep => "nested more than 16 deep",
            Self::Utf8 => "no UTF-8",
            Self::ControlCharacter => "unescaped control character",
            Self::Escape => "no escape that JSON has",
            Self::LoneSurrogate => "half a surrogate pair",
            Self::UnknownKey => "unknown key",
            Self::KeyTwice => "key given twice",
            Self::NotAHash => "not 64 lower-case hexadecimal digits",
            Self::NotAnInteger => "not written as an integer",
            Self::OutsideInt64 => "outside int64",
            Self::NoReservationId => "granted without a reservation_id",
            Self::UnknownCode => "no error code of the protocol",
        };
        line.text(end);
    }
}
