//! The program that `cargo xtask budgets` runs under callgrind. With the argument `handle` it replays every vector,
//! with `decode` it decodes some answers, and callgrind dumps the instructions of each single call of
//! [`measured_handle`] or [`measured_decode`]. Each call's class is printed on a line of its own, in the same order.

mod answers;

use std::fs::File;
use std::hint::black_box;
use std::io::BufReader;

use leasebeat::wire::{Decoded, UnknownKeys, decode};
use leasebeat::{Decision, Event, Heartbeat, Instant, Misuse, Operation, Outcome, Rule};
use leasebeat_tests::vectors;
use leasebeat_trace::{Replay, ReplayError};

/// The name callgrind looks for. Not inlined, so that a call is a call; the kernel is inlined into it.
#[inline(never)]
fn measured_handle(heartbeat: &mut Heartbeat, event: Event, now: Instant) -> Result<Decision, Misuse> {
    heartbeat.handle(event, now)
}

/// As [`measured_handle`]. What is decoded is looked at before it is returned, so that the call is no jump.
#[inline(never)]
fn measured_decode(operation: Operation, body: &[u8]) -> Decoded<'_> {
    black_box(decode(operation, 200, None, body, UnknownKeys::Reject))
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("handle") => replay(),
        Some("decode") => decode_answers(),
        _ => panic!("expected handle or decode"),
    }
}

fn decode_answers() {
    for (class, operation, body) in answers::ALL {
        assert_eq!(body.len(), 300);
        assert_eq!(measured_decode(operation, body.as_bytes()).problem(), None);
        println!("{class} {operation}");
    }
}

fn replay() {
    for vector in vectors::all() {
        let trace = BufReader::new(File::open(&vector.trace).expect("the vector is there"));
        let mut replay = match Replay::new(trace) {
            Err(ReplayError::Config { .. }) => continue,
            replay => replay.expect("a vector is well-formed"),
        };
        let mut heartbeat = *replay.heartbeat();
        let mut last = Instant::ORIGIN;
        while let Some(step) = replay.next_step().expect("a vector is well-formed") {
            let decision = measured_handle(&mut heartbeat, step.event, step.at);
            assert_eq!(decision, step.decision);
            let class = if step.at < last { "back-in-time" } else { class(&step.event, &decision) };
            println!("{class} {} {}", vector.name, step.line);
            last = step.at;
        }
    }
}

/// What kind of call it was, as `benches/budgets.toml` names it.
fn class(event: &Event, decision: &Result<Decision, Misuse>) -> &'static str {
    let Ok(decision) = decision else { return "misuse" };
    match (event, decision.rule) {
        (Event::Report { outcome: Outcome::Created(_) | Outcome::Extended(_), .. }, Rule::P4) => "success",
        (Event::Report { outcome: Outcome::Failed(_), .. }, _) => "failure",
        (Event::Tick, Rule::T4) => "rearm",
        _ => "other",
    }
}
