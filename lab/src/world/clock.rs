//! A host's clock: it drifts, is coarse, steps back, and may stop while the host sleeps.

use leasebeat::Instant;

const MILLION: u64 = 1_000_000;

/// A monotonic clock that is meant to be, as a function of true time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostClock {
    base_true_ns: u64,
    base_reading_ns: u64,
    /// Parts per million by which it is fast; negative is slow. At most ±100,000.
    drift_ppm: i32,
    quantum_ns: u64,
}

impl HostClock {
    /// Readings begin here, so that the clock can step back a while.
    pub const ORIGIN_NS: u64 = 3_600_000_000_000;

    /// A clock that reads [`Self::ORIGIN_NS`] at true time 0.
    #[must_use]
    pub fn new(drift_ppm: i32, quantum_ns: u64) -> Self {
        Self { base_true_ns: 0, base_reading_ns: Self::ORIGIN_NS, drift_ppm, quantum_ns }
    }

    fn exact(&self, true_ns: u64) -> u64 {
        let span = true_ns.saturating_sub(self.base_true_ns);
        let plain = self.base_reading_ns + span;
        let off = parts(span, self.drift_ppm.unsigned_abs());
        if self.drift_ppm < 0 { plain - off } else { plain + off }
    }

    /// What it reads at `true_ns`.
    #[must_use]
    #[inline]
    pub fn read(&self, true_ns: u64) -> Instant {
        let exact = if self.drift_ppm == 0 {
            self.base_reading_ns + true_ns.saturating_sub(self.base_true_ns)
        } else {
            self.exact(true_ns)
        };
        Instant::from_nanos(if self.quantum_ns > 1 { exact - exact % self.quantum_ns } else { exact })
    }

    /// The first true instant from `from_ns` on at which it reads `reading` or more, if nothing happens to it until then.
    #[must_use]
    pub fn when(&self, reading: Instant, from_ns: u64) -> u64 {
        // A coarse clock reads it at its next step only.
        let reading = Instant::from_nanos(reading.as_nanos().next_multiple_of(self.quantum_ns.max(1)));
        let missing = reading.as_nanos().saturating_sub(self.exact(from_ns));
        if missing == 0 || self.drift_ppm == 0 {
            return from_ns.saturating_add(missing);
        }
        // Nearly; then up to the exact one.
        let near = parts(missing, self.drift_ppm.unsigned_abs());
        let mut at = if self.drift_ppm < 0 {
            from_ns.saturating_add(missing).saturating_add(near)
        } else {
            from_ns.saturating_add(missing - near)
        };
        loop {
            // From below, so that it stops at the first.
            let short = reading.as_nanos().saturating_sub(self.exact(at));
            if short == 0 {
                break;
            }
            let fast = parts(short, self.drift_ppm.max(0).unsigned_abs());
            at = at.saturating_add((short - fast).max(1));
        }
        at
    }

    /// It steps back by `by_ns` at `true_ns`, not before its own beginning.
    pub fn step_back(&mut self, true_ns: u64, by_ns: u64) {
        self.rebase(true_ns);
        self.base_reading_ns = self.base_reading_ns.saturating_sub(by_ns);
    }

    /// It stood still from `from_ns` to `to_ns`, as a clock does that does not count sleep.
    pub fn stand_still(&mut self, from_ns: u64, to_ns: u64) {
        self.rebase(from_ns);
        self.base_true_ns = to_ns;
    }

    fn rebase(&mut self, true_ns: u64) {
        self.base_reading_ns = self.exact(true_ns);
        // While it stands still it goes on doing so.
        self.base_true_ns = self.base_true_ns.max(true_ns);
    }
}

/// `span · ppm / 10⁶`, without overflow for any span.
fn parts(span: u64, ppm: u32) -> u64 {
    let ppm = u64::from(ppm);
    (span / MILLION) * ppm + (span % MILLION) * ppm / MILLION
}

#[cfg(test)]
mod tests {
    use super::*;

    const O: u64 = HostClock::ORIGIN_NS;

    #[test]
    fn a_clock_drifts_by_so_many_parts_in_a_million() {
        let second = 1_000_000_000;
        assert_eq!(HostClock::new(500, 0).read(second).as_nanos(), O + second + 500_000);
        assert_eq!(HostClock::new(-500, 0).read(second).as_nanos(), O + second - 500_000);
        assert_eq!(HostClock::new(0, 0).read(second).as_nanos(), O + second);
        assert_eq!(HostClock::new(500, 1_000_000).read(1_999_999).as_nanos(), O + 2_000_000);
    }

    #[test]
    fn when_is_the_first_instant_that_reads_so_much() {
        for ppm in [-500, -7, 0, 7, 500] {
            let clock = HostClock::new(ppm, 0);
            for reading in [O + 1, O + 999_999, O + 37_000_000_000, O + 86_400_000_000_000] {
                let at = clock.when(Instant::from_nanos(reading), 0);
                assert!(clock.read(at).as_nanos() >= reading, "{ppm} {reading}");
                assert!(at < 3 || clock.read(at - 2).as_nanos() < reading, "{ppm} {reading}");
            }
        }
        let coarse = HostClock::new(0, 1_000);
        assert_eq!(coarse.when(Instant::from_nanos(O + 1), 0), 1_000);
        assert_eq!(coarse.when(Instant::from_nanos(O + 1_000), 0), 1_000);
        assert_eq!(HostClock::new(3, 0).when(Instant::from_nanos(5), 77), 77);
    }

    #[test]
    fn a_step_and_a_sleep_are_missing_afterwards() {
        let mut clock = HostClock::new(0, 0);
        clock.step_back(10_000, 4_000);
        assert_eq!(clock.read(10_000).as_nanos(), O + 6_000);
        clock.stand_still(20_000, 90_000);
        assert_eq!(clock.read(90_000).as_nanos(), O + 16_000);
        assert_eq!(clock.read(90_001).as_nanos(), O + 16_001);
        clock.stand_still(90_002, 95_000);
        assert_eq!(clock.read(93_000).as_nanos(), O + 16_002);
        clock.step_back(93_000, 2);
        assert_eq!(clock.read(95_001).as_nanos(), O + 16_001);
        clock.step_back(95_002, u64::MAX);
        assert_eq!(clock.read(95_002).as_nanos(), 0);
    }
}
