//! When leases are created: evenly, so that their beats come evenly too.

use leasebeat::Instant;

/// So many leases, so many a second.
#[derive(Debug)]
pub struct Ramp {
    /// When the first is due.
    start: Instant,
    interval_ns: u64,
    wanted: u64,
    taken: u64,
}

impl Ramp {
    /// `wanted` leases from `start` on, `per_second` of them (at least 1) a second.
    #[must_use]
    pub fn new(start: Instant, wanted: u32, per_second: u32) -> Self {
        let interval_ns = 1_000_000_000 / u64::from(per_second.max(1));
        Self { start, interval_ns, wanted: wanted.into(), taken: 0 }
    }

    /// When the next one is due; `None` when all have been taken.
    #[must_use]
    pub fn next(&self) -> Option<Instant> {
        let after = self.taken.saturating_mul(self.interval_ns);
        (self.taken < self.wanted).then(|| Instant::from_nanos(self.start.as_nanos().saturating_add(after)))
    }

    /// The number of one that is due.
    pub fn take(&mut self, now: Instant) -> Option<u64> {
        self.next().filter(|due| *due <= now)?;
        self.taken += 1;
        Some(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_begin_evenly_and_no_more_than_wanted() {
        let at = |ms: u64| Instant::from_nanos(5_000_000_000 + ms * 1_000_000);
        let mut ramp = Ramp::new(at(0), 3, 100);
        assert_eq!(ramp.take(Instant::from_nanos(4_999_999_999)), None);
        assert_eq!(ramp.take(at(0)), Some(1));
        assert_eq!((ramp.next(), ramp.take(at(9))), (Some(at(10)), None));
        // What was missed is made up for.
        assert_eq!((ramp.take(at(25)), ramp.take(at(25)), ramp.take(at(25))), (Some(2), Some(3), None));
        assert_eq!(ramp.next(), None);
    }
}
