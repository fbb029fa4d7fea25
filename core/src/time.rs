//! Time (rules T2–T4): every rounding and every saturation of the kernel stands here and nowhere else.

use core::fmt::Write;
use core::time::Duration;

use crate::words::{Line, Words};

const NANOS_PER_MILLI: u64 = 1_000_000;

/// A reading of the host's monotonic clock: nanoseconds since an arbitrary fixed origin (T1).
///
/// All readings given to one [`Heartbeat`](crate::Heartbeat) come from the same clock. It should go on
/// counting while the machine sleeps; where it does not, report [`Event::TimingLost`](crate::Event) on resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Instant(u64);

/// A duration in whole milliseconds, 0 to `u64::MAX`, as the protocol counts them (T2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Millis(u64);

/// A duration in nanoseconds: what a clock measures before it is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Nanos(pub(crate) u64);

impl Instant {
    /// The origin of the clock, and the earliest reading there is.
    pub const ORIGIN: Self = Self(0);

    /// The reading `nanos` ns after the clock's origin.
    #[must_use]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the clock's origin.
    #[must_use]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// How long after `earlier` this is; `None` where it is before.
    #[must_use]
    pub const fn checked_since(self, earlier: Self) -> Option<Duration> {
        match self.0.checked_sub(earlier.0) {
            Some(nanos) => Some(Duration::from_nanos(nanos)),
            None => None,
        }
    }

    /// `self + delay`, at most the clock's last reading.
    pub(crate) const fn plus(self, delay: Millis) -> Self {
        Self(sum(self.0, delay.nanos().0))
    }

    /// `self - span`, where the clock had begun by then.
    pub(crate) const fn minus(self, span: Nanos) -> Self {
        Self(self.0.wrapping_sub(span.0))
    }

    /// `self + (forward ⊖ back)`, at most the clock's last reading.
    pub(crate) const fn advanced(self, forward: Nanos, back: Nanos) -> Self {
        Self(sum(self.0, difference(forward.0, back.0)))
    }

    /// T4: `delay` from here as far as the clock can express it.
    pub(crate) fn cut(self, delay: Millis) -> Millis {
        delay.min(Nanos(u64::MAX.saturating_sub(self.0)).floor())
    }

    /// `self ⊖ earlier`.
    pub(crate) const fn since(self, earlier: Self) -> Nanos {
        Nanos(difference(self.0, earlier.0))
    }
}

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest duration: what a positive overflow becomes, and how "unbounded" is computed with (T2).
    pub const MAX: Self = Self(u64::MAX);

    /// `ms` milliseconds.
    #[must_use]
    pub const fn new(ms: u64) -> Self {
        Self(ms)
    }

    /// The number of milliseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    pub(crate) const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// `self ⊖ other`.
    pub(crate) const fn minus(self, other: Self) -> Self {
        Self(difference(self.0, other.0))
    }

    /// `self - other`, or nothing where that is negative.
    pub(crate) fn checked_minus(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `self ⊕ other`.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(sum(self.0, other.0))
    }

    /// `2 ⊗ self`.
    pub(crate) const fn doubled(self) -> Self {
        self.plus(self)
    }

    /// The number in 28 bits, about three days; what is longer is cut to that. No lease is longer than a day,
    /// so it stays longer in every comparison with one, and ten times the number still fits 32 bits.
    #[allow(clippy::cast_possible_truncation)] // cut to 28 bits just before
    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub(crate) fn within_days(self) -> u32 {
        self.0.min(0x0fff_ffff) as u32
    }

    /// `floor(self / 2)`.
    pub(crate) const fn half(self) -> Self {
        Self(self.0 >> 1)
    }

    /// `floor(self / 4)`.
    pub(crate) const fn quarter(self) -> Self {
        Self(self.0 >> 2)
    }

    #[cfg_attr(target_pointer_width = "32", inline(never))]
    pub(crate) const fn nanos(self) -> Nanos {
        Nanos(in_nanos(self.0))
    }
}

impl Nanos {
    pub(crate) const MILLI: Self = Self(NANOS_PER_MILLI);

    /// `self ⊕ other`.
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(sum(self.0, other.0))
    }

    /// Whole milliseconds, rounded down: leads, delays and ordinary waits (T2).
    pub(crate) const fn floor(self) -> Millis {
        Millis(in_millis(self.0))
    }

    /// Whole milliseconds, rounded up: what is consumed, and waits that must not end early (T2).
    pub(crate) const fn ceil(self) -> Millis {
        match self.0.checked_sub(1) {
            Some(below) => Millis(in_millis(below).saturating_add(1)),
            None => Millis::ZERO,
        }
    }
}

/// `a ⊕ b`, as a call where numbers of 64 bits are pairs of registers: inlined everywhere it would be the largest part of the
/// kernel there.
#[cfg_attr(target_pointer_width = "32", inline(never))]
const fn sum(a: u64, b: u64) -> u64 {
    a.saturating_add(b)
}

/// `a ⊖ b`, in the same way.
#[cfg_attr(target_pointer_width = "32", inline(never))]
const fn difference(a: u64, b: u64) -> u64 {
    a.saturating_sub(b)
}

