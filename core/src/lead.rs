//! The proven lead: what the last primary success leaves (P1, P2), and how it shrinks (R1).

use core::num::NonZeroU64;

use crate::budget::Budget;
use crate::time::{Instant, Millis, Nanos};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lead {
    /// `lead_floor` at the receipt; 0 where nothing is proved.
    pub(crate) floor: Millis,
    /// The receipt of the last success of either path.
    pub(crate) receipt: Instant,
    /// P1: the largest RTT of any success. Lost timing does not make the network faster.
    pub(crate) max_rtt: Millis,
    /// The fence. One at the clock's origin holds at no reading, so it is none.
    fence_ns: Option<NonZeroU64>,
}

impl Lead {
    pub(crate) const fn with_max_rtt(max_rtt: Millis) -> Self {
        Self { floor: Millis::ZERO, receipt: Instant::ORIGIN, max_rtt, fence_ns: None }
    }

    /// A success of either path was received `now`; its RTT, plus the clock's resolution, is `rtt` where known.
    pub(crate) fn receive(&mut self, rtt: Option<Nanos>, remaining: Option<Millis>, now: Instant) {
        self.receipt = now;
        self.void();
        let Some(rtt) = rtt else { return }; // P2
        let consumed = rtt.ceil();
        self.max_rtt = self.max_rtt.max(consumed); // P1
        if let Some(remaining) = remaining {
            self.floor = remaining.minus(consumed); // P2
            self.fence_ns = NonZeroU64::new(now.shifted(remaining.nanos(), rtt).as_nanos());
        }
    }

    /// Nothing is proved any more.
    pub(crate) fn void(&mut self) {
        self.floor = Millis::ZERO;
        self.fence_ns = None;
    }

    /// R1: `lead_floor ⊖ consumed(receipt → now)`.
    pub(crate) fn at(&self, now: Instant, resolution: Nanos) -> Millis {
        self.floor.minus(now.since(self.receipt).plus(resolution).ceil())
    }

    /// The last proven send, plus what the server said remained.
    pub(crate) fn fence(&self) -> Option<Instant> {
        self.fence_ns.map(|ns| Instant::from_nanos(ns.get()))
    }

    /// The last instant at which R1's window is not negative, at the earliest the receipt.
    pub(crate) fn danger(&self, budget: &Budget, resolution: Nanos) -> Option<Instant> {
        self.fence_ns?;
        let window = budget.window(self.floor).unwrap_or(Millis::ZERO);
        Some(self.receipt.shifted(window.nanos(), resolution).max(self.receipt))
    }
}
