//! A fleet decides what single heartbeats decide, in the order of their deadlines, and keeps its promises at its edges.

use std::fs::File;
use std::io::BufReader;

use leasebeat::fleet::{ClassId, Fleet, FleetError, LeaseId, Pace};
use leasebeat::{
    Action, AttemptId, Config, Decision, Event, Failure, HttpFailure, Instant, Key, Millis, Misuse, Outcome,
    Settings, StopReason, Success,
};
use leasebeat_tests::fleet::{Beside, acts, memory};
use leasebeat_tests::vectors;
use leasebeat_trace::{Replay, write_decision};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MS;

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

fn config(extend_by_ms: u64, timeout_ms: u64) -> Config {
    let settings = Settings { request_timeout_ms: Some(timeout_ms), ..Settings::new(extend_by_ms) };
    Config::new(settings).expect("in range")
}

fn proved(remaining_ms: u64, now_ns: u64) -> Success {
    Success {
        rtt_ns: Some(20 * MS),
        remaining_ttl_ms: Some(remaining_ms),
        expires_at_ms: Some(1_785_585_600_000 + now_ns / MS + remaining_ms),
    }
}

fn created(remaining_ms: u64, now_ns: u64) -> Event {
    Event::Report { attempt: None, outcome: Outcome::Created(proved(remaining_ms, now_ns)) }
}

#[test]
fn all_vectors_at_once_in_one_fleet_are_decided_as_expected() {
    let mut fleet = Fleet::new(memory(vectors::COUNT, vectors::COUNT, 0), Pace::default());
    let mut running = Vec::new();
    for vector in vectors::all() {
        let trace = BufReader::new(File::open(&vector.trace).expect("the vector is there"));
        let Ok(replay) = Replay::new(trace) else { continue }; // its configuration is refused before there is a kernel
        let class = fleet.add_class(*replay.heartbeat().config()).expect("one for each vector");
        let id = fleet.insert(class).expect("one for each vector");
        running.push((vector, replay, id, Vec::new()));
    }
    assert!(running.len() > vectors::COUNT - 10, "{} vectors have a configuration", running.len());
    let mut steps = 1;
    while steps > 0 {
        steps = 0;
        for (_, replay, id, out) in &mut running {
            let Some(step) = replay.next_step().expect("a vector is well-formed") else { continue };
            let decision = fleet.handle(*id, step.event, step.at).map_err(|error| match error {
                FleetError::Misuse(misuse) => misuse,
                other => panic!("{other}"),
            });
            write_decision(out, &decision).expect("memory");
            assert_eq!(fleet.get(*id).as_ref(), Ok(replay.heartbeat()));
            steps += 1;
        }
    }
    for (vector, _, _, out) in running {
        assert_eq!(String::from_utf8(out).expect("JSON is UTF-8"), vector.lines, "{}", vector.name);
    }
}

/// What happens next in a fleet; the numbers are cut to what there is.
#[derive(Clone, Debug)]
enum Step {
    Insert,
    Remove(usize),
    Tell(usize, Told),
    Later(u64),
    /// To the next deadline, or this many ns before or after it.
    Due(i64),
}

#[derive(Clone, Copy, Debug)]
enum Told {
    Begin,
    Created(Option<u64>),
    Extended(Option<u64>),
    Stale(u64),
    Failed(Failure),
    Tick,
    TimingLost,
    Close,
}

