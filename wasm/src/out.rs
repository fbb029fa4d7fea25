//! What a call says besides its number: a few words that JavaScript reads in place, until the next call.

use wasm_bindgen::prelude::wasm_bindgen;

use crate::memory::Single;

const LENGTH: usize = 12;

static OUT: Single<[f64; LENGTH]> = Single::new([0.0; LENGTH]);

/// Where the words are.
#[wasm_bindgen]
#[must_use]
pub fn out() -> *const f64 {
    OUT.get().cast()
}

/// Writes a word; past the last one, nothing.
pub(crate) fn put(index: usize, value: f64) {
    // SAFETY: one call runs at a time, and JavaScript reads between calls only.
    if let Some(word) = unsafe { &mut *OUT.get() }.get_mut(index) {
        *word = value;
    }
}

/// Writes a 64-bit number as two words whose sum it is; -1 first where there is none.
#[cfg(feature = "full")]
pub(crate) fn put_whole(index: usize, value: Option<u64>) {
    const LOW: u64 = (1 << 12) - 1;
    put(index, value.map_or(-1.0, |value| (value & !LOW) as f64));
    put(index.saturating_add(1), value.map_or(0.0, |value| (value & LOW) as f64));
}
