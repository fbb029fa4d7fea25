//! The board decides every vector and random traces, and decodes a corpus; here is what it must say.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant as Stopwatch;

use leasebeat::wire::{UnknownKeys, decode};
use leasebeat::{Config, Decision, Event, Heartbeat, Instant, Misuse, Operation, Settings};
use leasebeat_firmware::messages::{Ask, Call, Said, Stacks, View};
use leasebeat_tests::vectors::{Vector, all};
use leasebeat_trace::{Replay, write_decision};
use serde_json::Value;

use crate::Outcome;
use crate::board::Board;
use crate::walk::Walk;

/// Random traces, and how long each is.
const WALKS: u64 = 100;
const WALK_LENGTH: usize = 40;
/// Two operations, three statuses, unknown keys rejected and ignored.
const ANSWERS: usize = 12;

/// The worst stack of each call, and where.
#[derive(Default)]
struct Worst([(u16, String); Call::ALL.len()]);

impl Worst {
    fn note(&mut self, stacks: Stacks, of: &str) {
        for (worst, used) in self.0.iter_mut().zip(stacks) {
            if used > worst.0 {
                *worst = (used, of.to_owned());
            }
        }
    }
}

/// Runs `elf` to its end, and compares.
pub(crate) fn run(program: &[String]) -> Outcome {
    let began = Stopwatch::now();
    let mut board = Board::start(program)?;
    let mut worst = Worst::default();
    let (mut lines, mut vectors) = (0, 0);
    for vector in all() {
        lines +=
            replay(&mut board, &vector, &mut worst).map_err(|error| format!("{}: {error}", vector.name))?;
        vectors += 1;
    }
    let mut answers = 0;
    for path in corpus()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        decoded(&mut board, &fs::read(&path)?, &name, &mut worst)
            .map_err(|error| format!("{name}: {error}"))?;
        answers += 1;
    }
    for seed in 0..WALKS {
        walk(&mut board, seed, &mut worst).map_err(|error| format!("walk {seed}: {error}"))?;
    }
    board.send(&Ask::End)?;
    let status = board.end()?;
    if !status.success() {
        return Err(format!("the board ended with {status}").into());
    }
    println!(
        "{vectors} vectors with {lines} decisions byte-equal; {WALKS} random traces of {WALK_LENGTH} events and {answers} \
         bodies in {ANSWERS} answers each as on this machine; {:.1?}",
        began.elapsed()
    );
    for (call, (used, of)) in Call::ALL.iter().zip(worst.0) {
        // Read by `cargo xtask firmware`. A program over a pipe measures none.
        if used > 0 {
            println!("stack {} {used} {of}", call.name());
        }
    }
    Ok(())
}