fn told() -> impl Strategy<Value = Told> {
    let remaining = || prop_oneof![8 => (0..130_000u64).prop_map(Some), 1 => Just(None), 1 => any::<u64>().prop_map(Some)];
    let http = |status, retry_after| {
        Failure::Http(HttpFailure { status, code: None, retry_after: Option::map(retry_after, Millis::new) })
    };
    prop_oneof![
        2 => Just(Told::Begin),
        6 => remaining().prop_map(Told::Created),
        12 => remaining().prop_map(Told::Extended),
        1 => (0..130_000u64).prop_map(Told::Stale),
        2 => Just(Told::Failed(Failure::Timeout)),
        2 => Just(Told::Failed(Failure::Connection)),
        1 => Just(Told::Failed(Failure::Ambiguous)),
        2 => (0..5u16).prop_map(move |extra| Told::Failed(http(500 + extra, None))),
        2 => prop::option::of(0..20_000u64).prop_map(move |after| Told::Failed(http(429, after))),
        1 => Just(Told::Failed(http(404, None))),
        2 => Just(Told::Tick),
        1 => Just(Told::TimingLost),
        1 => Just(Told::Close),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Insert),
        1 => any::<usize>().prop_map(Step::Remove),
        12 => (any::<usize>(), told()).prop_map(|(which, told)| Step::Tell(which, told)),
        3 => (0..40_000 * MS).prop_map(Step::Later),
        6 => prop_oneof![Just(0), -2_000_000..5_000_000i64].prop_map(Step::Due),
    ]
}

