//! Raw HTTP answers as JSON Lines: read as a stream, decoded, written as events (`leasebeat decode`).

use std::borrow::Cow;
use std::io::{self, BufRead, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use leasebeat::wire::{Decoded, UnknownKeys, decode};
use leasebeat::{Failure, Millis, Operation, Outcome, Success};
use serde::Deserialize;

use crate::field::Field;
use crate::line::describe;
use crate::lines::{LineError, Lines};
use crate::write::OrNull;

/// The longest line read, in bytes: a bound on memory that no answer comes near.
const LINE_MAX: usize = 1 << 24;

/// A raw answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it answers.
    pub operation: Operation,
    /// Its status code.
    pub status: u16,
    /// Its raw `Retry-After`, where it has one.
    pub retry_after: Option<String>,
    /// Its body.
    pub body: Vec<u8>,
    /// What a key is that the schema does not name (W6).
    pub unknown_keys: UnknownKeys,
}

/// Raw answers, and the lines still to read.
#[derive(Debug)]
pub struct Answers<R> {
    lines: Lines<R>,
    unknown_keys: UnknownKeys,
}

/// Every key a line can have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    op: Cow<'a, str>,
    status: u16,
    #[serde(default)]
    retry_after: Field<String>,
    #[serde(default)]
    body: Field<String>,
    #[serde(default)]
    body_base64: Field<String>,
    #[serde(default, borrow)]
    unknown_keys: Field<Cow<'a, str>>,
}

impl<R: BufRead> Answers<R> {
    /// Reads answers. `unknown_keys` holds for those that do not say it themselves.
    pub fn new(input: R, unknown_keys: UnknownKeys) -> Self {
        Self { lines: Lines::new(input, LINE_MAX), unknown_keys }
    }

    /// Reads the next answer; `None` at the end.
    ///
    /// # Errors
    /// Where the next line is no answer. Those before it stand.
    pub fn next_answer(&mut self) -> Result<Option<Answer>, LineError> {
        let Some(text) = self.lines.next_line()? else { return Ok(None) };
        let line = serde_json::from_slice::<Line<'_>>(text).map_err(|error| describe(&error));
        let answer = line.and_then(|line| line.answer(self.unknown_keys));
        answer.map(Some).map_err(|what| LineError::Line { line: self.lines.number(), what })
    }
}

impl Line<'_> {
    fn answer(self, unknown_keys: UnknownKeys) -> Result<Answer, String> {
        let operation = Operation::from_name(&self.op)
            .ok_or_else(|| format!("unknown op {:?}; expected create or extend", self.op))?;
        let body = match (self.body.optional(), self.body_base64.optional()) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => {
                STANDARD.decode(text).map_err(|error| format!("body_base64 is no base64: {error}"))?
            }
            _ => return Err("an answer has either a body or a body_base64, as a string".to_owned()),
        };
        let unknown_keys = match self.unknown_keys.optional().as_deref() {
            None => unknown_keys,
            Some("reject") => UnknownKeys::Reject,
            Some("ignore") => UnknownKeys::Ignore,
            Some(other) => return Err(format!("unknown_keys is {other:?}; expected reject or ignore")),
        };
        let retry_after = self.retry_after.optional();
        Ok(Answer { operation, status: self.status, retry_after, body, unknown_keys })
    }
}

impl Answer {
    /// What it says.
    pub fn decode(&self) -> Decoded<'_> {
        let retry_after = self.retry_after.as_deref().map(str::as_bytes);
        decode(self.operation, self.status, retry_after, &self.body, self.unknown_keys)
    }
}

/// Writes what an answer says as an event without its time; where `explain` is asked for, with the first thing that
/// is wrong with it, or null.
///
/// # Errors
/// Those of `out`.
pub fn write_decoded(out: &mut impl Write, decoded: &Decoded<'_>, explain: bool) -> io::Result<()> {
    match decoded.outcome(None) {
        Outcome::Created(success) => {
            let id = decoded.reservation_id().map(|id| id.chars().collect::<String>());
            write!(out, "{{\"in\":\"created\",\"reservation_id\":{}", serde_json::to_string(&id)?)?;
            write_success(out, &success)?;
        }
        Outcome::Extended(success) => {
            write!(out, "{{\"in\":\"extended\"")?;
            write_success(out, &success)?;
        }
        Outcome::Denied => write!(out, "{{\"in\":\"denied\"")?,
        Outcome::Failed(Failure::Timeout) => write!(out, "{{\"in\":\"failed\",\"kind\":\"timeout\"")?,
        Outcome::Failed(Failure::Connection) => write!(out, "{{\"in\":\"failed\",\"kind\":\"connection\"")?,
        Outcome::Failed(Failure::Ambiguous) => write!(out, "{{\"in\":\"failed\",\"kind\":\"ambiguous\"")?,
        Outcome::Failed(Failure::Http(failure)) => {
            write!(out, "{{\"in\":\"failed\",\"kind\":\"http\",\"status\":{},\"code\":", failure.status)?;
            match failure.code {
                Some(code) => write!(out, "\"{code}\"")?,
                None => write!(out, "null")?,
            }
            write!(out, ",\"retry_after_ms\":{}", OrNull(failure.retry_after.map(Millis::get)))?;
        }
    }
    if explain {
        write!(out, ",\"explain\":")?;
        match decoded.problem() {
            None => write!(out, "null")?,
            Some(problem) => {
                write!(out, "{{\"wrong\":{}", serde_json::to_string(&problem.wrong().to_string())?)?;
                match problem.pointer() {
                    // Printed, a pointer is what stands between the quotes of a JSON string.
                    Some(place) => write!(out, ",\"pointer\":\"{place}\",\"offset\":{}}}", place.offset())?,
                    None => write!(out, ",\"pointer\":null,\"offset\":null}}")?,
                }
            }
        }
    }
    writeln!(out, "}}")
}

fn write_success(out: &mut impl Write, success: &Success) -> io::Result<()> {
    write!(
        out,
        ",\"remaining_ttl_ms\":{},\"expires_at_ms\":{}",
        OrNull(success.remaining_ttl_ms),
        OrNull(success.expires_at_ms)
    )
}
