//! The host's monotonic clock.

use leasebeat::Instant;

/// A monotonic clock that reads 0 when it is made, so that a recorded trace starts there.
///
/// On Linux it goes on counting while the machine sleeps, as a lease on a server does. Elsewhere it is the
/// standard library's clock, which may stop in suspend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    #[cfg(target_os = "linux")]
    origin_ns: u64,
    #[cfg(not(target_os = "linux"))]
    origin: std::time::Instant,
}

#[cfg(target_os = "linux")]
impl Clock {
    pub(crate) fn start() -> Self {
        Self { origin_ns: boot_time_ns() }
    }

    pub(crate) fn now(self) -> Instant {
        Instant::from_nanos(boot_time_ns().saturating_sub(self.origin_ns))
    }
}

#[cfg(target_os = "linux")]
fn boot_time_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    // Neither is negative since boot, and 584 years fit.
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(nanos.unwrap_or(0))
}

#[cfg(not(target_os = "linux"))]
impl Clock {
    pub(crate) fn start() -> Self {
        Self { origin: std::time::Instant::now() }
    }

    pub(crate) fn now(self) -> Instant {
        Instant::from_nanos(u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_near_zero_and_counts_nanoseconds() {
        let clock = Clock::start();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let read = clock.now().as_nanos();
        assert!((20_000_000..10_000_000_000).contains(&read), "{read}");
    }
}
