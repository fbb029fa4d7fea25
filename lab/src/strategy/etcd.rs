//! etcd's KeepAlive, by its client's rules: a request a third of the TTL after the last answer, and then every 500 ms until
//! it is answered; the channel is closed once a TTL has passed since the last answer came.

use leasebeat::{Instant, Millis, Outcome, Success};

use super::{Answer, End, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// Both of its loops look every so often, in ms.
const POLL_MS: u64 = 500;
/// How long it waits for the first answer, in ms.
const FIRST_MS: u64 = 5_000;

/// It believes that it holds until its channel closes.
#[derive(Debug, Clone)]
pub struct Etcd {
    ttl: Millis,
    poll: Instant,
    next: Instant,
    deadline: Instant,
    requests: Requests,
}

impl Etcd {
    /// For leases of `ttl`.
    #[must_use]
    pub fn new(ttl: Millis) -> Self {
        let origin = Instant::ORIGIN;
        Self { ttl, poll: origin, next: origin, deadline: origin, requests: Requests::default() }
    }

    /// The first look at which there is something to do. It looks strictly after.
    fn wake(&self) -> Step {
        let due = self.next.min(self.deadline).as_nanos().saturating_add(1);
        let step = POLL_MS * 1_000_000;
        let polls = due.saturating_sub(self.poll.as_nanos()).div_ceil(step);
        Step::wait(Instant::from_nanos(self.poll.as_nanos().saturating_add(polls.max(1) * step)))
    }
}

impl Strategy for Etcd {
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
        self.poll = now;
        self.next = after(now, self.ttl.get() / 3);
        self.deadline = after(now, FIRST_MS);
        // The first request leaves at once.
        let send = self.requests.extend(self.ttl);
        self.next = now;
        Step { send: Some(send), ..self.wake() }
    }

    fn tick(&mut self, now: Instant, _truth: &Truth) -> Step {
        let due = self.next.min(self.deadline);
        if now > due {
            self.poll = now;
        }
        if now > self.deadline {
            return Step::end(End::GaveUp);
        }
        if now > self.next {
            let send = self.requests.extend(self.ttl);
            return Step { send: Some(send), ..self.wake() };
        }
        self.wake()
    }

    fn answer(&mut self, answer: &Answer, now: Instant, _truth: &Truth) -> Step {
        if let Some(end) = over(&answer.outcome) {
            return Step::end(end);
        }
        if let Outcome::Extended(success) = answer.outcome {
            let ttl_ms = success.remaining_ttl_ms.unwrap_or(self.ttl.get());
            if ttl_ms == 0 {
                return Step::end(End::Expired);
            }
            self.next = after(now, ttl_ms / 3);
            self.deadline = after(now, ttl_ms);
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
    fn it_asks_at_a_third_and_then_every_half_second_until_the_ttl_is_over() {
        let mut etcd = Etcd::new(Millis::new(9_000));
        let first = etcd.adopt(Success::default(), at(0), 0, at(0), &TRUTH);
        assert_eq!((first.send.map(|send| send.id), first.wake), (Some(1), Some(at(500))));
        // Answered at 100: the next at 3,100, seen by the look at 3,500.
        assert_eq!(etcd.answer(&extended(1, 9_000), at(100), &TRUTH), Step::wait(at(3_500)));
        let mut sent = Vec::new();
        let mut now = 3_500;
        loop {
            let step = etcd.tick(at(now), &TRUTH);
            if step.end.is_some() {
                break;
            }
            sent.push(now);
            assert_eq!(step.wake, Some(at(now + 500)));
            now += 500;
        }
        // The last answer came at 100: it gives up at the first look after 9,100.
        assert_eq!((sent.first(), sent.last(), sent.len(), now), (Some(&3_500), Some(&9_000), 12, 9_500));
        assert_eq!(etcd.answer(&failed(2, 410), at(9_600), &TRUTH), Step::end(End::Expired));
    }
}
