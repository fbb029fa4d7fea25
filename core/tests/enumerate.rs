//! The small world, whole: every sequence of events to a depth, at every instant where something could turn.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use leasebeat::{
    Action, Config, Decision, Event, Failure, Fallback, Heartbeat, HttpFailure, Instant, Key, Millis, Misuse,
    Outcome, Rule, Settings, Success,
};

const MS: u64 = 1_000_000;
const END_NS: u64 = u64::MAX;

const fn success(rtt_ns: Option<u64>, remaining_ttl_ms: Option<u64>, expires_at_ms: Option<u64>) -> Success {
    Success { rtt_ns, remaining_ttl_ms, expires_at_ms }
}

const fn answered(status: u16, retry_after_ms: Option<u64>) -> Failure {
    let retry_after = match retry_after_ms {
        Some(ms) => Some(Millis::new(ms)),
        None => None,
    };
    Failure::Http(HttpFailure { status, code: None, retry_after })
}

/// What may become of an attempt. The leases live 10 s, and their attempts 2 s.
const OUTCOMES: [Outcome; 12] = [
    Outcome::Created(success(Some(0), Some(10_000), Some(90_000))),
    Outcome::Created(success(Some(0), None, Some(90_000))),
    Outcome::Extended(success(Some(1), Some(10_000), Some(100_000))),
    Outcome::Extended(success(Some(0), Some(4_000), Some(100_000))),
    Outcome::Extended(success(None, Some(10_000), Some(100_000))),
    Outcome::Extended(success(Some(0), None, Some(120_000))),
    Outcome::Extended(success(Some(0), Some(10_000), None)),
    Outcome::Failed(Failure::Connection),
    Outcome::Failed(answered(429, Some(0))),
    Outcome::Failed(answered(429, Some(1_000))),
    Outcome::Failed(answered(403, None)),
    Outcome::Failed(answered(410, None)),
];

/// A kernel, and what a host would have seen of it.
#[derive(Clone, Copy)]
struct World {
    kernel: Heartbeat,
    now_ns: u64,
    /// Failures when the last success came: more since then means that the key in use may have been applied.
    failures_at_success: u32,
    stopped: Option<Decision>,
}

impl World {
    fn new(settings: Settings) -> Self {
        let kernel = Heartbeat::new(Config::new(settings).unwrap());
        Self { kernel, now_ns: 0, failures_at_success: 0, stopped: None }
    }

    /// Every event at every instant worth it.
    fn each_next(&self, mut visit: impl FnMut(Event, u64)) {
        let due = self.kernel.next_deadline().map_or(self.now_ns, Instant::as_nanos);
        let jump = self.now_ns.saturating_sub(50 * MS);
        let before = |by_ns| due.saturating_sub(by_ns);
        for at_ns in [jump, self.now_ns, before(MS), before(1), due, due.saturating_add(1), END_NS] {
            visit(Event::Tick, at_ns);
        }
        for at_ns in [self.now_ns, due] {
            visit(Event::TimingLost, at_ns);
            for outcome in OUTCOMES {
                visit(outcome.into(), at_ns);
            }
        }
        visit(Event::Begin, self.now_ns);
        visit(Event::Close, self.now_ns);
    }

    fn step(mut self, event: Event, at_ns: u64) -> Self {
        let (before, mut twin) = (self.kernel, self.kernel);
        let result = self.kernel.handle(event, Instant::from_nanos(at_ns));
        // A copy with the same input is the same kernel again.
        assert_eq!((twin.handle(event, Instant::from_nanos(at_ns)), twin), (result, self.kernel));
        match result {
            Err(misuse) => self.is_untouched(before, event, misuse),
            Ok(decision) => {
                // T5, T6: a step back that is no jump is no step.
                let step_ns = MS.max(self.kernel.config().clock_resolution_ns());
                let jumped = self.now_ns.saturating_sub(at_ns) > step_ns;
                self.now_ns = if jumped { at_ns } else { self.now_ns.max(at_ns) };
                self.made_progress(decision);
                self.keys_are_kept(before, event, decision);
                self.stops_for_good(before, decision);
            }
        }
        self
    }

    fn is_untouched(&self, before: Heartbeat, event: Event, misuse: Misuse) {
        assert_eq!(self.kernel, before, "L2: {misuse} at {event:?}");
        assert!(self.stopped.is_none(), "L5");
        assert!(matches!(event, Event::Begin | Event::Report { .. }), "{event:?} cannot be a misuse");
    }

    /// The deadline is absent or later than now; before it a tick only waits; at it something happens.
    fn made_progress(&self, decision: Decision) {
        assert_ne!(decision.action, Action::Wait(Some(Millis::ZERO)), "T4");
        let Some(deadline) = self.kernel.next_deadline() else {
            assert!(!matches!(decision.action, Action::Wait(Some(_))), "a bounded wait has a deadline");
            return;
        };
        if self.now_ns == END_NS {
            return;
        }
        assert!(deadline.as_nanos() > self.now_ns, "{decision} is due at once");
        let left_ns = deadline.as_nanos() - self.now_ns;
        if let Action::Wait(Some(wait)) = decision.action {
            assert!(wait.get() <= left_ns.div_ceil(MS), "{decision} ends after its deadline");
        }
        if left_ns >= MS {
            let mut early = self.kernel;
            let rearmed = early.tick(Instant::from_nanos(deadline.as_nanos() - MS));
            assert_eq!(rearmed.action, Action::Wait(Some(Millis::new(1))), "{rearmed} before its time");
            assert_eq!(early.next_deadline(), Some(deadline));
        }
        let mut due = self.kernel;
        let acted = due.tick(deadline);
        assert!(!matches!(acted.rule, Rule::T4 | Rule::L3), "{acted}: nothing happens at the deadline");
        assert!(due.next_deadline() != Some(deadline) || deadline.as_nanos() == END_NS);
    }

