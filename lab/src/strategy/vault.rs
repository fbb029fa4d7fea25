//! Vault's lifetime watcher: renew at two thirds of the lease and a little more; after an error back off; give up once what
//! remains is within a grace of a tenth to a fifth of the lease.

use leasebeat::{Instant, Millis, Outcome, Success};
use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Answer, End, Held, Requests, Step, Strategy, after, over};
use crate::invariants::Truth;

/// The first backoff, in ms; it doubles up to 5 minutes, and each is off by up to a half either way.
const BACKOFF_MS: u64 = 10_000;
const BACKOFF_MAX_MS: u64 = 300_000;

/// It believes that it holds until the watcher ends.
#[derive(Debug, Clone)]
pub struct Vault {
    ttl: Millis,
    timeout: Millis,
    seed: u64,
    random: Xoshiro256PlusPlus,
    /// When the last renewal was answered, and what the lease had then, in ms.
    renewed: Instant,
    lease_ms: u64,
    prior_ms: u64,
    grace_ms: u64,
    backoff_ms: Option<u64>,
    give_up: Option<Instant>,
    next: Instant,
    current: u32,
    requests: Requests,
}

impl Vault {
    /// For leases of `ttl`, requests being given up after `timeout`; its jitter is drawn from `seed`.
    #[must_use]
    pub fn new(ttl: Millis, timeout: Millis, seed: u64) -> Self {
        let origin = Instant::ORIGIN;
        Self {
            ttl,
            timeout,
            seed,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            renewed: origin,
            lease_ms: ttl.get(),
            prior_ms: ttl.get(),
            grace_ms: 0,
            backoff_ms: None,
            give_up: None,
            next: origin,
            current: 0,
            requests: Requests::default(),
        }
    }

    fn draw_grace(&mut self, lease_ms: u64) {
        let tenth = lease_ms / 10;
        self.grace_ms = tenth + self.random.random_range(0..tenth.max(1));
    }

    fn send(&mut self, now: Instant) -> Step {
        let send = self.requests.extend(self.ttl);
        self.current = send.id;
        let give_up = after(now, self.timeout.get());
        self.give_up = Some(give_up);
        Step::send(send, Some(give_up))
    }

    fn sleep(&mut self, remaining_ms: u64, sleep_ms: u64, now: Instant) -> Step {
        self.give_up = None;
        self.prior_ms = remaining_ms;
        if remaining_ms <= self.grace_ms || remaining_ms.saturating_sub(sleep_ms) <= self.grace_ms {
            return Step::end(End::GaveUp);
        }
        self.next = after(now, sleep_ms);
        Step::wait(self.next)
    }

    fn failed(&mut self, now: Instant) -> Step {
        let elapsed_ms = now.as_nanos().saturating_sub(self.renewed.as_nanos()) / 1_000_000;
        let remaining_ms = self.lease_ms.saturating_sub(elapsed_ms);
        let base_ms = self.backoff_ms.map_or(BACKOFF_MS, |last| (last * 2).min(BACKOFF_MAX_MS));
        self.backoff_ms = Some(base_ms);
        let sleep_ms = base_ms / 2 + self.random.next_u64() % (base_ms + 1);
        self.sleep(remaining_ms, sleep_ms, now)
    }
}

impl Strategy for Vault {
    fn fresh(&self, lease: u64) -> Self {
        Self::new(self.ttl, self.timeout, self.seed.wrapping_add(lease))
    }

    fn begin(&mut self, _now: Instant, _truth: &Truth) -> Option<Step> {
        None
    }

    fn adopt(
        &mut self,
        success: Success,
        _sent: Instant,
        _sent_ns: u64,
        now: Instant,
        _truth: &Truth,
    ) -> Step {
        self.renewed = now;
        self.lease_ms = success.remaining_ttl_ms.unwrap_or(self.ttl.get());
        self.prior_ms = self.lease_ms;
        self.draw_grace(self.lease_ms);
        // The watcher begins with a renewal.
        self.send(now)
    }

    fn tick(&mut self, now: Instant, _truth: &Truth) -> Step {
        match self.give_up {
            Some(give_up) if now < give_up => Step::wait(give_up),
            Some(_) => self.failed(now),
            None if now < self.next => Step::wait(self.next),
            None => self.send(now),
        }
    }

    fn answer(&mut self, answer: &Answer, now: Instant, _truth: &Truth) -> Step {
        if let Some(end) = over(&answer.outcome) {
            return Step::end(end);
        }
        if answer.id != self.current || self.give_up.is_none() {
            return Step::wait(self.give_up.unwrap_or(self.next));
        }
        let Outcome::Extended(success) = answer.outcome else { return self.failed(now) };
        self.backoff_ms = None;
        self.renewed = now;
        self.lease_ms = success.remaining_ttl_ms.unwrap_or(self.ttl.get());
        if self.lease_ms > self.prior_ms {
            self.draw_grace(self.lease_ms);
        }
        self.sleep(self.lease_ms, self.lease_ms * 2 / 3 + self.grace_ms / 3, now)
    }

    fn held(&self) -> Held {
        Held::UntilItEnds
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{TRUTH, at, extended, failed};
    use super::*;

    fn ms(step: Step) -> u64 {
        step.wake.map_or(0, |at| at.as_nanos() / 1_000_000)
    }

    #[test]
    fn it_renews_at_two_thirds_and_ends_within_its_grace() {
        let success = Success { remaining_ttl_ms: Some(60_000), ..Success::default() };
        for seed in 0..50 {
            let mut vault = Vault::new(Millis::new(60_000), Millis::new(10_000), seed);
            assert_eq!(vault.adopt(success, at(0), 0, at(0), &TRUTH).send.map(|send| send.id), Some(1));
            // Two thirds of 60 s, and a third of a grace of 6 to 12 s.
            let next = ms(vault.answer(&extended(1, 60_000), at(100), &TRUTH));
            assert!((42_100..44_100).contains(&next), "{next}");
            vault.tick(at(next), &TRUTH);
            // A failure then leaves at most 18 s, of which a backoff of 5 to 15 s must leave more than the grace.
            let step = vault.answer(&failed(2, 503), at(next + 100), &TRUTH);
            match step.end {
                Some(end) => assert_eq!(end, End::GaveUp),
                None => assert!((5_000..=12_000).contains(&(ms(step) - next - 100)), "{step:?}"),
            }
        }
    }
}
