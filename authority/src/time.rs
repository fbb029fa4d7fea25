//! The server's time (A1): what an expiry is, and every rounding and saturation of it.

use leasebeat::Millis;

/// A reading of the server's one authoritative clock: milliseconds since the Unix epoch, 0 to 2⁶³ − 1, as the
/// protocol's `int64` has them. Wherever the clock comes from, a step of it is the host's to see: the authority
/// takes each reading as it is (A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ServerTime(u64);

impl ServerTime {
    /// The last instant the protocol can name.
    pub const MAX: Self = Self(i64::MAX as u64);

    /// The instant `ms` milliseconds after the epoch; later than [`Self::MAX`] is cut to it.
    #[must_use]
    pub const fn from_millis(ms: u64) -> Self {
        if ms > Self::MAX.0 { Self::MAX } else { Self(ms) }
    }

    /// Milliseconds since the epoch.
    #[must_use]
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// `self + delay`, at most [`Self::MAX`].
    #[must_use]
    pub const fn plus(self, delay: Millis) -> Self {
        Self::from_millis(self.0.saturating_add(delay.get()))
    }

    /// What is left from here until `later`: 0 where that is past.
    #[must_use]
    pub const fn until(self, later: Self) -> Millis {
        Millis::new(later.0.saturating_sub(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a1_time_saturates_at_int64() {
        assert_eq!(ServerTime::from_millis(u64::MAX), ServerTime::MAX);
        assert_eq!(ServerTime::MAX.plus(Millis::new(1)), ServerTime::MAX);
        assert_eq!(ServerTime::from_millis(5).plus(Millis::MAX), ServerTime::MAX);
        assert_eq!(ServerTime::from_millis(7).until(ServerTime::from_millis(5)), Millis::ZERO);
        assert_eq!(ServerTime::from_millis(5).until(ServerTime::from_millis(7)), Millis::new(2));
    }
}