    /// Attempts only grow. A same key follows a failure, and a fresh one the success that settled it.
    fn keys_are_kept(&mut self, before: Heartbeat, event: Event, decision: Decision) {
        let (old, new) = (before.stats(), self.kernel.stats());
        let sent = u32::from(matches!(decision.action, Action::Send(_)));
        assert_eq!(new.attempts, old.attempts + sent);
        assert!(new.failures >= old.failures && new.failures <= old.failures + 1);
        assert!(new.extensions >= old.extensions && new.retries >= old.retries);
        let created = matches!(event, Event::Report { outcome: Outcome::Created(_), .. });
        let succeeded = before.stopped().is_none() && (created || new.extensions > old.extensions);
        if succeeded {
            self.failures_at_success = new.failures;
        }
        if let Action::Send(attempt) = decision.action {
            let unsettled = new.failures > self.failures_at_success;
            assert_eq!(attempt.key == Key::Same, unsettled, "{decision} after {event:?}");
            assert_eq!(attempt.id.get(), new.attempts);
            assert_eq!(new.retries, old.retries + u32::from(unsettled));
        }
    }

    /// L5: a stop is the last word. And what is shown as proved is never more than the fence allows.
    fn stops_for_good(&mut self, before: Heartbeat, decision: Decision) {
        if let Some(stop) = self.stopped {
            assert_eq!((decision.action, self.kernel.snapshot()), (stop.action, before.snapshot()));
            assert!(self.kernel == before || self.kernel.fence().is_none(), "only lost timing changes it");
            return;
        }
        if let Action::Stop(reason) = decision.action {
            assert_eq!(self.kernel.stopped(), Some(reason));
            self.stopped = Some(decision);
        }
        let now = Instant::from_nanos(self.now_ns);
        let lead_ns = self.kernel.lead(now).get() * MS;
        match (self.kernel.fence(), self.kernel.danger()) {
            (Some(fence), Some(danger)) => {
                let left_ns = fence.as_nanos().saturating_sub(self.now_ns);
                assert!(left_ns >= lead_ns || fence.as_nanos() == END_NS);
                assert!(danger <= fence || danger <= now);
            }
            (None, None) => assert_eq!(lead_ns, 0),
            (fence, danger) => panic!("{fence:?} without {danger:?}"),
        }
    }
}

fn explore(world: World, depth: u32, seen: &mut u64) {
    if depth == 0 {
        return;
    }
    world.each_next(|event, at_ns| {
        *seen += 1;
        let next = world.step(event, at_ns);
        // Nothing has changed: its futures are being explored already.
        if next.kernel != world.kernel {
            explore(next, depth - 1, seen);
        }
    });
}

#[track_caller]
fn whole_world(start: World, depth: u32, at_least: u64) {
    let mut seen = 0;
    explore(start, depth, &mut seen);
    assert!(seen >= at_least, "only {seen} events: the world has shrunk");
}

const SHORT: Settings = Settings {
    extend_by_ms: 10_000,
    request_timeout_ms: Some(2_000),
    clock_resolution_ns: 0,
    max_wait_ms: None,
    fallback: Fallback::Band,
};

/// A lease that lives since its create and one extension, with its next beat in flight.
fn beat(created: Outcome, extended: Outcome) -> World {
    let due = |world: World| world.step(Event::Tick, world.kernel.next_deadline().unwrap().as_nanos());
    let adopted = World::new(SHORT).step(created.into(), 0);
    // A fieldless create is followed at once.
    let sent = if adopted.kernel.stats().attempts == 0 { due(adopted) } else { adopted };
    due(sent.step(extended.into(), sent.now_ns))
}

#[test]
fn every_sequence_of_five_events() {
    whole_world(World::new(SHORT), 5, 1_000_000);
}

#[test]
fn every_sequence_of_five_events_in_a_beat() {
    whole_world(beat(OUTCOMES[0], OUTCOMES[2]), 5, 1_000_000);
}

#[test]
fn every_sequence_of_five_events_in_fallback() {
    whole_world(beat(OUTCOMES[1], OUTCOMES[5]), 5, 1_000_000);
}

#[test]
fn every_sequence_on_a_coarse_clock() {
    whole_world(World::new(Settings { clock_resolution_ns: 16 * MS, ..SHORT }), 5, 1_000_000);
}

#[test]
fn every_sequence_without_a_timeout() {
    whole_world(World::new(Settings { request_timeout_ms: None, ..SHORT }), 5, 500_000);
}

#[test]
fn every_sequence_of_a_host_that_refuses_to_guess() {
    whole_world(World::new(Settings { fallback: Fallback::Refuse, ..SHORT }), 5, 300_000);
}
