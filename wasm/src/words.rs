//! What goes in and out besides a call's own number.

use crate::memory::Single;

/// As many as any call needs.
const LENGTH: usize = 16;

static WORDS: Single<[f64; LENGTH]> = Single::new([0.0; LENGTH]);

/// Where the words are.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *mut f64 {
    WORDS.get().cast()
}

/// A word as JavaScript wrote it.
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn get(index: usize) -> f64 {
    // SAFETY: one call runs at a time, and JavaScript writes between calls only.
    (unsafe { *WORDS.get() })[index % LENGTH]
}

/// Writes a word.
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn put(index: usize, value: f64) {
    // SAFETY: one call runs at a time, and JavaScript reads between calls only.
    unsafe { (&mut *WORDS.get())[index % LENGTH] = value };
}

/// The whole number in two words. JavaScript gives a safe integer and 0; of a `BigInt` all but the low 12 bits, and those.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn whole(index: usize) -> u64 {
    (get(index) as u64).wrapping_add(get(index + 1) as u64)
}

/// The same where a negative first word says that there is none.
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn optional(index: usize) -> Option<u64> {
    (get(index) >= 0.0).then(|| whole(index))
}

/// Writes the largest `number` that is not above `value`, -1 for none. It is exact up to 2^53.
#[allow(clippy::cast_precision_loss)] // the bits that would round up are cleared before
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn put_rounded(index: usize, value: Option<u64>) {
    let rounded = |value: u64| {
        let extra = 11_u32.saturating_sub(value.leading_zeros());
        ((value >> extra) << extra) as f64
    };
    put(index, value.map_or(-1.0, rounded));
}

/// Writes a number of 64 bits to two words whose sum it is; -1 first for none.
#[cfg(feature = "full")]
#[inline(never)]
#[allow(clippy::cast_precision_loss)] // each part is exact
pub(crate) fn put_whole(index: usize, value: Option<u64>) {
    const LOW: u64 = (1 << 12) - 1;
    put(index, value.map_or(-1.0, |value| (value & !LOW) as f64));
    put(index + 1, value.map_or(0.0, |value| (value & LOW) as f64));
}

/// Writes where a text is, and how long; -1 first for none. JavaScript reads it there.
#[cfg(feature = "full")]
#[inline(never)]
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26
pub(crate) fn put_text(index: usize, text: Option<&[u8]>) {
    put(index, text.map_or(-1.0, |text| text.as_ptr().addr() as f64));
    put(index + 1, text.map_or(0.0, |text| text.len() as f64));
}
