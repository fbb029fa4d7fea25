//! Texts, written into a buffer of C's as `snprintf` would.

use core::ffi::c_char;
use core::fmt::Write;

use crate::memory::{Checked, bytes, overlap, sound};

/// Where a text goes: checked, and not yet written.
pub(crate) struct Buffer {
    start: *mut u8,
    capacity: usize,
    length: *mut usize,
}

impl Buffer {
    /// A buffer of C's: NULL only with a capacity of 0. `length` may be NULL. The two lie apart.
    pub(crate) fn new(start: *mut c_char, capacity: usize, length: *mut usize) -> Checked<Self> {
        let start = start.cast::<u8>();
        bytes(start, capacity)?;
        if !length.is_null() {
            sound(length)?;
            if overlap(start, capacity, length, size_of::<usize>()) {
                return Err(crate::codes::leasebeat_status_t::LEASEBEAT_ERROR_OVERLAP);
            }
        }
        Ok(Self { start, capacity, length })
    }

    /// Refuses what is read, or a handle, to lie in it.
    pub(crate) fn apart(&self, other: *const u8, others: usize) -> Checked {
        let in_length = !self.length.is_null() && overlap(self.length, size_of::<usize>(), other, others);
        if in_length || overlap(self.start, self.capacity, other, others) {
            return Err(crate::codes::leasebeat_status_t::LEASEBEAT_ERROR_OVERLAP);
        }
        Ok(())
    }

    /// As [`apart`](Self::apart) from all of a struct.
    pub(crate) fn apart_from<T>(&self, other: *const T) -> Checked {
        self.apart(other.cast(), size_of::<T>())
    }

    /// Writes as much of a text as fits, cut between two characters, and a NUL behind it; and the length of all of it.
    ///
    /// # Safety
    /// Buffer and length are the caller's to write, and nothing that `text` reads lies in them.
    pub(crate) unsafe fn write(&self, text: impl FnOnce(&mut Writer) -> core::fmt::Result) {
        let mut writer =
            Writer { start: self.start, room: self.capacity.saturating_sub(1), kept: 0, length: 0 };
        // A text of the kernel's fails only where its writer does, and this one does not.
        let _ = text(&mut writer);
        // SAFETY: by this function's contract; `kept` is less than the capacity where there is any.
        unsafe {
            if self.capacity > 0 {
                self.start.add(writer.kept).write(0);
            }
            self.tell(writer.length);
        }
    }

    /// Writes no text, and the length of one.
    ///
    /// # Safety
    /// The length is the caller's to write.
    pub(crate) unsafe fn tell(&self, length: usize) {
        if !self.length.is_null() {
            // SAFETY: aligned, by `new`, and the caller's.
            unsafe { self.length.write(length) }
        }
    }

    /// The bytes it can hold, the NUL included.
    #[cfg(feature = "wire")]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }
}

pub(crate) struct Writer {
    start: *mut u8,
    /// What is left for characters.
    room: usize,
    kept: usize,
    /// Of the whole text.
    length: usize,
}

impl Write for Writer {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.length = self.length.saturating_add(text.len());
        let mut fits = text.len().min(self.room);
        while !text.is_char_boundary(fits) {
            fits = fits.saturating_sub(1);
        }
        // SAFETY: `kept` and `room` stay within the capacity, and the text is the kernel's own or a body that
        // `apart` has kept away from the buffer.
        unsafe { core::ptr::copy_nonoverlapping(text.as_ptr(), self.start.add(self.kept), fits) };
        self.kept = self.kept.saturating_add(fits);
        // What was cut ends the text: nothing may follow a gap.
        self.room = if fits < text.len() { 0 } else { self.room.saturating_sub(fits) };
        Ok(())
    }
}
