//! A snapshot restored elsewhere decides what lost timing would have decided here (T6), and goes on the same.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "rules/table.rs"]
#[allow(dead_code, unused_imports)] // shared with the rules, which use all of it
mod table;

use leasebeat::{
    Action, ErrorCode, Event, Failure, Fallback, Heartbeat, Instant, Millis, Numbers, Outcome, Rule,
    Settings, StopReason, Success,
};
use table::{
    E, END_NS, MS, Same, Table, UNTIMED, beating, coded, http, minute, resolution_ms, retry_after_ms, rtt_ms,
    table, timeout_ms,
};

fn bare() -> Table {
    table(minute()).at(0).created_bare(rtt_ms(0), Some(E))
}

/// Each phase, with what the kernel remembers in it; the last event came at 50 s or before.
fn phases() -> Vec<(&'static str, Table)> {
    let creating = table(minute()).at(0).begin();
    let zero = table(minute()).at(0).created(rtt_ms(0), 21_000);
    let granted = bare().extended_bare(rtt_ms(0), E + 20_000);
    vec![
        ("idle", table(minute())),
        ("idle, timing lost", table(minute()).at(5).timing_lost()),
        ("creating", creating),
        ("creating again", creating.failed(http(503))),
        ("creating, tainted", creating.at(5).timing_lost()),
        ("waiting for a beat", table(minute()).at(0).created(rtt_ms(0), 60_000)),
        ("waiting for a beat after a slow answer", table(minute()).at(0).created(rtt_ms(6_000), 60_000)),
        ("extending", beating()),
        ("extending after a zero delay", zero),
        ("extending with the same key", beating().at(40_000).failed(retry_after_ms(0))),
        ("extending after a zero window", beating().at(49_000).failed(http(503))),
        ("recovering", beating().at(40_000).failed(http(503))),
        ("recovering from a 429", beating().at(40_000).failed(retry_after_ms(5_000))),
        ("extending in fallback", bare()),
        ("extending in fallback with the same key", bare().failed(http(503)).at(30_000).tick()),
        ("waiting in fallback", granted),
        ("waiting in fallback for a retry", granted.at(10_000).tick().failed(http(503))),
        ("waiting in fallback for a Retry-After", bare().failed(retry_after_ms(45_000))),
        ("waiting in fallback for a whole day", bare().failed(retry_after_ms(86_400_000))),
        ("back on the primary path", bare().extended(UNTIMED, 60_000)),
        ("untimed", table(Settings::new(60_000)).at(0).created(rtt_ms(0), 60_000)),
        ("coarse", table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000)),
        ("capped", table(Settings { max_wait_ms: Some(7), ..minute() }).at(0).begin()),
        ("refusing", table(Settings { fallback: Fallback::Refuse, ..minute() }).at(0).begin()),
        ("closed", beating().close()),
        ("denied", creating.denied()),
        ("expired", beating().failed(http(410))),
    ]
}

/// A timeline of the restored kernel, from 0.
fn carried(kernel: Heartbeat) -> Table {
    let mut timeline = table(minute());
    timeline.kernel = kernel;
    timeline
}

fn future(step: usize) -> Event {
    let success = |rtt_ns, remaining_ttl_ms| Success { rtt_ns, remaining_ttl_ms, expires_at_ms: Some(E) };
    let moved = |by| Success { rtt_ns: Some(0), remaining_ttl_ms: None, expires_at_ms: Some(E + by) };
    match step {
        0 => Event::Tick,
        1 => Outcome::Created(success(Some(0), Some(60_000))).into(),
        2 => Outcome::Extended(success(Some(0), Some(60_000))).into(),
        3 => Outcome::Extended(success(Some(0), Some(22_000))).into(),
        4 => Outcome::Extended(moved(20_000)).into(),
        5 => Outcome::Extended(moved(40_000)).into(),
        6 => Outcome::Created(moved(0)).into(),
        7 => Outcome::Failed(http(503)).into(),
        8 => Outcome::Failed(retry_after_ms(0)).into(),
        9 => Outcome::Failed(retry_after_ms(5_000)).into(),
        10 => Outcome::Failed(http(403)).into(),
        11 => Event::TimingLost,
        _ => Event::Begin,
    }
}

/// Whether two kernels decide and show the same, whatever happens next, `depth` events far.
fn same_future(name: &str, one: Heartbeat, other: Heartbeat, now_ns: u64, depth: u32) {
    let now = Instant::from_nanos(now_ns);
    assert_eq!(one.next_deadline(), other.next_deadline(), "{name}");
    assert_eq!(one.stats(), other.stats(), "{name}");
    if one.stopped().is_none() {
        assert_eq!((one.fence(), one.danger()), (other.fence(), other.danger()), "{name}");
        assert_eq!(one.lead(now), other.lead(now), "{name}");
    }
    if depth == 0 {
        return;
    }
    let due_ns = one.next_deadline().map_or(now_ns, Instant::as_nanos).max(now_ns);
    for step in 0..13 {
        for at_ns in [now_ns, due_ns] {
            let (mut one, mut other) = (one, other);
            let event = future(step);
            let decided = one.handle(event, Instant::from_nanos(at_ns));
            assert_eq!(decided, other.handle(event, Instant::from_nanos(at_ns)), "{name}, {event:?}");
            same_future(name, one, other, at_ns, depth - 1);
        }
    }
}

