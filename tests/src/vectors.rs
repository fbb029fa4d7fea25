//! The vectors in `tests/vectors`: traces, and their right decisions.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// How many there are: a vector that is not found is not a vector that passed.
pub const COUNT: usize = 98;

/// One trace and its right decisions.
pub struct Vector {
    pub name: String,
    pub trace: PathBuf,
    /// The decisions as they are written, a line each.
    pub lines: String,
    /// The same as values.
    pub expected: Vec<Value>,
}

/// Every vector, by name.
///
/// # Panics
/// Where there are fewer than [`COUNT`], or one has no expectation.
#[must_use]
pub fn all() -> Vec<Vector> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut vectors: Vec<Vector> = fs::read_dir(&directory)
        .expect("tests/vectors is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter_map(|trace| {
            let name = trace.file_name()?.to_str()?.strip_suffix(".jsonl")?.to_owned();
            if name.ends_with(".expected") {
                return None;
            }
            let expected = fs::read_to_string(directory.join(format!("{name}.expected.jsonl")))
                .unwrap_or_else(|error| panic!("{name} has no expectation: {error}"));
            Some(Vector { expected: parse_lines(&expected), lines: expected, name, trace })
        })
        .collect();
    vectors.sort_by(|a, b| a.name.cmp(&b.name));
    assert_eq!(vectors.len(), COUNT, "vectors are missing, or new and not counted");
    vectors
}

/// Decisions as JSON values, one a line.
///
/// # Panics
/// Where a line is no JSON.
#[must_use]
pub fn parse_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a decision is JSON")).collect()
}

/// Whether `actual` has every key of `expected` with its value; extra keys are welcome.
#[must_use]
pub fn agrees(actual: &Value, expected: &Value) -> bool {
    match (actual, expected) {
        (Value::Object(actual), Value::Object(expected)) => {
            expected.iter().all(|(key, value)| actual.get(key) == Some(value))
        }
        _ => false,
    }
}
