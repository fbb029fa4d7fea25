//! Each kind of `handle`.

use leasebeat::{
    ErrorCode, Event, Failure, Heartbeat, HttpFailure, Instant, Millis, Outcome, Settings, Success,
};

use crate::cases::Measure;

const SECOND: u64 = 1_000_000_000;

pub(crate) fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * SECOND)
}

/// A minute, and ten seconds for a request.
pub(crate) fn settings() -> Settings {
    Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) }
}

fn new() -> Heartbeat {
    Heartbeat::new(leasebeat::Config::new(settings()).expect("in range"))
}

fn success(remaining_ttl_ms: Option<u64>) -> Success {
    Success { rtt_ns: Some(20_000_000), remaining_ttl_ms, expires_at_ms: Some(1_785_585_660_000) }
}

fn created(remaining_ttl_ms: Option<u64>) -> Heartbeat {
    let mut heartbeat = new();
    let created = heartbeat.handle(Outcome::Created(success(remaining_ttl_ms)).into(), at(0));
    created.expect("a create can be adopted");
    heartbeat
}

/// A kernel whose lease was created and that waits for its beat.
pub(crate) fn waiting() -> Heartbeat {
    created(Some(60_000))
}

/// The same, with its extend in flight.
fn in_flight(mut heartbeat: Heartbeat) -> Heartbeat {
    while heartbeat.in_flight().is_none() {
        let due = heartbeat.next_deadline().expect("it waits for a beat");
        let _ = heartbeat.tick(due);
    }
    heartbeat
}

/// A kernel on a server that does not say what remains, after its first extension.
fn fallback() -> Heartbeat {
    let mut heartbeat = in_flight(created(None));
    let extended = Success { expires_at_ms: Some(1_785_585_720_000), ..success(None) };
    heartbeat.handle(Outcome::Extended(extended).into(), at(1)).expect("it is in flight");
    heartbeat
}

fn http(status: u16, code: Option<ErrorCode>, retry_after: Option<Millis>) -> Failure {
    Failure::Http(HttpFailure { status, code, retry_after })
}

pub(crate) fn all(measure: &mut impl Measure) {
    let extended = |remaining| Outcome::Extended(success(remaining)).into();
    let failed = |failure| Outcome::Failed(failure).into();
    let create = || {
        let mut heartbeat = new();
        heartbeat.handle(Event::Begin, at(0)).expect("it has not begun");
        heartbeat
    };
    let beat = in_flight(waiting());
    let cases: [(&str, Heartbeat, Event, Instant); 17] = [
        ("begin", new(), Event::Begin, at(0)),
        ("create succeeded", create(), Outcome::Created(success(Some(60_000))).into(), at(1)),
        ("create denied", create(), Outcome::Denied.into(), at(1)),
        ("extend succeeded", beat, extended(Some(60_000)), at(40)),
        ("tick, early", waiting(), Event::Tick, at(1)),
        ("tick, due: sends", waiting(), Event::Tick, at(39)),
        ("tick, due: the attempt timed out", beat, Event::Tick, at(50)),
        ("failure: timeout", beat, failed(Failure::Timeout), at(49)),
        ("failure: connection", beat, failed(Failure::Connection), at(40)),
        ("failure: ambiguous", beat, failed(Failure::Ambiguous), at(40)),
        ("failure: HTTP 503", beat, failed(http(503, None, None)), at(40)),
        (
            "failure: HTTP 429, Retry-After",
            beat,
            failed(http(429, Some(ErrorCode::LimitExceeded), Some(Millis::new(2_000)))),
            at(40),
        ),
        ("failure: expired", beat, failed(http(410, Some(ErrorCode::ReservationExpired), None)), at(40)),
        ("fallback: extend succeeded", in_flight(fallback()), extended(None), at(100)),
        ("fallback: tick, early", fallback(), Event::Tick, at(2)),
        ("timing lost", waiting(), Event::TimingLost, at(5)),
        ("close", waiting(), Event::Close, at(5)),
    ];
    for (name, heartbeat, event, now) in cases {
        let mut checked = heartbeat;
        checked.handle(event, now).unwrap_or_else(|misuse| panic!("{name}: {misuse}"));
        measure.measure("handle", name, (heartbeat, event, now), |(heartbeat, event, now)| {
            heartbeat.handle(*event, *now)
        });
    }
}
