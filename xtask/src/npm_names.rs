//! What the kernel says in words, for JavaScript: the names of its enums in the order of their numbers, and its sentences
//! with a `{0}` where a number or a text stands.

use std::fmt::Write;
use std::fs;

use leasebeat::wire::Wrong;
use leasebeat::{ErrorCode, Millis, Numbers, Remedy, Rule, StopReason};

use crate::Outcome;
use crate::run::file;

/// Numbers that stand in no sentence, to be found again.
const MARKS: [u64; 5] = [11_110, 22_220, 33_330, 44_440, 55_550];
const TEXT: &str = "11110";

/// Writes both files. They are checked in, so that a reader sees them.
pub fn write() -> Outcome {
    let names = [
        ("stopReasons", StopReason::ALL.iter().map(|one| one.as_str().to_owned()).collect()),
        ("rules", Rule::ALL.iter().map(|one| one.id().to_owned()).collect()),
        ("errorCodes", ErrorCode::ALL.iter().map(|one| one.as_str().to_owned()).collect()),
    ];
    write_lists("wasm/npm/src/names.ts", &names)?;
    let sentences = [("numbersText", numbers()), ("remedyText", remedies()), ("wrongText", wrongs())];
    write_lists("wasm/npm/src/sentences.ts", &sentences)
}

fn millis(mark: usize) -> Millis {
    Millis::new(MARKS[mark])
}

/// Without a timeout, with a reserve that is unbounded, with everything; a grant, and one that is clamped.
fn numbers() -> Vec<String> {
    let primary = |attempt_budget, retry_reserve| Numbers::Primary {
        lead: millis(0),
        attempt_budget,
        safety_margin: millis(2),
        retry_reserve,
        window_ms: i64::try_from(MARKS[4]).ok(),
    };
    let all = [
        primary(None, None),
        primary(Some(millis(1)), None),
        primary(Some(millis(1)), Some(millis(3))),
        Numbers::Fallback { grant: millis(0), clamped: false },
        Numbers::Fallback { grant: millis(0), clamped: true },
    ];
    all.iter().map(|one| sentence(&one.to_string())).collect()
}

/// In the order of `wasm/src/explain.rs`; advice is a text of its own.
fn remedies() -> Vec<String> {
    let all = [
        Remedy::MeasureRoundTrip,
        Remedy::SetRequestTimeout { below: Some(millis(0)) },
        Remedy::SetRequestTimeout { below: None },
        Remedy::ShortenRequestTimeout { timeout: millis(0), needs: millis(1), below: millis(2) },
        Remedy::LengthenLease { needs: millis(0) },
    ];
    all.iter().map(|one| sentence(&one.to_string())).collect()
}

/// In the order of `wasm/src/decode.rs`. A status has 16 bits, and so a mark of its own.
fn wrongs() -> Vec<String> {
    let all = [
        Wrong::Status(11_110),
        Wrong::TooLong(11_110),
        Wrong::Below(11_110),
        Wrong::Not(TEXT),
        Wrong::KeyMissing(TEXT),
        Wrong::NotOneOf(&[TEXT]),
        Wrong::RetryAfter,
        Wrong::Unfinished,
        Wrong::Trailing,
        Wrong::Syntax,
        Wrong::TooDeep,
        Wrong::Utf8,
        Wrong::ControlCharacter,
        Wrong::Escape,
        Wrong::LoneSurrogate,
        Wrong::UnknownKey,
        Wrong::KeyTwice,
        Wrong::NotAHash,
        Wrong::NotAnInteger,
        Wrong::OutsideInt64,
        Wrong::NoReservationId,
        Wrong::UnknownCode,
    ];
    all.iter().map(|one| sentence(&one.to_string())).collect()
}

fn sentence(text: &str) -> String {
    (0..)
        .zip(MARKS)
        .fold(text.to_owned(), |text, (index, mark)| text.replace(&mark.to_string(), &format!("{{{index}}}")))
}

fn write_lists(path: &str, lists: &[(&str, Vec<String>)]) -> Outcome {
    let mut text = String::from("// Generated from the kernel by `cargo xtask npm`.\n");
    for (list, items) in lists {
        let _ = writeln!(text, "\nexport const {list} = [");
        for item in items {
            let _ = writeln!(text, "  {},", quoted(item));
        }
        text.push_str("] as const\n");
    }
    let written = fs::read_to_string(file(path)).unwrap_or_default();
    if written == text {
        return Ok(());
    }
    fs::write(file(path), text).map_err(|error| format!("{path}: {error}"))
}

fn quoted(text: &str) -> String {
    if text.contains('\'') { format!("\"{text}\"") } else { format!("'{text}'") }
}
