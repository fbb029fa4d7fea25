//! Readings and durations: milliseconds with fractions as JavaScript counts them, nanoseconds as the kernel does.
//!
//! Each comes as `ms` and `ns`, whose sum it is: a `number` is `ms` alone; a `BigInt` of nanoseconds is whole
//! milliseconds and the nanoseconds that are left. A fraction of a nanosecond is rounded as its use asks.

use leasebeat::Instant;

const NANOS_PER_MILLI: u64 = 1_000_000;
const NANOS_PER_MILLI_F64: f64 = 1e6;

/// Nanoseconds, a fraction of one dropped.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // JavaScript checks
pub(crate) const fn down(ms: f64, ns: f64) -> u64 {
    let whole = ms as u64;
    // Split first: the product would not fit in 53 bits for a clock that has run for 104 days.
    let part = (ms - whole as f64) * NANOS_PER_MILLI_F64;
    whole.saturating_mul(NANOS_PER_MILLI).saturating_add(part as u64).saturating_add(ns as u64)
}

/// Nanoseconds, a fraction of one counted as one.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // JavaScript checks
pub(crate) const fn up(ms: f64, ns: f64) -> u64 {
    let part = (ms - ms as u64 as f64) * NANOS_PER_MILLI_F64;
    let fraction = (part as u64 as f64) < part;
    down(ms, ns).saturating_add(fraction as u64)
}

/// Milliseconds that, read by [`down`], are never later than `at`.
pub(crate) fn earlier(at: Instant) -> f64 {
    let ms = nearest(at);
    if down(ms, 0.0) > at.as_nanos() { f64::from_bits(ms.to_bits().saturating_sub(1)) } else { ms }
}

/// Milliseconds that, read by [`down`], are never earlier than `at`.
pub(crate) fn later(at: Instant) -> f64 {
    let ms = nearest(at);
    if down(ms, 0.0) < at.as_nanos() { f64::from_bits(ms.to_bits().saturating_add(1)) } else { ms }
}

#[allow(clippy::cast_precision_loss)] // 2^64 ns are fewer than 2^53 ms
fn nearest(at: Instant) -> f64 {
    let (whole, part) = (at.as_nanos() / NANOS_PER_MILLI, at.as_nanos() % NANOS_PER_MILLI);
    whole as f64 + part as f64 / NANOS_PER_MILLI_F64
}
