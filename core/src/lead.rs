//! The proven lead: what the last primary success leaves (P1, P2), and how it shrinks (R1).

use crate::budget::Budget;
use crate::time::{Instant, Millis, Nanos};

/// What the last success proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lead {
    /// `lead_floor` at the receipt (P2). Zero is: nothing is proved.
    pub(crate) floor: Millis,
    /// `safety_margin` (P3): all that the largest RTT (P1) is for. Lost timing does not make a network faster.
    pub(crate) margin: Millis,
    /// The RTT of that answer, plus the clock's resolution, from which the fence is exact to the nanosecond.
    spent: Nanos,
    /// The receipt of the last success of either path.
    pub(crate) receipt: Instant,
}

impl Lead {
    pub(crate) const fn with_margin(margin: Millis) -> Self {
        Self { floor: Millis::ZERO, spent: Nanos(0), receipt: Instant::ORIGIN, margin }
    }

    /// A success was received `now` that leaves `remaining`, 0 where it does not say. `rtt`, the clock's
    /// resolution included, is `None` where it is unknown: that is never read as zero (P2). The receipt before.
    pub(crate) fn receive(&mut self, rtt: Option<Nanos>, remaining: Millis, now: Instant) -> Instant {
        self.floor = match rtt {
            None => Millis::ZERO,
            Some(spent) => {
                let consumed = spent.ceil();
                self.spent = spent;
                self.margin = self.margin.max(consumed.doubled());
                remaining.minus(consumed)
            }
        };
        core::mem::replace(&mut self.receipt, now)
    }

    /// Nothing is proved any more.
    pub(crate) fn void(&mut self) {
        self.floor = Millis::ZERO;
    }

    /// The send of the proven attempt, plus what the server said remained.
    pub(crate) fn fence(&self) -> Option<Instant> {
        let remaining = self.floor.plus(self.spent.ceil());
        self.proven(self.receipt.advanced(remaining.nanos(), self.spent))
    }

    /// The last instant at which R1's window is not negative, at the earliest the receipt.
    pub(crate) fn danger(&self, budget: &Budget, resolution: Nanos) -> Option<Instant> {
        let window = budget.window(self.floor).unwrap_or(Millis::ZERO);
        self.proven(self.receipt.advanced(window.nanos(), resolution))
    }

    fn proven(&self, at: Instant) -> Option<Instant> {
        if self.floor.is_zero() { None } else { Some(at) }
    }
}
