//! A 32-bit tick counter that wraps, widened to an [`Instant`]. For firmware without a 64-bit clock.

use core::num::NonZeroU32;

use crate::time::{Instant, Millis, Nanos};

/// Widens a wrapping 32-bit tick counter.
///
/// Read it at least once in every 2³² ticks (each 49 days at 1 kHz, each 71 minutes at 1 MHz): a lap nobody saw
/// is time nobody counted. The kernel's waits can be longer than that: set
/// [`max_wait_ms`](crate::Settings::max_wait_ms) below one [`lap`](Self::lap), so that each wake reads the counter in
/// time. One reader only; a reading older than the last looks like a lap.
///
/// ```
/// use core::num::NonZeroU32;
/// use leasebeat::TickWidener;
///
/// let mut clock = TickWidener::new(NonZeroU32::new(1_000).unwrap());
/// assert_eq!(clock.widen(u32::MAX).as_nanos(), 4_294_967_295_000_000);
/// assert_eq!(clock.widen(0).as_nanos(), 4_294_967_296_000_000);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TickWidener {
    /// Nanoseconds a tick, in units of 2⁻³² ns, rounded down.
    scale: u64,
    ticks: u64,
}

impl TickWidener {
    /// For a counter that starts at 0 and counts `hz` ticks a second. Exact where 10⁹ / `hz` has at most 32
    /// binary places, as for 32,768 Hz and every divisor of 10⁹; otherwise slow by less than one part in 10⁹
    /// for counters up to 100 MHz. Set `clock_resolution_ns` to one tick, rounded up.
    #[must_use]
    #[allow(clippy::arithmetic_side_effects)] // the divisor is non-zero and the shift is in range
    pub const fn new(hz: NonZeroU32) -> Self {
        Self { scale: (1_000_000_000 << 32) / hz.get() as u64, ticks: 0 }
    }

    /// How long the counter takes to wrap, rounded down to whole milliseconds.
    #[must_use]
    pub const fn lap(&self) -> Millis {
        Nanos(self.scale).floor() // 2³² ticks of scale · 2⁻³² ns
    }

    /// The instant of the counter's reading `ticks`. After 584 years it sticks at the last instant.
    #[allow(clippy::cast_possible_truncation)] // the low half on purpose, and a saturated result
    pub fn widen(&mut self, ticks: u32) -> Instant {
        let passed = ticks.wrapping_sub(self.ticks as u32);
        self.ticks = self.ticks.saturating_add(u64::from(passed));
        let nanos = u128::from(self.ticks).wrapping_mul(u128::from(self.scale)) >> 32;
        Instant::from_nanos(nanos.min(u128::from(u64::MAX)) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(hz: u32) -> TickWidener {
        TickWidener::new(NonZeroU32::new(hz).unwrap_or(NonZeroU32::MIN))
    }

    #[test]
    fn t1_counts_on_over_a_wrap() {
        let mut clock = clock(1_000_000);
        for (reading, nanos) in [
            (5, 5_000),
            (5, 5_000),
            (u32::MAX, 4_294_967_295_000),
            (0, 4_294_967_296_000),
            (4, 4_294_967_300_000),
            (3, 8_589_934_595_000),
        ] {
            assert_eq!(clock.widen(reading), Instant::from_nanos(nanos), "{reading}");
        }
    }

    #[test]
    fn t1_a_lap_is_the_time_of_all_ticks() {
        assert_eq!(clock(1_000).lap(), Millis::new(4_294_967_296));
        assert_eq!(clock(168_000_000).lap(), Millis::new(25_565));
    }

    #[test]
    fn t1_is_exact_for_a_watch_crystal_and_never_fast() {
        assert_eq!(clock(32_768).widen(32_768).as_nanos(), 1_000_000_000);
        assert_eq!(clock(32_768).widen(1).as_nanos(), 30_517);
        for hz in [1, 3, 7, 999_999_937, 100_000_000, u32::MAX] {
            let (mut clock, mut ticks) = (clock(hz), 0u64);
            for step in [0, 1, hz / 2, hz, u32::MAX / 2] {
                ticks += u64::from(step);
                #[allow(clippy::cast_possible_truncation)]
                let nanos = clock.widen(ticks as u32).as_nanos();
                let exact = u128::from(ticks) * 1_000_000_000 / u128::from(hz);
                assert!(
                    u128::from(nanos) <= exact
                        && exact - u128::from(nanos)
                            <= exact / 1_000_000_000 + 1 + u128::from(hz / 100_000_000) * exact,
                    "{hz} {ticks} {nanos} {exact}"
                );
            }
        }
    }

    #[test]
    fn t2_sticks_at_the_end_of_the_clock() {
        let mut clock = TickWidener { scale: u64::MAX, ticks: u64::MAX - 1 };
        assert_eq!(clock.widen(u32::MAX).as_nanos(), u64::MAX);
    }
}
