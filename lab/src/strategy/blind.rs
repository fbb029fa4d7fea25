//! Blind half of the TTL: extend every TTL/2, whatever happens, until the server says that it is over.

use leasebeat::{Instant, Millis, Success};

use super::{Answer, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// A timer at half of the TTL. It looks at no answer but a final one, and believes that it holds until then.
#[derive(Debug, Clone)]
pub struct Blind {
    ttl: Millis,
    next: Instant,
    requests: Requests,
}

impl Blind {
    /// For leases of `ttl`.
    #[must_use]
    pub fn new(ttl: Millis) -> Self {
        Self { ttl, next: Instant::ORIGIN, requests: Requests::default() }
    }
}

impl Strategy for Blind {
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
        Step::send(self.requests.extend(self.ttl), Some(self.next))
    }

    fn answer(&mut self, answer: &Answer, _now: Instant, _truth: &Truth) -> Step {
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
    fn it_extends_every_half_ttl_with_a_fresh_key_whatever_is_answered() {
        let mut blind = Blind::new(Millis::new(60_000));
        assert_eq!(blind.adopt(Success::default(), at(0), 0, at(100), &TRUTH), Step::wait(at(30_100)));
        assert_eq!(blind.tick(at(30_000), &TRUTH), Step::wait(at(30_100)));
        let first = blind.tick(at(30_100), &TRUTH);
        assert_eq!((first.send.map(|send| send.key_generation), first.wake), (Some(1), Some(at(60_100))));
        assert_eq!(blind.answer(&failed(1, 503), at(30_200), &TRUTH), Step::wait(at(60_100)));
        assert_eq!(blind.answer(&extended(1, 60_000), at(30_200), &TRUTH), Step::wait(at(60_100)));
        assert_eq!(blind.tick(at(60_100), &TRUTH).send.map(|send| send.key_generation), Some(2));
        assert_eq!(blind.held(), Held::UntilItEnds);
        assert_eq!(blind.answer(&failed(2, 410), at(60_200), &TRUTH), Step::end(super::super::End::Expired));
    }
}
