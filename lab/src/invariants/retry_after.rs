//! I5: after a 429 with a valid Retry-After no request leaves before so long a true time has passed, less the drift.
//!
//! It counts from the true time of the reading with which the answer was reported, and over again where timing was
//! lost (T6).

use leasebeat::Disposition;

use super::seen::{Came, MS, Seen, Step, sent};
use super::violation::{Held, Invariant::I5, at_least};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct RetryAfter {
    asked: Option<Asked>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::struct_field_names)] // the unit
struct Asked {
    since_ns: u64,
    /// The reading at which it has passed, which the clock must be able to express (T4).
    until_ns: u64,
    length_ns: u64,
}

impl RetryAfter {
    pub(super) fn check(&mut self, seen: &Seen, step: &Step) -> Held {
        if let Came::Failed(Disposition::Throttled(Some(length))) = step.came {
            let length_ns = length.get().saturating_mul(MS);
            let until_ns = step.now_ns.saturating_add(length_ns);
            self.asked = Some(Asked { since_ns: step.at_ns, until_ns, length_ns });
        }
        if let Some(asked) = self.asked.as_mut().filter(|_| step.lost) {
            asked.since_ns = step.at_ns;
        }
        if sent(step.action).is_none() {
            return Ok(());
        }
        match self.asked.take() {
            Some(asked) if asked.since_ns >= seen.trusted_from_ns && asked.until_ns < u64::MAX => {
                let passed_ns = step.at_ns.saturating_sub(asked.since_ns);
                let counted_ns = i128::from(passed_ns) + seen.drift_ns(passed_ns);
                at_least(
                    I5,
                    "a send before the Retry-After has passed, ns",
                    counted_ns,
                    asked.length_ns.into(),
                )
            }
            _ => Ok(()),
        }
    }
}
