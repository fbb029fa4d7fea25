//! The serialized forms: they come back as they were, and nothing invalid comes in.
#![cfg(feature = "serde")]
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "rules/table.rs"]
#[allow(dead_code, unused_imports)] // shared with the rules, which use all of it
mod table;

use leasebeat::{
    Action, Attempt, AttemptId, Config, Decision, ErrorCode, Event, Failure, Fallback, HttpFailure, Instant,
    Key, Millis, Misuse, Operation, Outcome, Rule, Settings, Snapshot, Stats, StopReason, Success,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, from_value, json, to_value};
use table::{E, Table, beating, http, minute, retry_after_ms, rtt_ms, table};

#[track_caller]
fn round_trips<T: Serialize + DeserializeOwned + PartialEq + Copy + std::fmt::Debug>(value: T) {
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
}

const FULL: Settings = Settings {
    extend_by_ms: 60_000,
    request_timeout_ms: Some(10_000),
    clock_resolution_ns: 16,
    max_wait_ms: Some(u64::MAX - 1),
    fallback: Fallback::Refuse,
};

#[test]
fn settings_and_their_config_have_the_trace_s_names() {
    let json = json!({
        "extend_by_ms": 60_000,
        "request_timeout_ms": 10_000,
        "clock_resolution_ns": 16,
        "max_wait_ms": u64::MAX - 1,
        "fallback": "refuse",
    });
    assert_eq!(to_value(FULL).unwrap(), json);
    assert_eq!(to_value(Config::new(FULL).unwrap()).unwrap(), json);
    assert_eq!(from_value::<Settings>(json.clone()).unwrap(), FULL);
    assert_eq!(from_value::<Config>(json).unwrap(), Config::new(FULL).unwrap());
}

#[test]
fn what_is_absent_or_null_is_the_default() {
    let sparse = json!({ "extend_by_ms": 60_000 });
    let null = json!({ "extend_by_ms": 60_000, "request_timeout_ms": null, "max_wait_ms": null });
    assert_eq!(from_value::<Settings>(sparse).unwrap(), Settings::new(60_000));
    assert_eq!(from_value::<Settings>(null).unwrap(), Settings::new(60_000));
    assert!(from_value::<Settings>(json!({})).is_err());
}

#[test]
fn a_config_out_of_range_is_refused_with_its_reason() {
    let refused = |json: Value| from_value::<Config>(json).unwrap_err().to_string();
    assert_eq!(refused(json!({ "extend_by_ms": 0 })), "extend_by_ms is 0; it must be from 1 to 86400000");
    assert_eq!(
        refused(json!({ "extend_by_ms": 1, "clock_resolution_ns": 10_000_000_001_u64 })),
        "clock_resolution_ns is 10000000001; it must be from 0 to 10000000000"
    );
    assert!(from_value::<Config>(json!({ "extend_by_ms": 1, "request_timeout_ms": 0 })).is_err());
    assert!(from_value::<Config>(json!({ "extend_by_ms": 1, "max_wait_ms": 0 })).is_err());
    // Settings are what was set, in range or not.
    assert!(from_value::<Settings>(json!({ "extend_by_ms": 0 })).is_ok());
}

#[test]
fn unknown_fields_and_names_are_refused() {
    assert!(from_value::<Settings>(json!({ "extend_by_ms": 1, "extend_by": 1 })).is_err());
    assert!(from_value::<Config>(json!({ "extend_by_ms": 1, "extend_by": 1 })).is_err());
    assert!(from_value::<Settings>(json!({ "extend_by_ms": 1, "fallback": "Band" })).is_err());
    let mut snapshot = to_value(beating().kernel.snapshot()).unwrap();
    snapshot.as_object_mut().unwrap().insert("fence".into(), json!(1));
    assert!(from_value::<Snapshot>(snapshot).is_err());
    assert!(from_value::<StopReason>(json!("Closed")).is_err());
}

#[track_caller]
fn named<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(all: &[T], name: fn(&T) -> &str) {
    assert!(!all.is_empty());
    for one in all {
        let json = to_value(one).unwrap();
        assert_eq!(json, json!(name(one)));
        assert_eq!(from_value::<T>(json).unwrap(), *one);
    }
}

