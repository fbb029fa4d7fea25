//! Text on its way in and out: one buffer, as long as the longest so far.

use core::ptr;

use leasebeat::{Millis, parse_retry_after};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::memory::{Single, pages};
#[cfg(feature = "full")]
use crate::out::put;

struct Buffer {
    start: *mut u8,
    length: usize,
}

static BUFFER: Single<Buffer> = Single::new(Buffer { start: ptr::null_mut(), length: 0 });

/// Room for `length` bytes, until the next call that uses the buffer; null where memory is used up.
#[wasm_bindgen]
#[must_use]
pub fn buffer(length: usize) -> *mut u8 {
    // SAFETY: one call runs at a time.
    let buffer = unsafe { &mut *BUFFER.get() };
    if length > buffer.length {
        // Doubled, as the shorter one is not given back.
        let wanted = length.max(buffer.length.saturating_mul(2));
        let Some((start, length)) = pages(wanted) else { return ptr::null_mut() };
        *buffer = Buffer { start, length };
    }
    buffer.start
}

/// The first `length` bytes of the buffer, as JavaScript has filled it.
pub(crate) fn text(length: usize) -> &'static [u8] {
    // SAFETY: one call runs at a time, and writes to the buffer only once it is done with this.
    let buffer = unsafe { &*BUFFER.get() };
    if length == 0 || length > buffer.length {
        return &[];
    }
    // SAFETY: the buffer has so many bytes, and pages come zeroed.
    unsafe { core::slice::from_raw_parts(buffer.start, length) }
}

/// C5: the Retry-After in the first bytes of the buffer, where it is valid; a negative length is none.
pub(crate) fn retry_after(length: i32) -> Option<Millis> {
    parse_retry_after(text(usize::try_from(length).ok()?))
}

/// What is written to the buffer behind its first bytes. What does not fit is cut, which only a text made for that does.
#[cfg(feature = "full")]
pub(crate) struct Writer {
    start: usize,
    end: usize,
}

#[cfg(feature = "full")]
impl Writer {
    /// Writes behind the first `length` bytes.
    pub(crate) const fn behind(length: usize) -> Self {
        Self { start: length, end: length }
    }

    /// Writes `what`, and gives where it starts and how long it is, in two words from `index` of `out`.
    pub(crate) fn write(&mut self, index: usize, what: core::fmt::Arguments<'_>) {
        self.start = self.end;
        let _ = core::fmt::Write::write_fmt(self, what);
        put(index, self.start as f64);
        put(index + 1, (self.end - self.start) as f64);
    }
}

#[cfg(feature = "full")]
impl core::fmt::Write for Writer {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        // SAFETY: one call runs at a time.
        let buffer = unsafe { &*BUFFER.get() };
        let end = self.end.saturating_add(text.len());
        if end > buffer.length {
            return Err(core::fmt::Error);
        }
        // SAFETY: the bytes from `self.end` to `end` lie in the buffer, and nothing that is read lies there.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), buffer.start.add(self.end), text.len()) };
        self.end = end;
        Ok(())
    }
}
