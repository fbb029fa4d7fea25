//! The board decides every vector and decodes a corpus; here is what it must say.

use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant as Stopwatch;

use leasebeat::wire::{UnknownKeys, decode};
use leasebeat::{Config, Decision, Heartbeat, Misuse, Operation, Settings};
use leasebeat_firmware::messages::{Ask, Call, Said, Stacks, View};
use leasebeat_tests::vectors::{Vector, all};
use leasebeat_trace::{Replay, write_decision};
use serde_json::Value;

use crate::Outcome;
use crate::board::Board;

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
pub(crate) fn run(elf: &Path) -> Outcome {
    let began = Stopwatch::now();
    let mut board = Board::start(elf)?;
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
    board.send(&Ask::End)?;
    let status = board.end()?;
    if !status.success() {
        return Err(format!("the board ended with {status}").into());
    }
    println!(
        "{vectors} vectors with {lines} decisions and {answers} answers, byte-equal; {:?}",
        began.elapsed()
    );
    for (call, (used, of)) in Call::ALL.iter().zip(worst.0) {
        // Read by `cargo xtask firmware`.
        println!("stack {} {used} {of}", call.name());
    }
    Ok(())
}

fn replay(board: &mut Board, vector: &Vector, worst: &mut Worst) -> Outcome<usize> {
    let text = fs::read_to_string(&vector.trace)?;
    let expected = fs::read_to_string(vector.trace.with_extension("expected.jsonl"))?;
    let mut expected = expected.lines();
    let header: Value = serde_json::from_str(text.lines().next().unwrap_or_default())?;
    let settings: Settings = serde_json::from_value(header["config"].clone())?;

    board.send(&Ask::Configure(settings))?;
    let (said, stacks): (Said<'_>, Stacks) = board.receive()?;
    worst.note(stacks, &vector.name);
    let config = Config::new(settings).map_err(|error| error.to_string());
    equal(&said, &Said::Configured(config.as_ref().map(|_| ()).map_err(String::as_str)))?;
    let Ok(config) = config else {
        equal(&expected.next(), &Some(r#"{"error":"invalid-config"}"#))?;
        return Ok(1);
    };

    let mut heartbeat = Heartbeat::new(config);
    let mut steps = Replay::new(BufReader::new(text.as_bytes()))?;
    let mut count = 0;
    while let Some(step) = steps.next_step()? {
        board.send(&Ask::Handle(step.event, step.at))?;
        let (said, stacks): (Said<'_>, Stacks) = board.receive()?;
        worst.note(stacks, &format!("{} line {}", vector.name, step.line));
        let decision = heartbeat.handle(step.event, step.at);
        let explanation = explained(&heartbeat, &decision);
        let here = Said::Decided { decision, view: View::of(&heartbeat, step.at), explanation: &explanation };
        equal(&said, &here)?;
        // Written from what the board said, not from what was decided here.
        let Said::Decided { decision, .. } = said else { return Err("no decision".into()) };
        let mut line = Vec::new();
        write_decision(&mut line, &decision)?;
        let right = expected.next().ok_or("more decisions than expected")?;
        equal(&String::from_utf8(line)?, &format!("{right}\n"))?;
        count += 1;
    }
    equal(&expected.next(), &None)?;
    Ok(count)
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
