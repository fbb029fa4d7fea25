//! Redlock as node-redlock's `using` keeps a lock: extend 500 ms before the lock's validity ends, which is a hundredth of
//! the TTL and 2 ms before its expiry; ten retries about 200 ms apart; abort once the validity is over.

use leasebeat::{Instant, Millis, Outcome, Success};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Answer, End, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// How long before the end of the validity it extends, in ms.
const THRESHOLD_MS: u64 = 500;
/// Retries of one extension, and the time between them, in ms, off by up to [`JITTER_MS`].
const RETRIES: u32 = 10;
const DELAY_MS: u64 = 200;
const JITTER_MS: u64 = 100;

/// It believes that it holds until its signal aborts.
#[derive(Debug, Clone)]
pub struct Redlock {
    ttl: Millis,
    timeout: Millis,
    seed: u64,
    random: Xoshiro256PlusPlus,
    /// Until when the lock is valid by its own reckoning.
    valid_until: Instant,
    /// When the extension under way began, and how many of its attempts have failed.
    extending: Option<(Instant, u32)>,
    give_up: Option<Instant>,
    next: Instant,
    current: u32,
    last: End,
    requests: Requests,
}

impl Redlock {
    /// For locks of `ttl`, requests being given up after `timeout`; its jitter is drawn from `seed`.
    #[must_use]
    pub fn new(ttl: Millis, timeout: Millis, seed: u64) -> Self {
        let origin = Instant::ORIGIN;
        Self {
            ttl,
            timeout,
            seed,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            valid_until: origin,
            extending: None,
            give_up: None,
            next: origin,
            current: 0,
            last: End::GaveUp,
            requests: Requests::default(),
        }
    }

    fn valid_from(&mut self, sent: Instant) -> Step {
        let drift_ms = (self.ttl.get() + 50) / 100 + 2;
        self.valid_until = after(sent, self.ttl.get().saturating_sub(drift_ms));
        self.extending = None;
        self.give_up = None;
        let threshold = THRESHOLD_MS * 1_000_000;
        self.next = Instant::from_nanos(self.valid_until.as_nanos().saturating_sub(threshold));
        Step::wait(self.next)
    }

    fn send(&mut self, now: Instant) -> Step {
        let send = self.requests.extend(self.ttl);
        self.current = send.id;
        let give_up = after(now, self.timeout.get());
        self.give_up = Some(give_up);
        Step::send(send, Some(give_up))
    }

    fn begin_extension(&mut self, now: Instant) -> Step {
        if self.valid_until < now {
            return Step::end(self.last);
        }
        self.extending = Some((now, 0));
        self.send(now)
    }

    fn failed(&mut self, now: Instant) -> Step {
        self.give_up = None;
        let Some((began, failures)) = self.extending else { return Step::wait(self.next) };
        if failures < RETRIES {
            self.extending = Some((began, failures + 1));
            let delay_ms = DELAY_MS - JITTER_MS + self.random.random_range(0..2 * JITTER_MS);
            self.next = after(now, delay_ms);
            return Step::wait(self.next);
        }
        if self.valid_until > now { self.begin_extension(now) } else { Step::end(self.last) }
    }
}

impl Strategy for Redlock {
    fn fresh(&self, lease: u64) -> Self {
        Self::new(self.ttl, self.timeout, self.seed.wrapping_add(lease))
    }

    fn begin(&mut self, _now: Instant, _truth: &Truth) -> Option<Step> {
        None
    }

    fn adopt(
        &mut self,
        _success: Success,
        sent: Instant,
        _sent_ns: u64,
        _now: Instant,
        _truth: &Truth,
    ) -> Step {
        self.valid_from(sent)
    }

    fn tick(&mut self, now: Instant, _truth: &Truth) -> Step {
        match (self.give_up, self.extending) {
            (Some(give_up), _) if now < give_up => Step::wait(give_up),
            (Some(_), _) => self.failed(now),
            (None, _) if now < self.next => Step::wait(self.next),
            (None, Some(_)) => self.send(now),
            (None, None) => self.begin_extension(now),
        }
    }

    fn answer(&mut self, answer: &Answer, now: Instant, _truth: &Truth) -> Step {
        if answer.id != self.current || self.give_up.is_none() {
            return Step::wait(self.give_up.unwrap_or(self.next));
        }
        if let (Outcome::Extended(_), Some((began, _))) = (answer.outcome, self.extending) {
            return self.valid_from(began);
        }
        // A vote against, whatever it says: the retries go on.
        self.last = over(&answer.outcome).unwrap_or(End::GaveUp);
        self.failed(now)
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
    fn it_extends_half_a_second_before_its_validity_ends_and_retries_ten_times() {
        let mut redlock = Redlock::new(Millis::new(60_000), Millis::new(10_000), 7);
        // Sent at 0, valid until 60,000 − 602.
        let step = redlock.adopt(Success::default(), at(0), 0, at(100), &TRUTH);
        assert_eq!(step, Step::wait(at(58_898)));
        assert_eq!(redlock.tick(at(58_898), &TRUTH).send.map(|send| send.id), Some(1));
        assert_eq!(redlock.answer(&extended(1, 60_000), at(58_999), &TRUTH), Step::wait(at(58_898 + 58_898)));

        let mut now = 117_796;
        redlock.tick(at(now), &TRUTH);
        for id in 2..12 {
            let step = redlock.answer(&failed(id, 410), at(now), &TRUTH);
            let wait = step.wake.map_or(0, |wake| wake.as_nanos() / 1_000_000) - now;
            assert!((100..300).contains(&wait), "{wait}");
            now += wait;
            assert_eq!(redlock.tick(at(now), &TRUTH).send.map(|send| send.id), Some(id + 1));
        }
        assert!(now > 118_296, "the validity is over");
        assert_eq!(redlock.answer(&failed(12, 410), at(now), &TRUTH), Step::end(End::Expired));
    }
}
