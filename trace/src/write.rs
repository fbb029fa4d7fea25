//! Writing a trace and its decisions: one JSON object a line, keys in the order of `docs/RULES.md`.

use std::io::{self, Write};

use leasebeat::{
    Action, Attempt, Config, Decision, Event, Failure, Fallback, Instant, Misuse, Outcome, Settings, Success,
};

use crate::FORMAT;

/// Writes the header of a trace: `config` in full, and `note` as free text.
///
/// # Errors
/// Those of `out`.
pub fn write_header(out: &mut impl Write, config: &Config, note: &str) -> io::Result<()> {
    let Settings { extend_by_ms, request_timeout_ms, clock_resolution_ns, max_wait_ms, fallback } =
        Settings::from(*config);
    let note = serde_json::to_string(note)?;
    let fallback = match fallback {
        Fallback::Band => "band",
        Fallback::Refuse => "refuse",
    };
    write!(out, "{{\"trace\":\"{FORMAT}\",\"note\":{note},\"config\":{{\"extend_by_ms\":{extend_by_ms}")?;
    write!(out, ",\"request_timeout_ms\":{}", OrNull(request_timeout_ms))?;
    write!(out, ",\"clock_resolution_ns\":{clock_resolution_ns}")?;
    writeln!(out, ",\"max_wait_ms\":{},\"fallback\":\"{fallback}\"}}}}", OrNull(max_wait_ms))
}

/// Writes one event. A Retry-After is written as the seconds it was parsed to, and an invalid one as null:
/// both replay to the same decision.
///
/// # Errors
/// Those of `out`, and [`io::ErrorKind::InvalidInput`] for a Retry-After that is no whole number of seconds: no header
/// parses to one, and it would replay differently.
pub fn write_event(out: &mut impl Write, at: Instant, event: &Event) -> io::Result<()> {
    write!(out, "{{\"at\":{},\"in\":", at.as_nanos())?;
    let attempt = match event {
        Event::Begin => return writeln!(out, "\"begin\"}}"),
        Event::Tick => return writeln!(out, "\"tick\"}}"),
        Event::TimingLost => return writeln!(out, "\"timing-lost\"}}"),
        Event::Close => return writeln!(out, "\"close\"}}"),
        Event::Report { attempt, outcome } => {
            write_outcome(out, outcome)?;
            attempt
        }
    };
    match attempt {
        Some(attempt) => writeln!(out, ",\"attempt\":{}}}", attempt.get()),
        None => writeln!(out, "}}"),
    }
}

fn write_outcome(out: &mut impl Write, outcome: &Outcome) -> io::Result<()> {
    match outcome {
        Outcome::Created(success) => write_success(out, "created", success),
        Outcome::Extended(success) => write_success(out, "extended", success),
        Outcome::Denied => write!(out, "\"denied\""),
        Outcome::Failed(Failure::Timeout) => write!(out, "\"failed\",\"kind\":\"timeout\""),
        Outcome::Failed(Failure::Connection) => write!(out, "\"failed\",\"kind\":\"connection\""),
        Outcome::Failed(Failure::Ambiguous) => write!(out, "\"failed\",\"kind\":\"ambiguous\""),
        Outcome::Failed(Failure::Http(failure)) => {
            write!(out, "\"failed\",\"kind\":\"http\",\"status\":{},\"code\":", failure.status)?;
            match failure.code {
                Some(code) => write!(out, "\"{code}\"")?,
                None => write!(out, "null")?,
            }
            match failure.retry_after {
                Some(delay) if delay.get() % 1_000 != 0 => {
                    let what = format!("retry_after is {delay}; it must be whole seconds");
                    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
                }
                Some(delay) => write!(out, ",\"retry_after\":\"{}\"", delay.get() / 1_000),
                None => write!(out, ",\"retry_after\":null"),
            }
        }
    }
}

fn write_success(out: &mut impl Write, name: &str, success: &Success) -> io::Result<()> {
    write!(
        out,
        "\"{name}\",\"rtt_ns\":{},\"remaining_ttl_ms\":{},\"expires_at_ms\":{}",
        OrNull(success.rtt_ns),
        OrNull(success.remaining_ttl_ms),
        OrNull(success.expires_at_ms)
    )
}

/// Writes one decision, or the misuse that was answered instead.
///
/// # Errors
/// Those of `out`.
pub fn write_decision(out: &mut impl Write, decision: &Result<Decision, Misuse>) -> io::Result<()> {
    match decision {
        Err(misuse) => writeln!(out, "{{\"error\":\"{misuse}\"}}"),
        Ok(decision) => match decision.action {
            Action::Send(Attempt { id, operation, key, timeout, .. }) => writeln!(
                out,
                "{{\"do\":\"send\",\"op\":\"{operation}\",\"key\":\"{key}\",\"attempt\":{},\"timeout_ms\":{}}}",
                id.get(),
                OrNull(timeout.map(leasebeat::Millis::get))
            ),
            Action::Wait(wait) => {
                writeln!(out, "{{\"do\":\"wait\",\"ms\":{}}}", OrNull(wait.map(leasebeat::Millis::get)))
            }
            Action::Stop(reason) => writeln!(out, "{{\"do\":\"stop\",\"reason\":\"{reason}\"}}"),
        },
    }
}

/// Writes what stands in place of the decisions where the configuration is invalid, with `what` is wrong.
///
/// # Errors
/// Those of `out`.
pub fn write_invalid_config(out: &mut impl Write, what: &str) -> io::Result<()> {
    writeln!(out, "{{\"error\":\"invalid-config\",\"message\":{}}}", serde_json::to_string(what)?)
}

/// A number, or `null`.
pub(crate) struct OrNull(pub(crate) Option<u64>);

impl std::fmt::Display for OrNull {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(number) => std::fmt::Display::fmt(&number, f),
            None => f.write_str("null"),
        }
    }
}

#[cfg(test)]
mod tests {
    use leasebeat::{HttpFailure, Millis};

    use super::*;

    #[test]
    fn c5_a_retry_after_that_no_header_gives_is_refused() {
        let failed = |ms| {
            let retry_after = Some(Millis::new(ms));
            Event::from(Outcome::Failed(Failure::Http(HttpFailure { status: 429, code: None, retry_after })))
        };
        let mut out = Vec::new();
        write_event(&mut out, Instant::ORIGIN, &failed(2_000)).expect("whole seconds");
        let line = r#"{"at":0,"in":"failed","kind":"http","status":429,"code":null,"retry_after":"2"}"#;
        assert_eq!(out, [line.as_bytes(), b"\n"].concat());
        let refused =
            write_event(&mut out, Instant::ORIGIN, &failed(1_500)).map_err(|error| error.to_string());
        assert_eq!(refused, Err("retry_after is 1500 ms; it must be whole seconds".to_owned()));
    }
}