#[test]
fn names_are_those_of_the_trace_and_the_protocol() {
    named(StopReason::ALL, |reason| reason.as_str());
    named(Misuse::ALL, |misuse| misuse.as_str());
    named(Operation::ALL, |operation| operation.as_str());
    named(Key::ALL, |key| key.as_str());
    named(Rule::ALL, |rule| rule.id());
    named(ErrorCode::ALL, |code| code.as_str());
    assert_eq!(to_value(Fallback::Band).unwrap(), json!("band"));
    assert_eq!(to_value(StopReason::NoSafeRetry).unwrap(), json!("no-safe-retry"));
}

#[test]
fn events_round_trip() {
    let success = Success { rtt_ns: Some(u64::MAX), remaining_ttl_ms: None, expires_at_ms: Some(1 << 53) };
    let refused =
        HttpFailure { status: u16::MAX, code: Some(ErrorCode::TenantClosed), retry_after: Some(Millis::MAX) };
    let failures =
        [Failure::Timeout, Failure::Connection, Failure::Ambiguous, Failure::Http(refused), http(503)];
    let outcomes = [Outcome::Created(success), Outcome::Denied, Outcome::Extended(Success::default())];
    for outcome in outcomes.into_iter().chain(failures.map(Outcome::Failed)) {
        round_trips(Event::from(outcome));
        round_trips(outcome.of(AttemptId::new(u32::MAX)));
    }
    for event in [Event::Begin, Event::Tick, Event::TimingLost, Event::Close] {
        round_trips(event);
    }
}

#[test]
fn decisions_round_trip() {
    let attempt = Attempt {
        id: AttemptId::new(7),
        key_generation: 3,
        operation: Operation::Extend,
        key: Key::Same,
        extend_by: Millis::new(60_000),
        timeout: Some(Millis::MAX),
    };
    let actions = [
        Action::Send(attempt),
        Action::Send(Attempt { timeout: None, ..attempt }),
        Action::Wait(Some(Millis::new(1))),
        Action::Wait(None),
        Action::Stop(StopReason::Closed),
    ];
    for action in actions {
        round_trips(Decision { action, rule: Rule::R5 });
    }
    round_trips(Instant::from_nanos(u64::MAX));
    round_trips(Stats { attempts: 1, retries: 2, extensions: 3, failures: u32::MAX });
}

fn bare() -> Table {
    table(minute()).at(0).created_bare(rtt_ms(0), Some(E))
}

#[test]
fn snapshots_round_trip_and_name_their_state() {
    let states = [
        (table(minute()), json!("idle")),
        (table(minute()).begin(), json!("creating")),
        (beating(), json!({ "extending": { "fallback": false } })),
        (bare(), json!({ "extending": { "fallback": true } })),
        (table(minute()).created(rtt_ms(0), 60_000), json!("beat")),
        (beating().failed(http(503)), json!("recovery")),
        (bare().failed(http(503)), json!({ "fallback": { "throttled": null } })),
        (bare().failed(retry_after_ms(45_000)), json!({ "fallback": { "throttled": 45_000 } })),
        (beating().close(), json!({ "stopped": "closed" })),
    ];
    for (timeline, state) in states {
        let snapshot = timeline.kernel.snapshot();
        round_trips(snapshot);
        assert_eq!(to_value(snapshot).unwrap().get("state"), Some(&state));
        let there = from_value::<Snapshot>(to_value(snapshot).unwrap()).unwrap();
        assert_eq!(there.restore(Instant::ORIGIN), snapshot.restore(Instant::ORIGIN));
    }
}

/// The kernel restored from a snapshot that somebody altered on its way.
fn altered(timeline: Table, field: &str, value: Value) -> Table {
    let mut json = to_value(timeline.kernel.snapshot()).unwrap();
    assert!(json.as_object_mut().unwrap().insert(field.into(), value).is_some(), "{field}");
    let (kernel, _) = from_value::<Snapshot>(json).unwrap().restore(Instant::ORIGIN);
    let mut restored = table(minute());
    restored.kernel = kernel;
    restored
}

