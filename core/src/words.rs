//! Texts put together piece by piece. `core::fmt` would do the same with 6 KB of padding and dispatch, so it is left to
//! those who print with `{}`.

use core::fmt::{Result, Write};

/// A text on its way to `out`. What follows a failure of `out` is not written.
pub(crate) struct Line<'out, W: ?Sized> {
    out: &'out mut W,
    result: Result,
}

impl<'out, W: Write + ?Sized> Line<'out, W> {
    pub(crate) fn new(out: &'out mut W) -> Self {
        Self { out, result: Ok(()) }
    }

    #[inline(never)]
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        if self.result.is_ok() {
            self.result = self.out.write_str(text);
        }
        self
    }

    #[inline(never)]
    pub(crate) fn char(&mut self, character: char) -> &mut Self {
        if self.result.is_ok() {
            self.result = self.out.write_char(character);
        }
        self
    }

    #[inline(never)]
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        // The last one first.
        let mut digits = [0_u8; 20];
        let mut rest = number;
        let mut count = 0_usize;
        for digit in &mut digits {
            *digit = b'0'.wrapping_add(u8::try_from(rest % 10).unwrap_or(0));
            count = count.saturating_add(1);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        for digit in digits.iter().take(count).rev() {
            self.char(char::from(*digit));
        }
        self
    }

    pub(crate) fn signed(&mut self, number: i64) -> &mut Self {
        if number < 0 {
            self.text("-");
        }
        self.number(number.unsigned_abs())
    }

    /// Has `words` write itself.
    pub(crate) fn then(&mut self, words: &impl Words) -> &mut Self {
        words.say(self);
        self
    }

    pub(crate) fn end(&self) -> Result {
        self.result
    }
}

/// What can be said in words.
pub(crate) trait Words {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>);
}

/// `{}` of what has [`Words`].
macro_rules! printed {
    ($($type:ty),*) => {$(
        impl core::fmt::Display for $type {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::words::Line::new(f).then(self).end()
            }
        }
    )*};
}

/// `{}`, and `write_to`, which is public.
macro_rules! written {
    ($($type:ty),*) => {$(
        printed!($type);

        impl $type {
            /// Writes what `{}` prints, without linking `core::fmt`: for those who count bytes.
            ///
            /// # Errors
            /// Where `out` fails.
            pub fn write_to(&self, out: &mut (impl core::fmt::Write + ?Sized)) -> core::fmt::Result {
                $crate::words::Line::new(out).then(self).end()
            }
        }
    )*};
}
