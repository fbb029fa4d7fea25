//! I4: requests are bounded.
//!
//! - Two primary successes in a row without a delay, whatever failed between, and no third send follows; an extension
//!   because timing was lost counts as the first of them (P5, T6).
//! - At one reading at most five requests leave: create, its retry, F3's extension, P5's, and one immediate retry.
//! - In an outage (no success) on the primary path at most six requests in any minute, and one more for each
//!   Retry-After that was waited for; in fallback 500 ms between two requests, so at most 121 a minute.
//! - A stopped kernel sends nothing.
//!
//! Each lost timing may add one request, and at the end of the clock, where it stands still, all requests are at one
//! reading: neither is counted. The reasons for the numbers are in `docs/INVARIANTS.md`.

use leasebeat::{Disposition, Millis};

use super::seen::{Came, MS, Seen, Step, sent};
use super::violation::{Held, Invariant::I4, at_least, at_most, ensure};

const AT_ONE_READING: u8 = 5;
const IN_A_MINUTE: usize = 6;
const MINUTE_NS: u64 = 60_000 * MS;
/// The shortest cadence. A retry never comes early (T4).
const FALLBACK_NS: u64 = 500 * MS;
/// No cadence is longer.
const END_OF_CLOCK_NS: u64 = u64::MAX - 86_400_000 * MS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Requests {
    /// The primary success before had no delay.
    zero_delay: bool,
    last_ns: Option<u64>,
    at_last: u8,
    /// The last failure asked for a wait.
    throttled: bool,
    /// The requests of this outage that no Retry-After explains, the latest last.
    outage_ns: [Option<u64>; IN_A_MINUTE],
}

impl Requests {
    pub(super) fn check(&mut self, seen: &Seen, step: &Step) -> Held {
        let sends = sent(step.action).is_some();
        ensure(I4, "a send after the stop, attempt", !(seen.stopped && sends), seen.attempts.into(), 0)?;
        match step.came {
            Came::Success { primary } => {
                let again = primary && sends && self.zero_delay;
                ensure(I4, "a third send after two successes without a delay", !again, 3, 2)?;
                *self = Self {
                    zero_delay: primary && sends,
                    last_ns: self.last_ns,
                    at_last: self.at_last,
                    ..Self::default()
                };
            }
            Came::Failed(disposition) => {
                self.throttled =
                    matches!(disposition, Disposition::Throttled(Some(after)) if after > Millis::ZERO);
            }
            Came::Nothing => {}
        }
        if step.lost {
            let waited = seen.flight.is_none() && seen.primary && seen.proven == Some(true);
            *self = Self { zero_delay: self.zero_delay || (waited && sends), ..Self::default() };
        } else if sends && step.now_ns < END_OF_CLOCK_NS {
            self.count(seen, step.now_ns)?;
        }
        Ok(())
    }

    fn count(&mut self, seen: &Seen, now_ns: u64) -> Held {
        self.at_last = if self.last_ns == Some(now_ns) { self.at_last + 1 } else { 1 };
        at_most(I4, "requests at one reading", self.at_last.into(), AT_ONE_READING.into())?;
        self.last_ns = Some(now_ns);
        if self.throttled {
            return Ok(());
        }
        let [oldest, .., latest] = self.outage_ns;
        let apart_ns = |before: u64| i128::from(now_ns.saturating_sub(before));
        if let Some(oldest) = oldest.filter(|_| seen.primary) {
            at_least(
                I4,
                "six requests before this one in a minute of an outage, ns",
                apart_ns(oldest),
                MINUTE_NS.into(),
            )?;
        }
        if let Some(latest) = latest.filter(|_| !seen.primary) {
            at_least(
                I4,
                "two requests of an outage in fallback, ns apart",
                apart_ns(latest),
                FALLBACK_NS.into(),
            )?;
        }
        self.outage_ns.rotate_left(1);
        self.outage_ns[IN_A_MINUTE - 1] = Some(now_ns);
        Ok(())
    }
}
