//! A call from numbers to numbers: what a program in Rust does around a call of the kernel whose answers and decisions are
//! plain numbers, as those of C are. Nothing is checked that the types of Rust check. `cargo xtask budgets` runs it under
//! callgrind over every vector; a program of its own, so that the kernel is compiled into the other as ever.

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;

use leasebeat::{
    Action, AttemptId, ErrorCode, Event, Failure, Heartbeat, HttpFailure, Instant, Millis, Misuse, Outcome,
    Success,
};
use leasebeat_tests::vectors;
use leasebeat_trace::{Replay, ReplayError};

/// What happened, in numbers. The kind is Rust's: it has no other to check.
#[derive(Clone, Copy)]
struct Numbers {
    kind: Kind,
    code: Option<ErrorCode>,
    attempt: Option<u32>,
    status: u16,
    rtt_ns: Option<u64>,
    remaining_ttl_ms: Option<u64>,
    expires_at_ms: Option<u64>,
    retry_after_ms: Option<u64>,
}

#[derive(Clone, Copy)]
enum Kind {
    Begin,
    Created,
    Denied,
    Extended,
    Timeout,
    Connection,
    Ambiguous,
    Http,
    Tick,
    TimingLost,
    Close,
}

/// A decision in numbers: 40 bytes, as C's.
#[derive(Default)]
#[repr(C)]
struct Decided {
    action: u8,
    rule: u8,
    reason: u8,
    operation: u8,
    key: u8,
    present: u8,
    attempt: u32,
    key_generation: u32,
    wait_ms: u64,
    timeout_ms: u64,
    extend_by_ms: u64,
}

/// The name callgrind looks for.
#[inline(never)]
fn measured_numbers(
    heartbeat: &mut Heartbeat,
    numbers: &Numbers,
    now: Instant,
    out: &mut Decided,
) -> Result<(), Misuse> {
    let decision = heartbeat.handle(event(numbers), now)?;
    let rule = decision.rule as u8;
    *out = match decision.action {
        Action::Wait(wait) => Decided {
            action: 2,
            rule,
            present: u8::from(wait.is_some()),
            wait_ms: wait.map_or(0, Millis::get),
            ..Decided::default()
        },
        Action::Send(attempt) => Decided {
            action: 1,
            rule,
            operation: attempt.operation as u8,
            key: attempt.key as u8,
            present: u8::from(attempt.timeout.is_some()),
            attempt: attempt.id.get(),
            key_generation: attempt.key_generation,
            timeout_ms: attempt.timeout.map_or(0, Millis::get),
            extend_by_ms: attempt.extend_by.get(),
            ..Decided::default()
        },
        Action::Stop(reason) => Decided { action: 3, rule, reason: reason as u8, ..Decided::default() },
    };
    Ok(())
}

fn event(numbers: &Numbers) -> Event {
    let success = Success {
        rtt_ns: numbers.rtt_ns,
        remaining_ttl_ms: numbers.remaining_ttl_ms,
        expires_at_ms: numbers.expires_at_ms,
    };
    let outcome = match numbers.kind {
        Kind::Begin => return Event::Begin,
        Kind::Tick => return Event::Tick,
        Kind::TimingLost => return Event::TimingLost,
        Kind::Close => return Event::Close,
        Kind::Created => Outcome::Created(success),
        Kind::Denied => Outcome::Denied,
        Kind::Extended => Outcome::Extended(success),
        Kind::Timeout => Outcome::Failed(Failure::Timeout),
        Kind::Connection => Outcome::Failed(Failure::Connection),
        Kind::Ambiguous => Outcome::Failed(Failure::Ambiguous),
        Kind::Http => Outcome::Failed(Failure::Http(HttpFailure {
            status: numbers.status,
            code: numbers.code,
            retry_after: numbers.retry_after_ms.map(Millis::new),
        })),
    };
    Event::Report { attempt: numbers.attempt.map(AttemptId::new), outcome }
}

/// The numbers of an event.
fn of(event: &Event) -> Numbers {
    let mut numbers = Numbers {
        kind: Kind::Begin,
        code: None,
        attempt: None,
        status: 0,
        rtt_ns: None,
        remaining_ttl_ms: None,
        expires_at_ms: None,
        retry_after_ms: None,
    };
    let mut success = |kind, success: &Success| {
        let Success { rtt_ns, remaining_ttl_ms, expires_at_ms } = *success;
        numbers = Numbers { kind, rtt_ns, remaining_ttl_ms, expires_at_ms, ..numbers };
    };
    match event {
        Event::Begin => {}
        Event::Tick => numbers.kind = Kind::Tick,
        Event::TimingLost => numbers.kind = Kind::TimingLost,
        Event::Close => numbers.kind = Kind::Close,
        Event::Report { attempt, outcome } => {
            match outcome {
                Outcome::Created(created) => success(Kind::Created, created),
                Outcome::Extended(extended) => success(Kind::Extended, extended),
                Outcome::Denied => numbers.kind = Kind::Denied,
                Outcome::Failed(Failure::Timeout) => numbers.kind = Kind::Timeout,
                Outcome::Failed(Failure::Connection) => numbers.kind = Kind::Connection,
                Outcome::Failed(Failure::Ambiguous) => numbers.kind = Kind::Ambiguous,
                Outcome::Failed(Failure::Http(http)) => {
                    let HttpFailure { status, code, retry_after } = *http;
                    let retry_after_ms = retry_after.map(Millis::get);
                    numbers = Numbers { kind: Kind::Http, status, code, retry_after_ms, ..numbers };
                }
            }
            numbers.attempt = attempt.map(AttemptId::get);
        }
    }
    numbers
}

/// A line a call.
fn main() {
    for vector in vectors::all() {
        let trace = BufReader::new(File::open(&vector.trace).expect("the vector is there"));
        let mut replay = match Replay::new(trace) {
            Err(ReplayError::Config { .. }) => continue,
            replay => replay.expect("a vector is well-formed"),
        };
        let mut heartbeat = *replay.heartbeat();
        while let Some(step) = replay.next_step().expect("a vector is well-formed") {
            let mut decided = Decided::default();
            let numbers = black_box(of(&step.event));
            let done = measured_numbers(&mut heartbeat, &numbers, step.at, &mut decided);
            assert_eq!(done.err(), step.decision.err());
            println!("{} {} {}", vector.name, step.line, black_box(&decided).action);
        }
    }
}
