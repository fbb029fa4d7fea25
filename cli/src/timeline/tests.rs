use leasebeat::{Config, Settings, Success};

use super::*;

const MILLI: u64 = 1_000_000;

fn config() -> Config {
    Config::new(Settings { request_timeout_ms: Some(1_000), ..Settings::new(8_000) }).expect("in range")
}

struct Host {
    heartbeat: Heartbeat,
    timeline: Timeline,
}

impl Host {
    fn new() -> Self {
        Self { heartbeat: Heartbeat::new(config()), timeline: Timeline::new() }
    }

    fn give(&mut self, at_ms: u64, event: Event) {
        let at = Instant::from_nanos(at_ms * MILLI);
        let result = self.heartbeat.handle(event, at);
        self.timeline.record(at, &event, &result, &self.heartbeat);
    }

    fn succeed(&mut self, at_ms: u64, outcome: fn(Success) -> Outcome) {
        let success =
            Success { rtt_ns: Some(0), remaining_ttl_ms: Some(8_000), expires_at_ms: Some(at_ms + 8_000) };
        self.give(at_ms, outcome(success).into());
    }
}

#[test]
fn the_line_is_a_saw() {
    let mut host = Host::new();
    host.succeed(0, Outcome::Created);
    host.give(1_000, Event::Tick);
    host.give(5_000, Event::Tick);
    host.succeed(5_010, Outcome::Extended);
    let line = host.timeline.line.points();
    assert_eq!(line, [(0.0, 8.0), (5.01, 2.99), (5.01, 8.0)]);
    assert_eq!(host.timeline.fences, [(5.01, 2.99)]);
    assert_eq!(host.timeline.smallest_lead, Some(Millis::new(2_990)));
    assert_eq!(host.timeline.levels.points(), [(0.0, 2.0)]);
}

#[test]
fn each_kind_of_mark_is_counted() {
    let mut host = Host::new();
    host.give(0, Event::Begin);
    host.succeed(0, Outcome::Created);
    host.give(5_000, Event::Tick);
    host.give(5_100, Outcome::Failed(Failure::Connection).into());
    host.give(5_900, Event::Tick);
    host.succeed(5_950, Outcome::Extended);
    host.give(6_000, Event::Close);
    host.give(6_001, Event::Tick);
    let counts = Mark::ALL.map(|mark| (mark, host.timeline.marks.count(mark)));
    let expected =
        [(Mark::Success, 2), (Mark::Beat, 1), (Mark::Retry, 1), (Mark::Failure, 1), (Mark::Stop, 1)];
    assert_eq!(counts, expected);
    assert_eq!(host.timeline.failures, [(5.1, "connection lost".to_owned())]);
}

#[test]
fn a_timeout_that_the_kernel_finds_is_a_failure() {
    let mut host = Host::new();
    host.give(0, Event::Begin);
    host.give(1_000, Event::Tick);
    assert_eq!(host.timeline.failures, [(1.0, "timeout".to_owned())]);
}

#[test]
fn a_million_events_take_bounded_memory_and_still_draw() {
    let mut host = Host::new();
    host.succeed(0, Outcome::Created);
    for beat in 0..250_000 {
        let due = beat * 6_001 + 5_000;
        host.give(due, Event::Tick);
        host.give(due + 1, Outcome::Failed(Failure::Ambiguous).into());
        host.give(due + 1_000, Event::Tick);
        host.succeed(due + 1_001, Outcome::Extended);
    }
    let timeline = &host.timeline;
    assert_eq!(timeline.marks.count(Mark::Retry), 250_000);
    let kept: usize = Mark::ALL.iter().map(|mark| timeline.marks.points(*mark).len()).sum();
    assert!(kept + timeline.line.points().len() + timeline.levels.points().len() <= 7_100);
    assert!(timeline.fences.len() <= DETAIL_MAX + 1 && timeline.failures.len() <= DETAIL_MAX + 1);
    assert!(draw::svg(timeline).expect("it draws").contains("</svg>"));
}

#[test]
fn an_empty_timeline_and_one_at_the_end_of_time_still_draw() {
    assert!(draw::svg(&Timeline::new()).expect("it draws").contains("nothing happened"));

    let mut host = Host::new();
    let success = Success { rtt_ns: Some(0), remaining_ttl_ms: Some(u64::MAX), expires_at_ms: None };
    host.give(0, Outcome::Created(success).into());
    host.give(u64::MAX / MILLI, Event::Tick);
    host.give(5, Event::TimingLost);
    host.give(6, Event::Close);
    assert!(draw::svg(&host.timeline).expect("it draws").contains("</svg>"));
}
