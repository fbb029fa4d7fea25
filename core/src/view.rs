//! What can be read from a kernel at any time, without changing it.

use crate::budget::Plan;
use crate::config::Config;
use crate::decision::{AttemptId, StopReason};
use crate::state::{Heartbeat, Phase, Stats};
use crate::time::{Instant, Millis, Nanos};

impl Heartbeat {
    /// When the kernel next has something to do: the end of the wait, or the timeout of the attempt in flight.
    /// `None`: not before the next event.
    ///
    /// An ordinary wait is already due less than 1 ms before its deadline; one that honours a Retry-After, and
    /// a timeout, are not (T4, L3).
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Idle | Phase::Stopped(_) => None,
            Phase::Creating | Phase::Extending => {
                self.config.request_timeout().map(|_| self.pending.deadline)
            }
            Phase::Beat | Phase::Recovery | Phase::Fallback => Some(self.pending.deadline),
        }
    }

    /// The attempt in flight: sent, and neither reported nor timed out.
    #[must_use]
    pub fn in_flight(&self) -> Option<AttemptId> {
        let in_flight = matches!(self.phase, Phase::Creating | Phase::Extending);
        in_flight.then_some(AttemptId::new(self.attempts))
    }

    /// How long the lease is provably still held at `now`, rounded down (R1). Zero where nothing is proved: in
    /// fallback, after lost timing, and for a `now` so far back that timing is lost (T6).
    ///
    /// On a coarse clock it takes off one quantum for the round trip and one for what has passed since (T3); the
    /// fence, which is an instant, takes off one.
    #[must_use]
    pub fn lead(&self, now: Instant) -> Millis {
        if self.jumps_back(now) {
            return Millis::ZERO;
        }
        self.lead.floor.minus(self.consumed(self.lead.receipt, now.max(self.now)))
    }

    /// The instant until which the lease is provably held: the send of the last proven attempt plus what the
    /// server said remained, never later. `None` where nothing is proved: no answer yet, a fieldless or untimed
    /// one, one that took as long as the lease had left, lost timing, or a server that has since denied the lease. A stop of the kernel's own keeps it.
    #[must_use]
    pub fn fence(&self) -> Option<Instant> {
        self.lead.fence()
    }

    /// The last instant at which a complete retry plus margin still fits: after it the lead is less than
    /// `attempt_budget + safety_margin`, and a failure stops the kernel (R2). Never before the last receipt;
    /// `None` exactly where [`fence`](Self::fence) is.
    #[must_use]
    pub fn danger(&self) -> Option<Instant> {
        self.lead.danger(&self.budget(), self.config.resolution())
    }

    /// Whether the lease is provably held from `now` for `duration` more.
    #[must_use]
    pub fn is_held_for(&self, duration: Millis, now: Instant) -> bool {
        let now_or_last = now.max(self.now);
        self.fence().is_some_and(|fence| {
            !self.jumps_back(now) && now_or_last <= fence && fence.since(now_or_last).floor() >= duration
        })
    }

    /// What the last success and the round trips so far come to: attempt budget, margin, reserve and delay (P3, P4).
    #[must_use]
    pub fn plan(&self) -> Plan {
        Plan::new(&self.config, self.lead.floor, self.lead.margin.half())
    }

    /// Why the kernel has stopped, once it has.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        match self.phase {
            Phase::Stopped(reason) => Some(reason),
            _ => None,
        }
    }

    /// What has been counted.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats {
            attempts: self.attempts,
            retries: self.attempts.saturating_sub(self.key_generations),
            extensions: self.extensions,
            failures: self.guards.failures,
        }
    }

    /// The configuration it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// T5, T6: whether `now` is so far back that timing is lost. A step back of at most 1 ms, or one clock quantum, is
    /// read as no step.
    pub(crate) fn jumps_back(&self, now: Instant) -> bool {
        self.now.since(now) > Nanos::MILLI.max(self.config.resolution())
    }

    /// T3: what has passed from `from` to `now`, at most; nothing where that is back in time.
    pub(crate) fn consumed(&self, from: Instant, now: Instant) -> Millis {
        now.since(from).plus(self.config.resolution()).ceil()
    }
}
