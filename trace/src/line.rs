//! One line of a trace: an event and its instant.

use std::borrow::Cow;

use leasebeat::{
    AttemptId, ErrorCode, Event, Failure, HttpFailure, Instant, Outcome, Success, parse_retry_after,
};
use serde::Deserialize;

use crate::field::Field;
use crate::object::Object;

/// Every key an event can have. One flat struct reads four times as fast as a tagged enum, and which kind may
/// have which key is checked by [`Line::event`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    at: u64,
    #[serde(rename = "in", borrow)]
    kind: Cow<'a, str>,
    #[serde(default)]
    rtt_ns: Field<u64>,
    #[serde(default)]
    remaining_ttl_ms: Field<u64>,
    #[serde(default)]
    expires_at_ms: Field<u64>,
    #[serde(default)]
    attempt: Field<u32>,
    #[serde(default, rename = "kind", borrow)]
    failure: Field<Cow<'a, str>>,
    #[serde(default)]
    status: Field<u16>,
    #[serde(default, borrow)]
    code: Field<Cow<'a, str>>,
    #[serde(default, borrow)]
    retry_after: Field<Cow<'a, str>>,
}

/// Parses one event.
pub(crate) fn parse(line: &[u8]) -> Result<(Instant, Event), String> {
    let Object(line): Object<Line<'_>> = serde_json::from_slice(line).map_err(|error| describe(&error))?;
    let at = Instant::from_nanos(line.at);
    line.event().map(|event| (at, event))
}

/// What `serde_json` says, without its line number, which is always 1 here.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(what) if error.column() > 0 => format!("{what} (column {})", error.column()),
        Some(what) => what.to_owned(),
        None => text,
    }
}

impl Line<'_> {
    fn event(self) -> Result<Event, String> {
        match &*self.kind {
            "created" => Ok(self.succeeded(Outcome::Created)?),
            "extended" => Ok(self.succeeded(Outcome::Extended)?),
            "denied" => {
                self.has_only(&["attempt"])?;
                Ok(self.report(Outcome::Denied))
            }
            "failed" => self.failed(),
            "begin" => self.bare(Event::Begin),
            "tick" => self.bare(Event::Tick),
            "timing-lost" => self.bare(Event::TimingLost),
            "close" => self.bare(Event::Close),
            other => Err(format!(
                "unknown event {other:?}; expected begin, created, denied, extended, failed, tick, timing-lost or close"
            )),
        }
    }

    fn bare(&self, event: Event) -> Result<Event, String> {
        self.has_only(&[])?;
        Ok(event)
    }

    fn succeeded(self, outcome: fn(Success) -> Outcome) -> Result<Event, String> {
        self.has_only(&["rtt_ns", "remaining_ttl_ms", "expires_at_ms", "attempt"])?;
        let success = Success {
            rtt_ns: self.rtt_ns.optional(),
            remaining_ttl_ms: self.remaining_ttl_ms.optional(),
            expires_at_ms: self.expires_at_ms.optional(),
        };
        Ok(self.report(outcome(success)))
    }

    fn failed(self) -> Result<Event, String> {
        let kind = match &self.failure {
            Field::Value(kind) => &**kind,
            _ => return Err("kind is missing; a failed event has one".to_owned()),
        };
        let failure = match kind {
            "timeout" => Failure::Timeout,
            "connection" => Failure::Connection,
            "ambiguous" => Failure::Ambiguous,
            "http" => {
                self.has_only(&["kind", "status", "code", "retry_after", "attempt"])?;
                let code = self.code.clone().optional();
                let retry_after = self.retry_after.clone().optional();
                let failure = HttpFailure {
                    status: self.status.required("status")?,
                    code: code.and_then(|code| ErrorCode::from_name(&code)),
                    retry_after: retry_after.and_then(|header| parse_retry_after(header.as_bytes())),
                };
                return Ok(self.report(Outcome::Failed(Failure::Http(failure))));
            }
            other => {
                return Err(format!(
                    "unknown kind {other:?}; expected timeout, connection, ambiguous or http"
                ));
            }
        };
        self.has_only(&["kind", "attempt"])?;
        Ok(self.report(Outcome::Failed(failure)))
    }

    fn report(&self, outcome: Outcome) -> Event {
        Event::Report { attempt: self.attempt.optional().map(AttemptId::new), outcome }
    }

    /// Refuses a key that this kind of event does not have, even where it is null.
    fn has_only(&self, allowed: &[&str]) -> Result<(), String> {
        let absent = [
            ("rtt_ns", self.rtt_ns.is_absent()),
            ("remaining_ttl_ms", self.remaining_ttl_ms.is_absent()),
            ("expires_at_ms", self.expires_at_ms.is_absent()),
            ("attempt", self.attempt.is_absent()),
            ("kind", self.failure.is_absent()),
            ("status", self.status.is_absent()),
            ("code", self.code.is_absent()),
            ("retry_after", self.retry_after.is_absent()),
        ];
        match absent.iter().find(|(key, absent)| !absent && !allowed.contains(key)) {
            Some((key, _)) => Err(format!("unknown key {key:?} for this {} event", self.kind)),
            None => Ok(()),
        }
    }
}
