//! Recovery on the primary path: the guards R2–R7 against a retry that does not fit and a loop that does not end.

use crate::budget::Budget;
use crate::decision::{Rule, StopReason};
use crate::response::Disposition;
use crate::time::{Instant, Millis};

/// R5: no retry waits longer.
const RETRY_MAX: Millis = Millis::new(30_000);

/// What the guards remember. All of it but the count is forgotten by a success (R7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // four independent memories, not one state
pub(crate) struct Guards {
    last_failure: Instant,
    /// Failures since the kernel was made, for the statistics.
    pub(crate) failures: u32,
    failed: bool,
    zero_window_spent: bool,
    zero_retry_after_taken: bool,
    /// P5: the success before left no delay. Only a success decides this, so R7 leaves it alone.
    pub(crate) zero_delay: bool,
}

/// The retry that the guards allow, always with the same key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Retry {
    pub(crate) delay: Millis,
    /// The delay is the server's: never cut it short (T4).
    pub(crate) throttled: bool,
    pub(crate) rule: Rule,
}

impl Guards {
    /// R7: a success clears the memory of R3, R4 and R6.
    pub(crate) fn clear(&mut self) {
        self.failed = false;
        self.zero_window_spent = false;
        self.zero_retry_after_taken = false;
    }

    /// Decides after a failure, transient or throttled, with `lead` left: R2, R3, R4, then R5 or R6.
    pub(crate) fn retry(
        &mut self,
        lead: Millis,
        budget: &Budget,
        disposition: Disposition,
        now: Instant,
    ) -> Result<Retry, (StopReason, Rule)> {
        let Some(window) = budget.window(lead) else {
            return Err((StopReason::NoSafeRetry, Rule::R2));
        };
        if window.is_zero() {
            return self.zero_window(disposition);
        }
        if self.failed && self.last_failure == now {
            return Err((StopReason::NoProgress, Rule::R4));
        }
        self.failed = true;
        self.last_failure = now;
        let backoff = RETRY_MAX.min(lead.quarter()).min(window);
        match disposition {
            Disposition::Throttled(Some(Millis::ZERO)) => {
                let delay = if self.zero_retry_after_taken { backoff } else { Millis::ZERO };
                self.zero_retry_after_taken = true;
                Ok(Retry { delay, throttled: false, rule: Rule::R6 })
            }
            Disposition::Throttled(Some(retry_after)) => {
                if retry_after > window {
                    return Err((StopReason::Throttled, Rule::R6));
                }
                Ok(Retry { delay: retry_after, throttled: true, rule: Rule::R6 })
            }
            Disposition::Throttled(None) => Err((StopReason::Throttled, Rule::R6)),
            _ => Ok(Retry { delay: backoff, throttled: false, rule: Rule::R5 }),
        }
    }

    /// R3: one immediate retry. R4 cannot speak here: without time the window would be zero again.
    fn zero_window(&mut self, disposition: Disposition) -> Result<Retry, (StopReason, Rule)> {
        if self.zero_window_spent {
            return Err((StopReason::ZeroWindowSpent, Rule::R3));
        }
        match disposition {
            Disposition::Throttled(retry_after) if retry_after != Some(Millis::ZERO) => {
                Err((StopReason::Throttled, Rule::R6))
            }
            _ => {
                self.zero_window_spent = true;
                Ok(Retry { delay: Millis::ZERO, throttled: false, rule: Rule::R3 })
            }
        }
    }
}

/// T3: on a coarse clock a wait can seem one quantum longer than it was, so a Retry-After is waited that much longer.
/// None at all cannot be cut short.
pub(crate) const fn on_this_clock(retry_after: Millis, quantum: Millis) -> Millis {
    if retry_after.is_zero() { retry_after } else { retry_after.plus(quantum) }
}