#[test]
fn an_altered_cadence_stays_what_the_rules_can_choose() {
    for (cadence, bounded) in
        [(0, 500), (499, 500), (501, 501), (30_000, 30_000), (30_001, 30_000), (u64::MAX, 30_000)]
    {
        altered(bare(), "cadence", json!(cadence)).failed(http(503)).waits(bounded);
    }
    // F4 goes as far as half an extension, F3 as far as 30 s.
    let long = table(Settings { extend_by_ms: 86_400_000, ..minute() }).created_bare(rtt_ms(0), Some(E));
    altered(long, "cadence", json!(u64::MAX)).failed(http(503)).waits(43_200_000);
    let short = table(Settings { extend_by_ms: 10, ..minute() }).created_bare(rtt_ms(0), Some(E));
    altered(short, "cadence", json!(u64::MAX)).failed(http(503)).waits(500);
}

#[test]
fn an_altered_cadence_does_not_outlive_the_create() {
    let created = altered(table(minute()).begin(), "cadence", json!(7_000)).created_bare(rtt_ms(0), Some(E));
    created.failed(http(503)).waits(30_000);
}

#[test]
fn an_altered_margin_is_no_less_than_the_least() {
    altered(beating(), "margin", json!(0)).extended(rtt_ms(0), 60_000).sends(Key::Fresh, 2);
    let beat = altered(beating(), "margin", json!(0)).extended(rtt_ms(0), 60_000).extended(rtt_ms(0), 60_000);
    beat.waits(39_000);
    let endless = altered(beating(), "margin", json!(u64::MAX)).extended(rtt_ms(0), 60_000);
    endless.extended(rtt_ms(0), u64::MAX).stops(StopReason::LeaseTooShort);
}

#[test]
fn an_altered_retry_after_is_no_longer_than_a_day() {
    let throttled = bare().failed(retry_after_ms(45_000));
    let restored = |ms: u64| altered(throttled, "state", json!({ "fallback": { "throttled": ms } })).tick();
    restored(86_400_001).waits(86_400_000);
    restored(u64::MAX).waits(86_400_000);
    restored(45_000).waits(45_000);
    // None at all is due at once.
    restored(0).waits(10_000).by(Rule::L3);
}

#[test]
fn v6_counts_stick_at_their_maximum() {
    let counts = json!({ "attempts": u32::MAX, "retries": 0, "extensions": u32::MAX, "failures": u32::MAX });
    let restored = altered(beating(), "stats", counts);
    let stats = restored.failed(http(503)).kernel.stats();
    assert_eq!((stats.attempts, stats.failures), (u32::MAX, u32::MAX));
    let next = restored.extended(rtt_ms(0), 60_000).sends(Key::Fresh, u32::MAX);
    assert_eq!(next.kernel.stats().extensions, u32::MAX);
    let generations = altered(beating(), "key_generations", json!(u32::MAX));
    assert_eq!(generations.kernel.stats().retries, 0);
    let next = generations.extended(rtt_ms(0), 0).sends(Key::Fresh, 2);
    // Wrapped, it would make two retries of these two sends.
    assert_eq!(next.kernel.stats().retries, 0);
}

#[test]
fn events_and_decisions_have_the_trace_s_words() {
    let written = |event: Event| to_value(event).unwrap();
    assert_eq!(written(Event::TimingLost), json!("timing-lost"));
    let failure = HttpFailure { status: 429, code: None, retry_after: Some(Millis::new(5)) };
    assert_eq!(
        written(Event::Report { attempt: None, outcome: Outcome::Failed(Failure::Http(failure)) }),
        json!({ "report": { "attempt": null, "outcome": { "failed": { "http": {
            "status": 429, "code": null, "retry_after": 5
        } } } } })
    );
    let stopped = Decision { action: Action::Stop(StopReason::NoSafeRetry), rule: Rule::R2 };
    assert_eq!(to_value(stopped).unwrap(), json!({ "action": { "stop": "no-safe-retry" }, "rule": "R2" }));
    assert!(from_value::<Event>(json!("TimingLost")).is_err());
}
