//! I6: on the primary path no recovery without room for it.
//!
//! A failure with a lead below one attempt budget and the safety margin stops the kernel in that very call (R2), an
//! unknown timeout always does. No retry is sent with a lead, nor with a true lead, below one attempt budget: a wait
//! that ended so late ends in a stop (R8).

use leasebeat::{Action, Disposition, Key, Operation};

use super::Truth;
use super::seen::{Came, MS, Seen, Step, sent};
use super::violation::{Held, Invariant::I6, at_least, ensure};

pub(super) fn check(seen: &Seen, step: &Step, truth: &Truth) -> Held {
    if !seen.primary || seen.proven.is_none() {
        return Ok(());
    }
    let lead_ms = i128::from(seen.lead_ms(step.now_ns));
    let budget_ms = seen.budget_ms().map_or(i128::MAX, i128::from);
    if let Came::Failed(Disposition::Transient | Disposition::Throttled(_)) = step.came {
        let least_ms = budget_ms.saturating_add(seen.margin_ms().into());
        let stops = matches!(step.action, Action::Stop(_));
        ensure(I6, "no stop where no retry fits, lead ms", stops || lead_ms >= least_ms, lead_ms, least_ms)?;
    }
    if sent(step.action) != Some((Operation::Extend, Key::Same)) {
        return Ok(());
    }
    at_least(I6, "a retry without room for an attempt, lead ms", lead_ms, budget_ms)?;
    if let (Some(proof), Some(ends_at_ns)) = (seen.trusted_proof(), truth.expires_at_ns) {
        let left_ns = i128::from(ends_at_ns) - i128::from(truth.at_ns);
        let drift_ns = seen.drift_ns(truth.at_ns.saturating_sub(proof.sent_at_ns));
        let least_ns = budget_ms * i128::from(MS);
        at_least(I6, "a retry without room for an attempt, true lead ns", left_ns + drift_ns, least_ns)?;
    }
    Ok(())
}
