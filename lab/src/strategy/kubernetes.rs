//! Kubernetes leader election, by client-go's rules: renew every retry period; lead no more once the renew deadline has passed
//! without a success. Its 15 s, 10 s and 2 s are scaled to the TTL.

use leasebeat::{Instant, Millis, Outcome, Success};

use super::{Answer, End, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// It believes that it leads until the renew deadline has passed.
#[derive(Debug, Clone)]
pub struct Kubernetes {
    ttl: Millis,
    /// When this renewal, with all its attempts, began.
    began: Instant,
    /// When the attempt in flight is given up.
    give_up: Option<Instant>,
    /// When the next attempt is due.
    next: Instant,
    /// The next attempt begins another renewal.
    anew: bool,
    current: u32,
    requests: Requests,
}

impl Kubernetes {
    /// For leases of `ttl`.
    #[must_use]
    pub fn new(ttl: Millis) -> Self {
        let origin = Instant::ORIGIN;
        let requests = Requests::default();
        Self { ttl, began: origin, give_up: None, next: origin, anew: true, current: 0, requests }
    }

    fn renew_deadline_ms(&self) -> u64 {
        self.ttl.get() * 10 / 15
    }

    fn retry_ms(&self) -> u64 {
        (self.ttl.get() * 2 / 15).max(1)
    }

    fn wake(&self) -> Step {
        let due = self.give_up.unwrap_or(self.next);
        let over = if self.anew { due } else { after(self.began, self.renew_deadline_ms()) };
        Step::wait(due.min(over))
    }

    /// The ticker of a renewal: its looks are a retry period apart, and those that come during an attempt are missed but one.
    fn retry(&mut self, now: Instant) {
        self.give_up = None;
        let period = self.retry_ms() * 1_000_000;
        let since = now.as_nanos().saturating_sub(self.began.as_nanos());
        let looks = since / period;
        self.next = Instant::from_nanos(self.began.as_nanos() + (looks + 1) * period);
    }
}

impl Strategy for Kubernetes {
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
        truth: &Truth,
    ) -> Step {
        // The first renewal begins as soon as it leads.
        self.next = now;
        self.tick(now, truth)
    }

    fn tick(&mut self, now: Instant, _truth: &Truth) -> Step {
        if !self.anew && now >= after(self.began, self.renew_deadline_ms()) {
            return Step::end(End::GaveUp);
        }
        if let Some(give_up) = self.give_up {
            if now < give_up {
                return self.wake();
            }
            self.retry(now);
        }
        if now < self.next {
            return self.wake();
        }
        if self.anew {
            self.anew = false;
            self.began = now;
        }
        let send = self.requests.extend(self.ttl);
        self.current = send.id;
        // client-go's locks use half of the renew deadline, at least a second.
        self.give_up = Some(after(now, (self.renew_deadline_ms() / 2).max(1_000)));
        Step { send: Some(send), ..self.wake() }
    }

    fn answer(&mut self, answer: &Answer, now: Instant, _truth: &Truth) -> Step {
        if let Some(end) = over(&answer.outcome) {
            return Step::end(end);
        }
        if answer.id != self.current || self.give_up.is_none() {
            return self.wake();
        }
        if let Outcome::Extended(_) = answer.outcome {
            self.give_up = None;
            self.anew = true;
            self.next = after(now, self.retry_ms());
        } else {
            self.retry(now);
        }
        self.wake()
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
    fn it_renews_every_two_seconds_and_gives_up_after_ten() {
        let mut elector = Kubernetes::new(Millis::new(15_000));
        let first = elector.adopt(Success::default(), at(0), 0, at(0), &TRUTH);
        assert_eq!((first.send.map(|send| send.id), first.wake), (Some(1), Some(at(5_000))));
        assert_eq!(elector.answer(&extended(1, 15_000), at(100), &TRUTH), Step::wait(at(2_100)));
        // This renewal begins at 2,100: refused at once it is tried again every 2 s; unanswered it is given up after 5 s.
        assert_eq!(elector.tick(at(2_100), &TRUTH).send.map(|send| send.id), Some(2));
        assert_eq!(elector.answer(&failed(2, 503), at(2_200), &TRUTH), Step::wait(at(4_100)));
        assert_eq!(elector.tick(at(4_100), &TRUTH).wake, Some(at(9_100)));
        assert_eq!(elector.tick(at(9_100), &TRUTH), Step::wait(at(10_100)));
        assert_eq!(elector.tick(at(10_100), &TRUTH).send.map(|send| send.id), Some(4));
        assert_eq!(elector.tick(at(12_099), &TRUTH), Step::wait(at(12_100)));
        assert_eq!(elector.tick(at(12_100), &TRUTH), Step::end(End::GaveUp));
    }
}
