//! What goes in and out besides a call's own number: words of 64 bits, as JavaScript counts.

use core::cell::UnsafeCell;

use leasebeat::{Instant, Millis};

/// As many as any call needs.
const LENGTH: usize = 16;
const MILLION: u64 = 1_000_000;

struct Words(UnsafeCell<[f64; LENGTH]>);

// SAFETY: WebAssembly without threads runs one call at a time.
unsafe impl Sync for Words {}

static WORDS: Words = Words(UnsafeCell::new([0.0; LENGTH]));

/// Where the words are.
#[unsafe(no_mangle)]
pub extern "C" fn words() -> *mut f64 {
    WORDS.0.get().cast()
}

/// A word as JavaScript wrote it.
pub(crate) fn get(index: usize) -> f64 {
    // SAFETY: the address is in the words; one call runs at a time, and JavaScript writes between calls only.
    unsafe { *words().add(index % LENGTH) }
}

/// Writes a word.
pub(crate) fn put(index: usize, value: f64) {
    // SAFETY: the address is in the words; one call runs at a time, and JavaScript reads between calls only.
    unsafe { *words().add(index % LENGTH) = value };
}

/// The number in two words, of which the first counts millions: of milliseconds nanoseconds, of a `BigInt` what does not fit
/// a `number`.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn number(index: usize) -> u64 {
    (get(index) as u64).wrapping_mul(MILLION).wrapping_add(get(index + 1) as u64)
}

/// The same where a negative first word says that there is none.
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn optional(index: usize) -> Option<u64> {
    (get(index) >= 0.0).then(|| number(index))
}

/// Writes the largest `number` that is not above `value`, -1 for none. It is exact up to 2^53.
#[allow(clippy::cast_precision_loss)] // the bits that would round up are cleared before
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn put_rounded(index: usize, value: Option<Millis>) {
    put(
        index,
        value.map_or(-1.0, |value| {
            let extra = 11_u32.saturating_sub(value.get().leading_zeros());
            ((value.get() >> extra) << extra) as f64
        }),
    );
}

/// Milliseconds that, read by [`number`], are not later than `at`; or not earlier, where it is to be `later`.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 2^64 ns are fewer than 2^53 ms
#[inline(never)] // small once is smaller than everywhere
pub(crate) fn put_instant(index: usize, at: Option<Instant>, later: bool) {
    let Some(at) = at else { return put(index, -1.0) };
    let whole = (at.as_nanos() / MILLION) as f64;
    let rest = (at.as_nanos() % MILLION) as f64;
    let nearest = whole + rest / 1e6;
    let read = (nearest - whole) * 1e6;
    let wrong = if later { read < rest } else { read > rest };
    let step = if later { 1 } else { u64::MAX };
    put(index, f64::from_bits(if wrong { nearest.to_bits().wrapping_add(step) } else { nearest.to_bits() }));
}

/// Writes a number as [`number`] reads it; -1 first for none.
#[cfg(feature = "full")]
#[inline(never)]
#[allow(clippy::cast_precision_loss)] // each part is exact
pub(crate) fn put_number(index: usize, value: Option<u64>) {
    put(index, value.map_or(-1.0, |value| (value / MILLION) as f64));
    put(index + 1, value.map_or(0.0, |value| (value % MILLION) as f64));
}

/// Writes where a text is, and how long; -1 first for none. JavaScript reads it there.
#[cfg(feature = "full")]
#[inline(never)]
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26
pub(crate) fn put_text(index: usize, text: Option<&[u8]>) {
    put(index, text.map_or(-1.0, |text| text.as_ptr().addr() as f64));
    put(index + 1, text.map_or(0.0, |text| text.len() as f64));
}
