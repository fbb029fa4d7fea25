//! The one clock that everything is measured with.

use leasebeat::Instant;
use rustix::time::{ClockId, clock_gettime};

/// Reads the monotonic clock that goes on counting while the machine sleeps, as a lease on a server does (T1).
#[must_use]
pub fn now() -> Instant {
    let time = clock_gettime(ClockId::Boottime);
    // Neither is negative since boot, and 584 years fit.
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    Instant::from_nanos(seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(nanos.unwrap_or(0)))
}

/// When tokio's clock, by which timers run, will read what ours will at `at`.
#[must_use]
pub fn timer(at: Instant) -> tokio::time::Instant {
    tokio::time::Instant::now() + at.checked_since(now()).unwrap_or_default()
}
