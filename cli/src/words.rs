//! What happened, in words. What was decided says so itself.

use leasebeat::{Event, Failure, HttpFailure, Outcome, Success};

use crate::units::seconds;

/// One line that says what an event was.
pub(crate) fn event(event: &Event) -> String {
    let (attempt, outcome) = match event {
        Event::Begin => return "begin".to_owned(),
        Event::Tick => return "timer".to_owned(),
        Event::TimingLost => return "timing lost".to_owned(),
        Event::Close => return "close".to_owned(),
        Event::Report { attempt, outcome } => (attempt, outcome),
    };
    let number = attempt.map_or_else(String::new, |id| format!("#{} ", id.get()));
    match outcome {
        Outcome::Created(success) => format!("{number}created: {}", self::success(success)),
        Outcome::Extended(success) => format!("{number}extended: {}", self::success(success)),
        Outcome::Denied => format!("{number}denied"),
        Outcome::Failed(failure) => format!("{number}failed: {}", self::failure(failure)),
    }
}

fn success(success: &Success) -> String {
    let remaining = match success.remaining_ttl_ms {
        Some(ms) => format!("{ms} ms remain"),
        None => "what remains is not said".to_owned(),
    };
    match success.rtt_ns {
        Some(ns) => format!("{remaining}, round trip {}.{} ms", ns / 1_000_000, ns / 100_000 % 10),
        None => format!("{remaining}, round trip unknown"),
    }
}

/// A failure in a few words, its error code included.
fn failure(failure: &Failure) -> String {
    match failure {
        Failure::Http(HttpFailure { code: Some(code), .. }) => format!("{}, {code}", brief(failure)),
        _ => brief(failure),
    }
}

/// A failure in as few words as a picture has room for.
pub(crate) fn brief(failure: &Failure) -> String {
    match failure {
        Failure::Timeout => "timeout".to_owned(),
        Failure::Connection => "connection lost".to_owned(),
        Failure::Ambiguous => "malformed 200".to_owned(),
        Failure::Http(HttpFailure { status, retry_after: Some(delay), .. }) => {
            format!("HTTP {status}, retry after {}", seconds(*delay))
        }
        Failure::Http(HttpFailure { status, .. }) => format!("HTTP {status}"),
    }
}

#[cfg(test)]
mod tests {
    use leasebeat::{AttemptId, ErrorCode, Millis};

    use super::*;

    #[test]
    fn an_event_is_one_short_line() {
        let success =
            Success { rtt_ns: Some(1_260_000), remaining_ttl_ms: Some(8_000), expires_at_ms: Some(1) };
        let extended = Outcome::Extended(success).of(AttemptId::new(3));
        assert_eq!(event(&extended), "#3 extended: 8000 ms remain, round trip 1.2 ms");

        let throttled = HttpFailure {
            status: 429,
            code: Some(ErrorCode::LimitExceeded),
            retry_after: Some(Millis::new(1_000)),
        };
        let failed = Event::from(Outcome::Failed(Failure::Http(throttled)));
        assert_eq!(event(&failed), "failed: HTTP 429, retry after 1 s, LIMIT_EXCEEDED");
    }
}
