//! Alternate beat: a beat every TTL/2, and an extension at every second one, without tracking the lead. The protocol's
//! text warns of it: after one failure the retry comes at the instant of expiry.

use leasebeat::{Instant, Millis, Outcome, Success};

use super::{Answer, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// A timer at half of the TTL that skips the beat after a success. It believes that it holds until it is told otherwise.
#[derive(Debug, Clone)]
pub struct Alternate {
    ttl: Millis,
    next: Instant,
    /// The last beat was a success, so the next one is skipped.
    skips: bool,
    /// The key of a failed request is kept.
    keeps_key: bool,
    keys: u32,
    requests: Requests,
}

impl Alternate {
    /// For leases of `ttl`.
    #[must_use]
    pub fn new(ttl: Millis) -> Self {
        let requests = Requests::default();
        Self { ttl, next: Instant::ORIGIN, skips: false, keeps_key: false, keys: 0, requests }
    }
}

impl Strategy for Alternate {
    fn fresh(&self, _lease: u64) -> Self {
        Self::new(self.ttl)
    }

    fn begin(&mut self, _now: Instant, _truth: &Truth) -> Option<Step> {
        None
    }

    fn adopt(
        &mut self,
        _success: Success,
        _sent: Instant,
        _sent_ns: u64,
        now: Instant,
        _truth: &Truth,
    ) -> Step {
        self.next = after(now, self.ttl.get() / 2);
        Step::wait(self.next)
    }

    fn tick(&mut self, now: Instant, _truth: &Truth) -> Step {
        if now < self.next {
            return Step::wait(self.next);
        }
        self.next = after(now, self.ttl.get() / 2);
        if self.skips {
            self.skips = false;
            return Step::wait(self.next);
        }
        if !self.keeps_key {
            self.keys = self.keys.saturating_add(1);
        }
        self.keeps_key = true;
        let send = super::Send { key_generation: self.keys, ..self.requests.extend(self.ttl) };
        Step::send(send, Some(self.next))
    }

    fn answer(&mut self, answer: &Answer, _now: Instant, _truth: &Truth) -> Step {
        if let Outcome::Extended(_) = answer.outcome {
            self.skips = true;
            self.keeps_key = false;
        }
        over(&answer.outcome).map_or(Step::wait(self.next), Step::end)
    }

    fn held(&self) -> Held {
        Held::UntilItEnds
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TRUTH, at, extended, failed};
    use super::*;

    #[test]
    fn it_skips_the_beat_after_a_success_and_none_after_a_failure() {
        let mut strategy = Alternate::new(Millis::new(60_000));
        strategy.adopt(Success::default(), at(0), 0, at(0), &TRUTH);
        let sent = |step: Step| step.send.map(|send| (send.id, send.key_generation));
        assert_eq!(sent(strategy.tick(at(30_000), &TRUTH)), Some((1, 1)));
        strategy.answer(&extended(1, 90_000), at(30_100), &TRUTH);
        assert_eq!(sent(strategy.tick(at(60_000), &TRUTH)), None);
        assert_eq!(sent(strategy.tick(at(90_000), &TRUTH)), Some((2, 2)));
        strategy.answer(&failed(2, 503), at(90_100), &TRUTH);
        // The lead was half a TTL: this is the instant of expiry.
        assert_eq!(sent(strategy.tick(at(120_000), &TRUTH)), Some((3, 2)));
    }
}