#[test]
fn t6_a_restored_kernel_does_what_lost_timing_would() {
    for (name, timeline) in phases() {
        for now_ns in [50_000 * MS, 3_600_000 * MS] {
            let mut here = timeline.kernel;
            let now = Instant::from_nanos(now_ns);
            let lost = here.handle(Event::TimingLost, now).unwrap();
            let (there, decided) = timeline.kernel.snapshot().restore(now);
            assert_eq!(decided, lost, "{name}");
            same_future(name, here, there, now_ns, 3);
        }
    }
}

#[test]
fn t6_a_restored_kernel_lives_on_another_clock() {
    for (name, timeline) in phases() {
        let decided = [0, 1, 5_000 * MS].map(|now_ns| {
            let (restored, decision) = timeline.kernel.snapshot().restore(Instant::from_nanos(now_ns));
            (decision, restored.next_deadline().map(|at| at.as_nanos() - now_ns), restored.stats())
        });
        assert!(decided.iter().all(|one| *one == decided[0]), "{name}: {decided:?}");
        let (at_the_end, _) = timeline.kernel.snapshot().restore(Instant::from_nanos(END_NS));
        assert!(at_the_end.next_deadline().is_none_or(|at| at.as_nanos() == END_NS), "{name}");
    }
}

#[test]
fn v5_a_restored_kernel_proves_nothing() {
    for (name, timeline) in phases() {
        let (restored, _) = timeline.kernel.snapshot().restore(Instant::ORIGIN);
        assert_eq!((restored.fence(), restored.danger()), (None, None), "{name}");
        assert_eq!(restored.lead(Instant::ORIGIN), Millis::ZERO, "{name}");
        assert_eq!(restored.config(), timeline.kernel.config(), "{name}");
    }
}

#[test]
fn l2_an_attempt_in_flight_may_still_be_reported_by_its_number() {
    let (mut restored, _) = beating().kernel.snapshot().restore(Instant::ORIGIN);
    let late = Outcome::Extended(Success {
        rtt_ns: Some(0),
        remaining_ttl_ms: Some(60_000),
        expires_at_ms: Some(E),
    });
    let stale = restored.handle(late.of(leasebeat::AttemptId::new(2)), Instant::ORIGIN);
    assert!(stale.is_err());
    let taken = restored.handle(late.of(leasebeat::AttemptId::new(1)), Instant::ORIGIN).unwrap();
    assert_eq!(taken.rule, Rule::P5);
}

#[test]
fn l5_stopped_stays_stopped() {
    let stops = [
        (beating().close(), StopReason::Closed),
        (beating().at(50_000).failed(http(503)), StopReason::NoSafeRetry),
        (beating().failed(coded(409, ErrorCode::TenantClosed)), StopReason::TenantClosed),
        (table(minute()).begin().denied(), StopReason::NotGranted),
    ];
    for (timeline, reason) in stops {
        let (restored, decision) = timeline.kernel.snapshot().restore(Instant::ORIGIN);
        assert_eq!((decision.action, decision.rule), (Action::Stop(reason), Rule::L5));
        assert_eq!(restored.stopped(), Some(reason));
        assert_eq!(restored.stats(), timeline.kernel.stats());
    }
}

#[test]
fn p1_the_slowest_round_trip_is_carried() {
    let slow = table(timeout_ms(1_000)).at(0).created(rtt_ms(1_500), 60_000);
    let (restored, _) = slow.kernel.snapshot().restore(Instant::ORIGIN);
    carried(restored).extended(rtt_ms(0), 60_000).waits(60_000 - 9_000);
}

#[test]
fn f6_the_cadence_is_carried() {
    let granted = bare().extended_bare(rtt_ms(0), E + 20_000).waits(10_000).at(10_000).tick();
    let (restored, _) = granted.kernel.snapshot().restore(Instant::ORIGIN);
    let timeline = carried(restored);
    timeline.failed(Failure::Connection).waits(10_000).by(Rule::F6).at(10_000).tick().sends(Same, 3);
}

#[test]
fn f2_no_grant_is_carried() {
    let granted = bare().extended_bare(rtt_ms(0), E + 20_000).at(10_000).tick();
    let (restored, decision) = granted.kernel.snapshot().restore(Instant::ORIGIN);
    let numbers = restored.explain(&decision).numbers;
    assert_eq!(numbers, Some(Numbers::Fallback { grant: Millis::ZERO, clamped: true }));
}
