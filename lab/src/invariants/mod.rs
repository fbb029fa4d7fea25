//! I1–I7 as a monitor: it makes every call of a kernel for the world and checks each against the truth, which only the
//! world knows. It allocates nothing and computes with plain integers.

mod fence;
mod keys;
mod recovery;
mod replay;
mod requests;
mod reserve;
mod retry_after;
mod seen;
mod violation;

use std::hash::{Hash, Hasher};

use leasebeat::{Config, Decision, Event, Instant, Misuse};

use crate::Kernel;
use replay::Replay;
use requests::Requests;
use reserve::Reserve;
use retry_after::RetryAfter;
use seen::Seen;
use violation::{Broken, Held};
pub use violation::{Invariant, Violation};

/// What is true at a call, whatever the client believes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truth {
    /// The true time, in ns, at which the reading given to the kernel was taken. At most 2⁶² ns.
    pub at_ns: u64,
    /// The true time at which the server first does not hold the lease any more, as the server has it now; `None` where
    /// it never granted one. A server that counts whole milliseconds and holds a lease at its expiry
    /// (A7) holds it until the next millisecond begins.
    pub expires_at_ns: Option<u64>,
}

/// Watches one kernel for one lease.
#[derive(Debug, Clone, Copy)]
pub struct Monitor<K> {
    seen: Seen,
    reserve: Reserve,
    requests: Requests,
    retry_after: RetryAfter,
    replay: Replay<K>,
    calls: u64,
}

impl<K: Kernel> Monitor<K> {
    /// For a kernel made with `config` on a clock that is wrong by at most `drift_ppm` parts in a million.
    #[must_use]
    pub fn new(config: &Config, drift_ppm: u32) -> Self {
        Self {
            seen: Seen::new(config, drift_ppm),
            reserve: Reserve::default(),
            requests: Requests::default(),
            retry_after: RetryAfter::default(),
            replay: Replay::new(),
            calls: 0,
        }
    }

    /// The host created the reservation itself and sent the create at this true time: to be said before the `created`
    /// that is adopted.
    pub fn host_sends(&mut self, at_ns: u64) {
        self.seen.host_sent_at_ns = at_ns;
    }

    /// From now on nothing is claimed of what was measured or granted up to this true time: the clock was
    /// wrong by more than its drift without the kernel being told (it stopped in sleep, it jumped), or the server took
    /// back what it had granted.
    pub fn distrust(&mut self, at_ns: u64) {
        self.seen.trusted_from_ns = at_ns + 1;
    }

    /// From now on every call is repeated on a copy and every state snapshot and restored (I7), not samples of them.
    #[must_use]
    pub fn at_every_call(mut self) -> Self {
        self.replay.every_call = true;
        self
    }

    /// Hashes what is remembered of the calls so far: with the kernel it decides what will be found later.
    pub fn hash_memory(&self, hasher: &mut impl Hasher) {
        (self.seen, self.reserve, self.requests, self.retry_after).hash(hasher);
    }

    /// Tells `kernel` of `event`, whose reading is `now`, and checks everything.
    ///
    /// # Errors
    /// The first invariant that does not hold.
    #[inline]
    pub fn call(
        &mut self,
        kernel: &mut K,
        event: Event,
        now: Instant,
        truth: &Truth,
    ) -> Result<Result<Decision, Misuse>, Violation> {
        self.calls += 1;
        let before = *kernel;
        let answer = kernel.handle(event, now);
        match self.check(&before, kernel, &event, now, truth, &answer) {
            Ok(()) => Ok(answer),
            Err(Broken { invariant, what, found, bound }) => {
                Err(Violation { invariant, what, found, bound, at_ns: truth.at_ns, call: self.calls })
            }
        }
    }

    fn check(
        &mut self,
        before: &K,
        kernel: &K,
        event: &Event,
        now: Instant,
        truth: &Truth,
        answer: &Result<Decision, Misuse>,
    ) -> Held {
        self.replay.check(before, kernel, event, now, answer, self.calls)?;
        let Ok(decision) = answer else { return Ok(()) };
        let step = self.seen.take_in(event, now, truth, decision);
        self.replay.restore(kernel, Instant::from_nanos(step.now_ns), self.calls)?;
        keys::check(&self.seen, &step, event)?;
        fence::check(&self.seen, kernel, now, truth)?;
        self.reserve.check(&self.seen, &step, truth, kernel.next_deadline().map(Instant::as_nanos))?;
        self.requests.check(&self.seen, &step)?;
        self.retry_after.check(&self.seen, &step)?;
        recovery::check(&self.seen, &step, truth)?;
        self.seen.settle(&step);
        Ok(())
    }
}