impl Told {
    fn event(self, attempts: u32, now_ns: u64) -> Event {
        let attempt = Some(AttemptId::new(attempts));
        let success = |remaining: Option<u64>| Success {
            remaining_ttl_ms: remaining,
            expires_at_ms: Some(1_785_585_600_000 + now_ns / MS + remaining.unwrap_or(60_000).min(1 << 40)),
            rtt_ns: Some(now_ns % (300 * MS)),
        };
        let report = |attempt, outcome| Event::Report { attempt, outcome };
        match self {
            Self::Begin => Event::Begin,
            Self::Created(remaining) => report(None, Outcome::Created(success(remaining))),
            Self::Extended(remaining) => report(attempt, Outcome::Extended(success(remaining))),
            Self::Stale(remaining) => report(
                Some(AttemptId::new(attempts.wrapping_add(1))),
                Outcome::Extended(success(Some(remaining))),
            ),
            Self::Failed(failure) => report(attempt, Outcome::Failed(failure)),
            Self::Tick => Event::Tick,
            Self::TimingLost => Event::TimingLost,
            Self::Close => Event::Close,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn fl2_random_interleavings_are_decided_as_by_single_leases(
        steps in prop::collection::vec(step(), 1..120),
        lease_ms in 1..120_000u64,
        timeout_ms in 1..12_000u64,
        start_ns in prop_oneof![Just(0), any::<u32>().prop_map(u64::from), Just(u64::MAX - 400 * SECOND)],
    ) {
        let mut beside = Beside::new(config(lease_ms, timeout_ms), 9);
        let mut now_ns = start_ns;
        for step in steps {
            let leases = beside.leases.len();
            match step {
                Step::Insert => beside.insert(),
                Step::Remove(which) if leases > 0 => beside.remove(which % leases),
                Step::Tell(which, told) if leases > 0 => {
                    let which = which % leases;
                    let attempts = beside.leases[which].1.stats().attempts;
                    beside.handle(which, told.event(attempts, now_ns), at(now_ns));
                }
                Step::Later(nanos) => now_ns = now_ns.saturating_add(nanos),
                Step::Due(offset) => {
                    let due = beside.fleet.next_deadline().map_or(now_ns, Instant::as_nanos);
                    now_ns = now_ns.max(due.saturating_add_signed(offset));
                }
                Step::Remove(_) | Step::Tell(..) => {}
            }
            // Where the clock ends there is no order any more: everything is due.
            prop_assume!(now_ns < u64::MAX - SECOND);
            beside.poll(at(now_ns));
            beside.views_agree();
        }
    }
}

#[test]
fn fl1_an_id_never_names_another_lease() {
    let mut fleet = Fleet::new(memory(2, 1, 0), Pace::default());
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let (first, second) = (fleet.insert(class).unwrap(), fleet.insert(class).unwrap());
    assert_eq!(fleet.insert(class), Err(FleetError::Full));
    fleet.remove(first).unwrap();
    assert_eq!(fleet.remove(first), Err(FleetError::StaleId));
    let third = fleet.insert(class).unwrap();
    assert!(third != first && third != second);
    assert_eq!(fleet.get(first), Err(FleetError::StaleId));
    assert_eq!(fleet.handle(first, Event::Begin, at(0)), Err(FleetError::StaleId));
    assert!(fleet.get(second).is_ok() && fleet.get(third).is_ok());
    for id in [first, second, third] {
        assert_eq!(LeaseId::from_u64(id.to_u64()), id);
        assert_ne!(id.to_u64(), 0);
    }
    for never in [0, 1, u64::MAX, u64::from(u32::MAX), 1 << 32 | 2] {
        assert_eq!(fleet.get(LeaseId::from_u64(never)), Err(FleetError::StaleId), "{never}");
    }
    assert_eq!(fleet.insert(ClassId::new(1)), Err(FleetError::UnknownClass));
    assert_eq!(fleet.add_class(config(1, 1)), Err(FleetError::ClassesFull));
    assert_eq!((fleet.len(), fleet.totals().inserted, fleet.totals().removed), (2, 3, 1));
}

#[test]
fn a_lease_removed_while_in_flight_leaves_nothing_behind() {
    let mut fleet = Fleet::new(memory(1, 1, 0), Pace::default());
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let id = fleet.insert(class).unwrap();
    fleet.handle(id, Event::Begin, at(0)).unwrap();
    fleet.remove(id).unwrap();
    assert_eq!(fleet.next_deadline(), None);
    assert_eq!(fleet.poll(at(u64::MAX)), None);
    assert_eq!(fleet.handle(id, created(60_000, 0), at(1)), Err(FleetError::StaleId));
    assert!(fleet.is_empty());
}

#[test]
fn a_stopped_lease_leaves_the_queue_and_stays_until_it_is_removed() {
    let mut fleet = Fleet::new(memory(1, 1, 0), Pace::default());
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let id = fleet.insert(class).unwrap();
    fleet.handle(id, created(60_000, 0), at(0)).unwrap();
    assert!(fleet.next_deadline().is_some());
    fleet.handle(id, Event::Close, at(1)).unwrap();
    assert_eq!(fleet.next_deadline(), None);
    assert_eq!(fleet.get(id).unwrap().stopped(), Some(StopReason::Closed));
    assert_eq!(fleet.totals().stopped(StopReason::Closed), 1);
    fleet.handle(id, Event::Close, at(2)).unwrap();
    assert_eq!(fleet.totals().stopped(StopReason::Closed), 1, "it stopped once");
    let misuse = fleet.handle(id, Event::Begin, at(3));
    assert!(matches!(misuse, Ok(decision) if decision.action == Action::Stop(StopReason::Closed)));
    assert_eq!(fleet.len(), 1);
}

#[test]
fn a_misuse_changes_nothing() {
    let mut fleet = Fleet::new(memory(1, 1, 0), Pace::default());
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let id = fleet.insert(class).unwrap();
    fleet.handle(id, created(60_000, 0), at(0)).unwrap();
    let (before, deadline) = (fleet.get(id), fleet.next_deadline());
    let again = fleet.handle(id, created(60_000, 0), at(5 * SECOND));
    assert_eq!(again, Err(FleetError::Misuse(Misuse::UnexpectedEvent)));
    assert_eq!((fleet.get(id), fleet.next_deadline()), (before, deadline));
}

/// A herd: all created in one millisecond, each beat answered at once. When each beat left, and when it was due.
fn herd(leases: usize, pace: Pace, seconds: usize, rounds: usize) -> Vec<(u64, u64)> {
    let mut fleet = Fleet::new(memory(leases, 1, seconds), pace);
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let start_ns = 1_000 * SECOND + 250 * MS;
    for lease in 0..leases {
        let id = fleet.insert(class).unwrap();
        let now_ns = start_ns + lease as u64 * 10;
        fleet.handle(id, created(60_000, now_ns), at(now_ns)).unwrap();
    }
    let mut left = Vec::new();
    while left.len() < leases * rounds {
        let now = fleet.next_deadline().expect("every lease beats");
        let due_by_itself: Vec<LeaseId> = {
            let mut ids = Vec::new();
            let mut next = fleet.next_id(None);
            while let (Some(id), true) = (next, leases <= 8) {
                ids.extend(acts(&fleet.get(id).unwrap(), now).then_some(id));
                next = fleet.next_id(Some(id));
            }
            ids
        };
        let before = fleet.totals().early;
        let Some((id, decision)) = fleet.poll(now) else { panic!("it is due") };
        let early = fleet.totals().early > before;
        assert!(leases > 8 || early != due_by_itself.contains(&id));
        let Action::Send(attempt) = decision.action else { panic!("{decision:?}") };
        assert_eq!(attempt.key, Key::Fresh);
        let now_ns = now.as_nanos();
        let receipt = fleet.get(id).unwrap();
        let due_ns = receipt.fence().expect("it is proved").as_nanos() - 60_000 * MS + 20 * MS + 38_980 * MS;
        left.push((now_ns, due_ns));
        let answered = Event::Report {
            attempt: Some(attempt.id),
            outcome: Outcome::Extended(proved(60_000, now_ns + 20 * MS)),
        };
        fleet.handle(id, answered, at(now_ns + 20 * MS)).unwrap();
    }
    left
}

fn busiest_second(left: &[(u64, u64)]) -> usize {
    let mut counts = std::collections::BTreeMap::new();
    for (now_ns, _) in left {
        *counts.entry(now_ns / SECOND).or_insert(0) += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

#[test]
fn a_herd_that_is_not_spread_beats_at_once() {
    let left = herd(2_000, Pace::default(), 0, 3);
    assert_eq!(busiest_second(&left), 2_000);
    assert!(left.iter().all(|(now, due)| *now + MS > *due && now <= due), "each exactly when it is due");
}

#[test]
fn fl3_jitter_only_brings_beats_forward_and_spreads_them() {
    let pace = Pace { seed: 7, jitter_permille: 200, beats_per_second: 0 };
    let left = herd(2_000, pace, 0, 3);
    assert!(left.iter().all(|(now, due)| now <= due && due - now <= 38_980 * MS / 5 + MS));
    assert!(busiest_second(&left) < 500, "{}", busiest_second(&left));
    assert_eq!(left, herd(2_000, pace, 0, 3), "the same seed, the same beats");
    let other = Pace { seed: 8, ..pace };
    assert_ne!(left, herd(2_000, other, 0, 3));
}

#[test]
fn fl4_a_budget_is_held_by_beating_earlier_and_never_later() {
    let pace = Pace { seed: 0, jitter_permille: 0, beats_per_second: 100 };
    let left = herd(1_500, pace, 64, 4);
    assert!(left.iter().all(|(now, due)| now <= due && due - now <= 38_980 * MS / 2 + MS));
    assert!(busiest_second(&left) <= 100, "{}", busiest_second(&left));
}

#[test]
fn fl4_where_the_budget_is_too_small_the_beats_leave_when_they_are_due() {
    let pace = Pace { seed: 0, jitter_permille: 0, beats_per_second: 10 };
    let left = herd(1_500, pace, 64, 2);
    assert!(left.iter().all(|(now, due)| now <= due), "safety before smoothness");
    assert!(busiest_second(&left) > 1_000);
}

#[test]
fn fl3_retries_are_not_brought_forward() {
    let pace = Pace { seed: 1, jitter_permille: 500, beats_per_second: 1 };
    let mut fleet = Fleet::new(memory(1, 1, 64), pace);
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let id = fleet.insert(class).unwrap();
    fleet.handle(id, created(60_000, 0), at(0)).unwrap();
    let now = fleet.next_deadline().unwrap();
    let Some((_, Decision { action: Action::Send(attempt), .. })) = fleet.poll(now) else {
        panic!("it is due")
    };
    let throttled = HttpFailure { status: 429, code: None, retry_after: Some(Millis::new(2_000)) };
    let outcome = Outcome::Failed(Failure::Http(throttled));
    let decision = fleet.handle(id, Event::Report { attempt: Some(attempt.id), outcome }, now).unwrap();
    assert_eq!(decision.action, Action::Wait(Some(Millis::new(2_000))));
    let allowed = at(now.as_nanos() + 2 * SECOND);
    assert_eq!(fleet.next_deadline(), Some(allowed));
    assert_eq!(fleet.poll(at(allowed.as_nanos() - 1)), None);
    assert!(fleet.poll(allowed).is_some());
    assert!(fleet.totals().early <= 1);
}

#[test]
fn fl4_a_beat_that_does_not_leave_gives_its_second_back() {
    let pace = Pace { seed: 0, jitter_permille: 0, beats_per_second: 1 };
    let mut fleet = Fleet::new(memory(2, 1, 64), pace);
    let class = fleet.add_class(config(60_000, 10_000)).unwrap();
    let first = fleet.insert(class).unwrap();
    fleet.handle(first, created(60_000, 0), at(0)).unwrap();
    let planned = fleet.next_deadline();
    fleet.remove(first).unwrap();
    let second = fleet.insert(class).unwrap();
    fleet.handle(second, created(60_000, 0), at(0)).unwrap();
    assert_eq!(fleet.next_deadline(), planned);
    // A tick that comes early changes no plan.
    fleet.handle(second, Event::Tick, at(SECOND)).unwrap();
    assert_eq!(fleet.next_deadline(), planned);
}

/// A fleet that all of its `leases` are created in, a millisecond apart.
fn begun(leases: usize) -> Fleet<'static> {
    let mut fleet = Fleet::new(memory(leases, 1, 0), Pace::default());
    let class = fleet.add_class(config(60_000, 10_000)).expect("room for one");
    for nth in 0..leases as u64 {
        let id = fleet.insert(class).expect("room for all");
        fleet.handle(id, created(60_000, nth * MS), at(nth * MS)).expect("it begins so");
    }
    fleet
}

#[test]
fn a_fleet_that_is_set_down_after_each_call_decides_what_one_that_is_not_decides() {
    let (mut whole, mut set_down) = (begun(50), begun(50));
    for second in 0..200 {
        let now = at(second * SECOND);
        loop {
            let (memory, parts) = set_down.suspend();
            set_down = Fleet::resume(memory, parts);
            let polled = whole.poll(now);
            assert_eq!(set_down.poll(now), polled);
            let Some((id, _)) = polled else { break };
            if id.to_u64() % 7 == 0 {
                assert_eq!(set_down.remove(id), whole.remove(id));
            }
        }
        assert_eq!(set_down.next_deadline(), whole.next_deadline());
    }
    assert_eq!((set_down.totals(), set_down.len()), (whole.totals(), whole.len()));
    assert!(whole.totals().sends > 50 && whole.totals().removed > 5, "it has done something");
}

#[test]
fn a_fleet_with_the_parts_of_another_decides_nonsense_and_goes_on() {
    for (of_parts, of_memory) in [(50, 3), (3, 50), (50, 1), (7, 8)] {
        let mut other = begun(of_parts);
        let some = other.next_id(None).expect("there are some");
        other.remove(some).expect("it is there");
        let parts = other.suspend().1;
        for memory in [begun(of_memory).suspend().0, memory(of_memory, 1, 0), memory(0, 0, 0)] {
            let mut fleet = Fleet::resume(memory, parts);
            let ids: Vec<_> =
                std::iter::successors(fleet.next_id(None), |id| fleet.next_id(Some(*id))).collect();
            assert!(ids.len() <= of_memory);
            for id in ids {
                let _ = fleet.handle(id, Event::Tick, at(SECOND));
                let _ = fleet.remove(id);
            }
            for second in 0..100 {
                let _ = fleet.insert(ClassId::new(0)).map(|id| fleet.handle(id, created(60_000, 0), at(0)));
                let _ = fleet.poll(at(second * SECOND));
            }
            let _ = (fleet.next_deadline(), fleet.in_danger(at(u64::MAX)).count(), fleet.len());
        }
    }
}
