//! Sentences on their way to JavaScript.

use core::cell::UnsafeCell;
use core::fmt::{Error, Result, Write};

use crate::words::put_text;

/// Longer than any sentence of the kernel's.
const LENGTH: usize = 1_024;

struct Bytes(UnsafeCell<[u8; LENGTH]>);

// SAFETY: WebAssembly without threads runs one call at a time.
unsafe impl Sync for Bytes {}

static BYTES: Bytes = Bytes(UnsafeCell::new([0; LENGTH]));

/// A text that is written from the start, the one before it gone.
pub(crate) struct Text {
    length: usize,
}

impl Text {
    pub(crate) const fn new() -> Self {
        Self { length: 0 }
    }

    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Writes where it is to two words.
    pub(crate) fn put(&self, index: usize) {
        // SAFETY: one call runs at a time.
        put_text(index, unsafe { (&*BYTES.0.get()).get(..self.length) });
    }
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> Result {
        let end = self.length.wrapping_add(text.len());
        // SAFETY: one call runs at a time.
        let room = unsafe { (&mut *BYTES.0.get()).get_mut(self.length..end) }.ok_or(Error)?;
        for (to, from) in room.iter_mut().zip(text.bytes()) {
            *to = from;
        }
        self.length = end;
        Ok(())
    }
}