/// `ms ⊗ 1_000_000`.
#[cfg(not(target_family = "wasm"))]
const fn in_nanos(ms: u64) -> u64 {
    ms.saturating_mul(NANOS_PER_MILLI)
}

/// The same where no instruction tells that a product has overflowed.
#[cfg(any(test, target_family = "wasm"))]
const fn in_nanos_by_range(ms: u64) -> u64 {
    if ms > u64::MAX / NANOS_PER_MILLI { u64::MAX } else { ms.wrapping_mul(NANOS_PER_MILLI) }
}

#[cfg(target_family = "wasm")]
use in_nanos_by_range as in_nanos;

/// `nanos / 1_000_000`.
// WebAssembly divides 64 bits in one instruction, whatever its pointers.
#[cfg(any(target_pointer_width = "64", target_family = "wasm"))]
const fn in_millis(nanos: u64) -> u64 {
    nanos / NANOS_PER_MILLI
}

#[cfg(not(any(target_pointer_width = "64", target_family = "wasm")))]
use in_millis_by_digits as in_millis;

/// The same by schoolbook division with 16-bit digits: 1,000,000 is 64 · 15,625, and a remainder below
/// 15,625 with the next digit fits 32 bits. A u64 division would link 1.7 KB of builtins on a Cortex-M3.
#[cfg(any(test, not(any(target_pointer_width = "64", target_family = "wasm"))))]
#[allow(clippy::cast_possible_truncation)] // each digit is masked into 16 bits first
const fn in_millis_by_digits(nanos: u64) -> u64 {
    const DIVISOR: u32 = 15_625;
    let (mut units, mut digits, mut quotient, mut rest) = (nanos >> 6, 4u8, 0u64, 0u32);
    while digits > 0 {
        rest = (rest << 16) | (units >> 48) as u32;
        units <<= 16;
        quotient = (quotient << 16) | (rest / DIVISOR) as u64;
        rest %= DIVISOR;
        digits = digits.saturating_sub(1);
    }
    quotient
}

impl From<Millis> for Duration {
    fn from(millis: Millis) -> Self {
        Self::from_millis(millis.0)
    }
}

printed!(Millis);

impl Words for Millis {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        line.number(self.0).text(" ms");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t2_divides_the_same_on_every_width() {
        let edges = [0u64, 1, 63, 64, 999_999, 1_000_000, 1_000_001, 1 << 38, (1 << 38) - 1, u64::MAX];
        let walk =
            (0..64u32).flat_map(|bits| (0..8u64).map(move |low| (1u64 << bits).wrapping_add(low * 999_983)));
        let near = (0..64u32).map(|bits| ((1u64 << bits) / 1_000_000).wrapping_mul(1_000_000));
        for nanos in edges.into_iter().chain(walk).chain(near) {
            let exact = nanos / 1_000_000;
            assert_eq!(in_millis(nanos), exact, "{nanos}");
            assert_eq!(in_millis_by_digits(nanos), exact, "{nanos}");
            assert_eq!(in_nanos_by_range(nanos), in_nanos(nanos), "{nanos}");
            assert_eq!(in_nanos_by_range(exact), exact * 1_000_000, "{nanos}");
            assert_eq!(Nanos(nanos).ceil(), Millis(nanos.div_ceil(1_000_000)), "{nanos}");
        }
    }

    #[test]
    fn t2_rounds_against_the_holder() {
        assert_eq!(Nanos(1_999_999).floor(), Millis(1));
        assert_eq!(Nanos(1_000_001).ceil(), Millis(2));
        assert_eq!(Nanos(2_000_000).ceil(), Millis(2));
        assert_eq!(Nanos(u64::MAX).ceil(), Millis(18_446_744_073_710));
    }

    #[test]
    fn t4_cuts_a_delay_to_what_the_clock_can_express() {
        let start = Instant(u64::MAX - 2_500_000);
        assert_eq!(start.cut(Millis(2)), Millis(2));
        assert_eq!(start.cut(Millis(3)), Millis(2));
        assert_eq!(start.cut(Millis::MAX), Millis(2));
        assert_eq!(start.plus(Millis(2)), Instant(u64::MAX - 500_000));
        assert_eq!(Instant(u64::MAX).cut(Millis(1)), Millis::ZERO);
    }

    #[test]
    fn t5_a_difference_is_never_the_absolute_value() {
        assert_eq!(Instant(7).checked_since(Instant(5)), Some(Duration::from_nanos(2)));
        assert_eq!(Instant(5).checked_since(Instant(7)), None);
        assert_eq!(Duration::from(Millis(3)), Duration::from_millis(3));
    }

    #[test]
    fn t2_advances_up_to_the_end_of_the_clock() {
        assert_eq!(Instant(5).advanced(Nanos(7), Nanos(3)), Instant(9));
        assert_eq!(Instant(5).advanced(Nanos(3), Nanos(7)), Instant(5));
        assert_eq!(Instant(u64::MAX).advanced(Nanos(9), Nanos(3)), Instant(u64::MAX));
    }
}
