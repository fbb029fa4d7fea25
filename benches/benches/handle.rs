//! How long `handle` takes, for each kind of call. Times are for comparing within one run; the gates are
//! instruction counts (`cargo xtask budgets`).

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use leasebeat::{Config, Event, Failure, Heartbeat, Instant, Outcome, Settings, Success};

const SECOND: u64 = 1_000_000_000;

fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * SECOND)
}

fn success() -> Success {
    Success {
        rtt_ns: Some(20_000_000),
        remaining_ttl_ms: Some(60_000),
        expires_at_ms: Some(1_785_585_660_000),
    }
}

/// A kernel that has extended once and now waits for its next beat.
fn waiting() -> Heartbeat {
    let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) };
    let mut heartbeat = Heartbeat::new(Config::new(settings).expect("in range"));
    let created = heartbeat.handle(Outcome::Created(success()).into(), at(0));
    created.expect("a create can be adopted");
    heartbeat
}

/// The same, with its extend in flight.
fn in_flight() -> Heartbeat {
    let mut heartbeat = waiting();
    let _ = heartbeat.tick(at(39));
    heartbeat
}

fn handle(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("handle");
    let cases: [(&str, Heartbeat, Event, Instant); 4] = [
        ("success", in_flight(), Outcome::Extended(success()).into(), at(40)),
        ("failure", in_flight(), Outcome::Failed(Failure::Connection).into(), at(40)),
        ("tick that re-arms", waiting(), Event::Tick, at(1)),
        ("tick that sends", waiting(), Event::Tick, at(39)),
    ];
    for (name, heartbeat, event, now) in cases {
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || heartbeat,
                |heartbeat| heartbeat.handle(black_box(event), black_box(now)),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, handle);
criterion_main!(benches);
