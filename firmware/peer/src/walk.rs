//! Random traces that stay near what matters: edges of every number, instants at and beside the deadline.

use fastrand::Rng;
use leasebeat::{
    AttemptId, ErrorCode, Event, Failure, Fallback, Heartbeat, HttpFailure, Instant, Millis, Outcome,
    Settings, Success,
};

/// A trace in the making.
pub(crate) struct Walk {
    random: Rng,
    now_ns: u64,
}

impl Walk {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed), now_ns: 0 }
    }

    fn of<T: Copy>(&mut self, among: &[T]) -> T {
        among[self.random.usize(..among.len())]
    }

    fn maybe<T>(&mut self, one: T) -> Option<T> {
        (self.random.u8(..5) > 0).then_some(one)
    }

    /// Mostly of the size that leases have; sometimes any of any size.
    fn number(&mut self, usual: std::ops::Range<u64>) -> u64 {
        match self.random.u8(..8) {
            0 => self.random.u64(..) >> self.random.u32(..64),
            1 => self.of(&[0, 1, u64::from(u32::MAX), 1 << 32, 1 << 53, 1 << 63, u64::MAX]),
            _ => self.random.u64(usual),
        }
    }

    pub(crate) fn settings(&mut self) -> Settings {
        let timeout = self.number(1..20_000);
        let longest = self.number(1..100_000);
        Settings {
            extend_by_ms: self.random.u64(1..=86_400_000) >> self.random.u32(..16),
            request_timeout_ms: self.maybe(timeout),
            clock_resolution_ns: self.of(&[0, 1, 1_000_000, 16_700_000, 10_000_000_000, 10_000_000_001]),
            max_wait_ms: Some(longest).filter(|_| self.random.bool()),
            fallback: self.of(&[Fallback::Band, Fallback::Band, Fallback::Refuse]),
        }
    }

    /// Something that can happen to `heartbeat` now, or, seldom, cannot.
    pub(crate) fn step(&mut self, heartbeat: &Heartbeat) -> (Event, Instant) {
        let deadline = heartbeat.next_deadline().map_or(self.now_ns, Instant::as_nanos);
        self.now_ns = match self.random.u8(..10) {
            0 => self.now_ns.saturating_sub(self.random.u64(..3_000_000)),
            1 => self.number(0..1_000_000_000_000),
            2..5 => deadline.max(self.now_ns),
            5 => deadline.saturating_sub(self.random.u64(..2_000_000)).max(self.now_ns),
            _ => self.now_ns.saturating_add(self.random.u64(..3_000_000_000)),
        };
        let attempt = heartbeat.in_flight();
        let event = match (attempt, self.random.u8(..12)) {
            (_, 0) => Event::TimingLost,
            (None, 1..10) if heartbeat.stats().attempts > 0 => Event::Tick,
            (None, 1..6) => Event::Begin,
            (Some(_), 1) | (None, _) => Event::Tick,
            (Some(id), _) => self.report(id, heartbeat.stats().extensions == 0),
        };
        (event, Instant::from_nanos(self.now_ns))
    }

    fn report(&mut self, id: AttemptId, creates: bool) -> Event {
        let (rtt_ns, ttl, expiry) =
            (self.number(0..3_000_000_000), self.number(1..90_000), self.number(1 << 40..1 << 41));
        let success = Success {
            rtt_ns: self.maybe(rtt_ns),
            remaining_ttl_ms: self.maybe(ttl),
            expires_at_ms: self.maybe(expiry),
        };
        let outcome = match self.random.u8(..16) {
            0 => Outcome::Failed(Failure::Timeout),
            1 => Outcome::Failed(Failure::Connection),
            2 => Outcome::Failed(Failure::Ambiguous),
            3..6 => self.refused(),
            _ if creates && self.random.bool() => Outcome::Created(success),
            _ => Outcome::Extended(success),
        };
        outcome.of(if self.random.u8(..20) > 0 { id } else { AttemptId::new(self.random.u32(..)) })
    }

    fn refused(&mut self) -> Outcome {
        let delay = self.number(0..20_000) / 1_000;
        let code = self.of(ErrorCode::ALL);
        Outcome::Failed(Failure::Http(HttpFailure {
            status: self.of(&[429, 429, 500, 503, 404, 410, 400, 409, 302, 200]),
            code: Some(code).filter(|_| self.random.u8(..4) == 0),
            retry_after: delay.checked_mul(1_000).and_then(|ms| self.maybe(Millis::new(ms))),
        }))
    }
}
