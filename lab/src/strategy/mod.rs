//! Strategies that keep a lease alive, side by side: what each sends when, and until when it believes that it holds.

mod alternate;
mod blind;
mod etcd;
mod kernel;
mod kind;
mod kubernetes;
mod redlock;
mod vault;

pub use alternate::Alternate;
pub use blind::Blind;
pub use etcd::Etcd;
pub use kernel::KernelStrategy;
pub use kind::StrategyKind;
pub use kubernetes::Kubernetes;
pub use redlock::Redlock;
pub use vault::Vault;

use leasebeat::{ErrorCode, Failure, HttpFailure, Instant, Millis, Operation, Outcome, Success};

use crate::invariants::Truth;

/// A request that a strategy wants sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Send {
    /// Counts its requests, from 1: answers name it.
    pub id: u32,
    /// Counts its idempotency keys, from 1: two requests with the same number carry the same key.
    pub key_generation: u32,
    /// What is asked.
    pub operation: Operation,
    /// By how much to extend, or the TTL to create with.
    pub extend_by: Millis,
}

/// Why a strategy does no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The host closed it.
    Closed,
    /// No lease was granted.
    NotGranted,
    /// The server says that the lease has ended.
    Expired,
    /// The server grants no more, though the lease may last a while: its extension limit, its tenant closed.
    Refused,
    /// It found out by itself that it cannot go on safely.
    GaveUp,
}

/// What a strategy wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// A request.
    pub send: Option<Send>,
    /// To be called at this reading of the host's clock, unless something happens before.
    pub wake: Option<Instant>,
    /// Nothing any more.
    pub end: Option<End>,
}

impl Step {
    /// Nothing but to be called at `wake`.
    #[must_use]
    pub const fn wait(wake: Instant) -> Self {
        Self { send: None, wake: Some(wake), end: None }
    }

    /// `send`, and to be called at `wake`.
    #[must_use]
    pub const fn send(send: Send, wake: Option<Instant>) -> Self {
        Self { send: Some(send), wake, end: None }
    }

    /// Nothing any more.
    #[must_use]
    pub const fn end(end: End) -> Self {
        Self { send: None, wake: None, end: Some(end) }
    }
}

/// Until when a strategy believes that it holds the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// It does not.
    No,
    /// Until its clock reads this.
    Until(Instant),
    /// Until it ends.
    UntilItEnds,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Which request.
    pub id: u32,
    /// What the answer was. Its round trip is not measured yet.
    pub outcome: Outcome,
    /// The host's clock just before the request was sent.
    pub sent: Instant,
}

/// One way to keep a lease. It sees the host's clock and what is answered, nothing else; the truth is for monitors.
pub trait Strategy {
    /// The same strategy for another lease.
    #[must_use]
    fn fresh(&self, lease: u64) -> Self;

    /// Creates the lease through the network. Strategies that know no such thing are handed one instead.
    fn begin(&mut self, now: Instant, truth: &Truth) -> Option<Step>;

    /// A lease was created at `sent` by the host's clock, `sent_ns` in truth; `now` it is known.
    fn adopt(&mut self, success: Success, sent: Instant, sent_ns: u64, now: Instant, truth: &Truth) -> Step;

    /// The time asked for has come; perhaps a little early, perhaps late.
    fn tick(&mut self, now: Instant, truth: &Truth) -> Step;

    /// A request was answered, or its connection failed.
    fn answer(&mut self, answer: &Answer, now: Instant, truth: &Truth) -> Step;

    /// The host resumed from sleep and knows it.
    fn timing_lost(&mut self, now: Instant, truth: &Truth) -> Step {
        self.tick(now, truth)
    }

    /// The work is done.
    fn close(&mut self, _now: Instant, _truth: &Truth) {}

    /// What it believes.
    fn held(&self) -> Held;

    /// The clock has jumped, or the server has taken back what it granted: nothing before is claimed any more.
    fn distrust(&mut self, _at_ns: u64) {}

    /// Whether the run must end, as something that must hold did not.
    fn has_failed(&self) -> bool {
        false
    }
}

/// The requests of a strategy that knows no key but a fresh one and never asks for anything but an extension.
#[derive(Debug, Clone, Copy, Default)]
struct Requests {
    count: u32,
}

impl Requests {
    fn extend(&mut self, extend_by: Millis) -> Send {
        self.count = self.count.saturating_add(1);
        Send { id: self.count, key_generation: self.count, operation: Operation::Extend, extend_by }
    }
}

/// Why a strategy has to end for this answer, whatever it would like to do: the server says that it is over.
fn over(outcome: &Outcome) -> Option<End> {
    let Outcome::Failed(Failure::Http(HttpFailure { status, code, .. })) = outcome else { return None };
    match (status, code) {
        (404 | 410, None) | (_, Some(ErrorCode::ReservationExpired | ErrorCode::NotFound)) => {
            Some(End::Expired)
        }
        (
            _,
            Some(
                ErrorCode::MaxExtensionsExceeded | ErrorCode::TenantClosed | ErrorCode::ReservationFinalized,
            ),
        ) => Some(End::Refused),
        _ => None,
    }
}

/// `at + ms`.
fn after(at: Instant, ms: u64) -> Instant {
    Instant::from_nanos(at.as_nanos().saturating_add(ms.saturating_mul(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const TRUTH: Truth = Truth { at_ns: 0, expires_at_ns: None };

    pub(super) fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    pub(super) fn extended(id: u32, remaining_ms: u64) -> Answer {
        let success = Success { rtt_ns: None, remaining_ttl_ms: Some(remaining_ms), expires_at_ms: Some(1) };
        Answer { id, outcome: Outcome::Extended(success), sent: at(0) }
    }

    pub(super) fn failed(id: u32, status: u16) -> Answer {
        let failure = Failure::Http(HttpFailure { status, code: None, retry_after: None });
        Answer { id, outcome: Outcome::Failed(failure), sent: at(0) }
    }
}
