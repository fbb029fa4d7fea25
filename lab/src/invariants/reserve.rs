//! I2: a wait leaves what a retry needs.
//!
//! A wait for a beat leaves at its end at least the retry reserve (P3) of true lead, and a wait for a retry at least one attempt
//! budget and the safety margin, which is all that R5 and R6 keep; less the drift since the proven request left, and
//! less what the host was late.

use super::Truth;
use super::seen::{Came, MS, Seen, Step, sent};
use super::violation::{Held, Invariant::I2, at_least};

/// The wait that is going on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Reserve {
    wait: Option<Wait>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(clippy::struct_field_names)] // the unit
struct Wait {
    /// The reading at which it ends.
    until_ns: u64,
    /// How late the host came to it, once it did.
    late_ns: Option<u64>,
    least_ns: i128,
}

impl Reserve {
    /// `deadline_ns` is the end of the wait as the kernel has it, since a capped wait does not say it (T4).
    pub(super) fn check(
        &mut self,
        seen: &Seen,
        step: &Step,
        truth: &Truth,
        deadline_ns: Option<u64>,
    ) -> Held {
        if step.lost {
            self.wait = None;
        }
        if let Some(wait) = &mut self.wait {
            if step.now_ns >= wait.until_ns {
                wait.late_ns.get_or_insert(step.now_ns - wait.until_ns);
            }
        }
        if sent(step.action).is_some() {
            if let Some(wait) = self.wait.take().filter(|_| step.came == Came::Nothing) {
                let late_ns = i128::from(wait.late_ns.unwrap_or(0));
                leaves(seen, truth, 0, wait.least_ns - late_ns, "true lead at the end of a wait, ns")?;
            }
        }
        let leasebeat::Action::Wait(_) = step.action else { return Ok(()) };
        let (Some(until_ns), Some(budget)) = (deadline_ns, seen.budget_ms()) else { return Ok(()) };
        let attempts = match step.came {
            Came::Success { primary: true } => 2,
            Came::Failed(_) if seen.primary => 1,
            _ => return Ok(()),
        };
        let least_ns = i128::from(attempts * budget + seen.margin_ms()) * i128::from(MS);
        self.wait = Some(Wait { until_ns, late_ns: None, least_ns });
        let wait_ns = until_ns.saturating_sub(step.reading_ns);
        leaves(seen, truth, wait_ns, least_ns, "true lead that a wait will leave, ns")
    }
}

/// After `wait_ns` more of the client's clock.
fn leaves(seen: &Seen, truth: &Truth, wait_ns: u64, least_ns: i128, what: &'static str) -> Held {
    let (Some(proof), Some(ends_at_ns)) = (seen.trusted_proof(), truth.expires_at_ns) else { return Ok(()) };
    let end_ns = truth.at_ns.saturating_add(wait_ns);
    let left_ns = i128::from(ends_at_ns) - i128::from(end_ns);
    at_least(I2, what, left_ns + seen.drift_ns(end_ns.saturating_sub(proof.sent_at_ns)), least_ns)
}
