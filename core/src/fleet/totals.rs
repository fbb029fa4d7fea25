//! What a fleet counts over all its leases.

use crate::decision::{Action, Decision, StopReason};
use crate::state::Heartbeat;

/// Counts over all leases of a fleet, the removed ones included. Each sticks at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Totals {
    /// Leases inserted or adopted.
    pub inserted: u64,
    /// Leases removed.
    pub removed: u64,
    /// Attempts to be sent.
    pub sends: u64,
    /// Of those, beats that were brought forward (FL3, FL4).
    pub early: u64,
    stopped: [u64; StopReason::ALL.len()],
}

impl Totals {
    /// Leases that stopped for `reason`.
    #[must_use]
    pub fn stopped(&self, reason: StopReason) -> u64 {
        StopReason::ALL
            .iter()
            .zip(&self.stopped)
            .find(|(one, _)| **one == reason)
            .map_or(0, |(_, count)| *count)
    }

    /// Counts what a lease that was, or was not, `stopped` has come to.
    pub(crate) fn count(&mut self, stopped: Option<StopReason>, after: &Heartbeat, decision: &Decision) {
        if matches!(decision.action, Action::Send(_)) {
            self.sends = self.sends.saturating_add(1);
        }
        if let (None, Some(reason)) = (stopped, after.stopped()) {
            for (one, count) in StopReason::ALL.iter().zip(&mut self.stopped) {
                if *one == reason {
                    *count = count.saturating_add(1);
                }
            }
        }
    }
}
