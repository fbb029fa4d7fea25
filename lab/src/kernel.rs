//! What a world drives: the kernel, or one that was broken on purpose.

use leasebeat::{Config, Decision, Event, Heartbeat, Instant, Millis, Misuse};

/// A kernel as a host uses it. Worlds are generic over it, so that the broken kernels run in the very same code.
pub trait Kernel: Copy + Eq + std::hash::Hash + std::fmt::Debug {
    /// One that has sent nothing.
    fn new(config: Config) -> Self;

    /// Takes in one event.
    ///
    /// # Errors
    /// [`Misuse`], and nothing has changed (L2).
    fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse>;

    /// It will be told of `event` next, once; what it lives in may prepare for that. Copies of it are told as well, and must not.
    fn told(&mut self, _event: &Event, _now: Instant) {}

    /// When its host wakes to tick, where a wait it was told ends at `wait_ends`.
    fn wakes(&self, wait_ends: Option<Instant>) -> Option<Instant> {
        wait_ends
    }

    /// How long the lease is provably still held at `now` (V3).
    fn lead(&self, now: Instant) -> Millis;

    /// Until when it is provably held (V1).
    fn fence(&self) -> Option<Instant>;

    /// After this a failure stops the kernel (V2).
    fn danger(&self) -> Option<Instant>;

    /// When there is next something to do (V4).
    fn next_deadline(&self) -> Option<Instant>;

    /// Carried elsewhere by a snapshot and restored on a clock that reads `now`, with its first decision (V5).
    fn restored(&self, now: Instant) -> (Self, Decision);
}

impl Kernel for Heartbeat {
    fn new(config: Config) -> Self {
        Self::new(config)
    }

    #[inline]
    fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
        self.handle(event, now)
    }

    #[inline]
    fn lead(&self, now: Instant) -> Millis {
        self.lead(now)
    }

    #[inline]
    fn fence(&self) -> Option<Instant> {
        self.fence()
    }

    #[inline]
    fn danger(&self) -> Option<Instant> {
        self.danger()
    }

    #[inline]
    fn next_deadline(&self) -> Option<Instant> {
        self.next_deadline()
    }

    fn restored(&self, now: Instant) -> (Self, Decision) {
        self.snapshot().restore(now)
    }
}
