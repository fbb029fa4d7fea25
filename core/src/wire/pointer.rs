//! Where in a body something is wrong: found by reading the body again up to there.

use core::fmt::{self, Write};

use super::json::{DEPTH_MAX, Expect, Reader, Token};
use super::text::Text;
use crate::words::{Line, Words};

/// A place in a body. Printed, it is a JSON pointer (RFC 6901) as it stands between the quotes of a JSON string, so
/// with quotes, backslashes and control characters escaped: safe in a log, on a terminal and in a JSON text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Pointer<'a> {
    body: &'a [u8],
    at: usize,
}

/// The way into one array or object.
#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    /// Not to any part of it.
    Whole,
    Key(Text<'a>),
    Index(usize),
}

impl<'a> Pointer<'a> {
    pub(super) const fn new(body: &'a [u8], at: usize) -> Self {
        Self { body, at }
    }

    /// The byte offset in the body.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.at
    }

    /// Whether it is the body as a whole, whose pointer is the empty text.
    #[must_use]
    pub fn is_root(&self) -> bool {
        !matches!(self.path().steps.first(), Some(Step::Key(_) | Step::Index(_)))
    }

    fn path(&self) -> Path<'a> {
        let mut path = Path { steps: [Step::Whole; DEPTH_MAX as usize], arrays: 0, depth: 0 };
        let mut reader = Reader::new(self.body);
        loop {
            let token = reader.next();
            match token {
                // What is no token is wrong itself, or as a part of what was expected there.
                Err(_) => {
                    match reader.expect() {
                        Expect::Value | Expect::ValueOrArrayEnd => path.enter_value(),
                        _ => path.leave_part(),
                    }
                    return path;
                }
                Ok(Token::Key(name)) => path.set(Step::Key(name)),
                Ok(Token::ObjectEnd | Token::ArrayEnd) => path.pop(),
                Ok(_) => path.enter_value(),
            }
            if self.body.len().saturating_sub(reader.left()) >= self.at {
                return path;
            }
            match token {
                Ok(Token::ObjectStart) => path.push(false),
                Ok(Token::ArrayStart) => path.push(true),
                _ => {}
            }
        }
    }
}

struct Path<'a> {
    steps: [Step<'a>; DEPTH_MAX as usize],
    /// A bit for each open bracket, the innermost lowest: whether it is an array's.
    arrays: u32,
    depth: usize,
}

impl<'a> Path<'a> {
    fn set(&mut self, step: Step<'a>) {
        if let Some(last) = self.depth.checked_sub(1).and_then(|last| self.steps.get_mut(last)) {
            *last = step;
        }
    }

    /// Another value of an array; a value of an object has had its key.
    fn enter_value(&mut self) {
        if self.arrays & 1 == 0 {
            return;
        }
        let last = self.depth.checked_sub(1).and_then(|last| self.steps.get(last));
        let index = match last {
            Some(Step::Index(index)) => index.saturating_add(1),
            _ => 0,
        };
        self.set(Step::Index(index));
    }

    /// To the array or object that is open, instead of a part of it.
    fn leave_part(&mut self) {
        self.set(Step::Whole);
    }

    fn push(&mut self, array: bool) {
        self.arrays = (self.arrays << 1) | u32::from(array);
        self.depth = self.depth.saturating_add(1);
        self.leave_part();
    }

    fn pop(&mut self) {
        self.leave_part();
        self.arrays >>= 1;
        self.depth = self.depth.saturating_sub(1);
    }
}

printed!(Pointer<'_>);

impl Words for Pointer<'_> {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        let path = self.path();
        for step in path.steps.iter().take(path.depth) {
            match step {
                Step::Whole => {}
                Step::Index(index) => {
                    line.char('/').number(*index as u64);
                }
                Step::Key(name) => {
                    line.char('/');
                    for character in name.chars() {
                        say_character(character, line);
                    }
                }
            }
        }
    }
}

fn say_character<W: Write + ?Sized>(character: char, line: &mut Line<'_, W>) {
    match character {
        '~' => line.text("~0"),
        '/' => line.text("~1"),
        '"' | '\\' => line.char('\\').char(character),
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
            line.text("\\u00");
            for shift in [4, 0] {
                line.char(char::from_digit((u32::from(character) >> shift) & 15, 16).unwrap_or('0'));
            }
            line
        }
        other => line.char(other),
    };
}

impl fmt::Debug for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pointer({self} at byte {})", self.at)
    }
}
