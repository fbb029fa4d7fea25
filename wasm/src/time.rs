//! Readings and spans: milliseconds with fractions as JavaScript counts them, nanoseconds as the kernel does.
//!
//! Each takes two words, whose sum it is: a `number` is milliseconds and 0; a `BigInt` of nanoseconds is whole
//! milliseconds and the nanoseconds that are left. A fraction of a nanosecond is rounded as its use asks.

use leasebeat::Instant;

use crate::words::get;

const NANOS_PER_MILLI: u64 = 1_000_000;
const NANOS_PER_MILLI_F64: f64 = 1e6;

/// The time in two words in nanoseconds, a fraction of one dropped.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked in JavaScript
#[inline(never)]
pub(crate) fn down(index: usize) -> u64 {
    nanos(get(index)).0.wrapping_add(get(index + 1) as u64)
}

/// The same, a fraction counted as one.
#[inline(never)]
pub(crate) fn up(index: usize) -> u64 {
    down(index).saturating_add(u64::from(nanos(get(index)).1))
}

/// Whole nanoseconds, and whether a fraction is left.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // JavaScript checks
#[inline(never)]
fn nanos(ms: f64) -> (u64, bool) {
    let whole = ms as u64;
    // Split first: the product would not fit in 53 bits for a clock that has run for 104 days.
    let part = (ms - whole as f64) * NANOS_PER_MILLI_F64;
    (whole.wrapping_mul(NANOS_PER_MILLI).wrapping_add(part as u64), (part as u64 as f64) < part)
}

/// Milliseconds that, read by [`down`], are not later than `at`; or not earlier, where it is to be `later`.
#[allow(clippy::cast_precision_loss)] // 2^64 ns are fewer than 2^53 ms
#[inline(never)]
pub(crate) fn millis(at: Instant, later: bool) -> f64 {
    let at = at.as_nanos();
    let nearest = (at / NANOS_PER_MILLI) as f64 + (at % NANOS_PER_MILLI) as f64 / NANOS_PER_MILLI_F64;
    let read = nanos(nearest).0;
    let bits = nearest.to_bits();
    f64::from_bits(match later {
        false if read > at => bits.wrapping_sub(1),
        true if read < at => bits.wrapping_add(1),
        _ => bits,
    })
}