fn replay(board: &mut Board, vector: &Vector, worst: &mut Worst) -> Outcome<usize> {
    let text = fs::read_to_string(&vector.trace)?;
    let expected = fs::read_to_string(vector.trace.with_extension("expected.jsonl"))?;
    let mut expected = expected.lines();
    let header: Value = serde_json::from_str(text.lines().next().unwrap_or_default())?;
    let settings: Settings = serde_json::from_value(header["config"].clone())?;

    let config = configure(board, settings, &vector.name, worst)?;
    let Some(config) = config else {
        equal(&expected.next(), &Some(r#"{"error":"invalid-config"}"#))?;
        return Ok(1);
    };

    let mut heartbeat = Heartbeat::new(config);
    let mut steps = Replay::new(BufReader::new(text.as_bytes()))?;
    let mut count = 0;
    while let Some(step) = steps.next_step()? {
        let of = format!("{} line {}", vector.name, step.line);
        // What the board said, not what was decided here.
        let decision = decide(board, &mut heartbeat, step.event, step.at, &of, worst)?;
        let mut line = Vec::new();
        write_decision(&mut line, &decision)?;
        let right = expected.next().ok_or("more decisions than expected")?;
        equal(&String::from_utf8(line)?, &format!("{right}\n"))?;
        count += 1;
    }
    equal(&expected.next(), &None)?;
    Ok(count)
}

/// A new kernel there and here; nothing where the settings are out of range.
fn configure(board: &mut Board, settings: Settings, of: &str, worst: &mut Worst) -> Outcome<Option<Config>> {
    board.send(&Ask::Configure(settings))?;
    let (said, stacks): (Said<'_>, Stacks) = board.receive()?;
    worst.note(stacks, of);
    let config = Config::new(settings).map_err(|error| error.to_string());
    equal(&said, &Said::Configured(config.as_ref().map(|_| ()).map_err(String::as_str)))?;
    Ok(config.ok())
}

/// One event there and here; what was decided there.
fn decide(
    board: &mut Board,
    heartbeat: &mut Heartbeat,
    event: Event,
    at: Instant,
    of: &str,
    worst: &mut Worst,
) -> Outcome<Result<Decision, Misuse>> {
    board.send(&Ask::Handle(event, at))?;
    let (said, stacks): (Said<'_>, Stacks) = board.receive()?;
    worst.note(stacks, of);
    let decision = heartbeat.handle(event, at);
    let explanation = explained(heartbeat, &decision);
    equal(&said, &Said::Decided { decision, view: View::of(heartbeat, at), explanation: &explanation })?;
    match said {
        Said::Decided { decision, .. } => Ok(decision),
        other => Err(format!("no decision: {other:?}").into()),
    }
}

/// A random trace: nothing is expected of it but that the board decides as this machine does.
fn walk(board: &mut Board, seed: u64, worst: &mut Worst) -> Outcome {
    let mut walk = Walk::new(seed);
    let of = format!("walk {seed}");
    let settings = walk.settings();
    let Some(config) = configure(board, settings, &of, worst)? else { return Ok(()) };
    let mut heartbeat = Heartbeat::new(config);
    for _ in 0..WALK_LENGTH {
        let (event, at) = walk.step(&heartbeat);
        let _ = decide(board, &mut heartbeat, event, at, &of, worst)?;
    }
    Ok(())
}

fn explained(heartbeat: &Heartbeat, decision: &Result<Decision, Misuse>) -> String {
    decision.map(|decision| format!("{decision} {}", heartbeat.explain(&decision))).unwrap_or_default()
}

/// The answers that the fuzz campaigns start from.
fn corpus() -> Outcome<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/decode");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    paths.sort();
    Ok(paths)
}

/// Each answer as either operation's, with unknown keys rejected and ignored, and as a refusal.
fn decoded(board: &mut Board, body: &[u8], name: &str, worst: &mut Worst) -> Outcome {
    // The first byte is the fuzz target's own.
    let body = body.get(1..).unwrap_or_default();
    for operation in [Operation::Create, Operation::Extend] {
        for (status, header) in [(200, None), (429, Some(&b" 2 "[..])), (404, None)] {
            for ignore_unknown_keys in [false, true] {
                let retry_after = header;
                board.send(&Ask::Decode { operation, status, retry_after, body, ignore_unknown_keys })?;
                let (said, stacks): (Said<'_>, Stacks) = board.receive()?;
                worst.note(stacks, name);
                let unknown = if ignore_unknown_keys { UnknownKeys::Ignore } else { UnknownKeys::Reject };
                let here = decode(operation, status, retry_after, body, unknown);
                let reservation = here.reservation_id().map(|id| id.chars().collect::<String>());
                let problem = here.problem().map(|problem| problem.to_string());
                let outcome = here.outcome(None);
                let (reservation, problem) = (reservation.as_deref(), problem.as_deref());
                equal(&said, &Said::Decoded { outcome, reservation, problem })?;
            }
        }
    }
    Ok(())
}

fn equal<T: PartialEq + std::fmt::Debug>(said: &T, expected: &T) -> Outcome {
    if said == expected { Ok(()) } else { Err(format!("{said:?} is not {expected:?}").into()) }
}
