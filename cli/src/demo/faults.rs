//! The faults that the demo's server plays, and when.

use leasebeat::{Event, Failure, Outcome};

use crate::serve::Rule;

/// Something that goes wrong on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The extension is applied, then the connection is reset without an answer.
    LostResponse,
    /// 503, not applied.
    Unavailable,
    /// 429 with a Retry-After, not applied.
    Throttled,
    /// The extension is applied, and the answer stops half-way through its body.
    Stalled,
    /// The extension is applied, and the 200 carries a body that is cut short.
    Malformed,
}

impl Fault {
    pub(super) const ALL: [Self; 5] =
        [Self::LostResponse, Self::Unavailable, Self::Throttled, Self::Stalled, Self::Malformed];

    /// What a 429 asks for, in seconds.
    pub(super) const RETRY_AFTER_S: u64 = 1;

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::LostResponse => "lost response",
            Self::Unavailable => "503",
            Self::Throttled => "429 with Retry-After",
            Self::Stalled => "stalled response",
            Self::Malformed => "malformed 200",
        }
    }

    /// How the server is asked for it.
    fn asked(self) -> String {
        match self {
            Self::LostResponse => "lost-response".to_owned(),
            Self::Unavailable => "status=503".to_owned(),
            Self::Throttled => format!("throttle={}", Self::RETRY_AFTER_S),
            Self::Stalled => "stall".to_owned(),
            Self::Malformed => "malformed".to_owned(),
        }
    }

    /// What it looks like to the client.
    pub(super) fn seen_in(event: &Event) -> Option<Self> {
        let Event::Report { outcome: Outcome::Failed(failure), .. } = event else { return None };
        match failure {
            Failure::Connection => Some(Self::LostResponse),
            Failure::Timeout => Some(Self::Stalled),
            Failure::Ambiguous => Some(Self::Malformed),
            Failure::Http(http) if http.status == 503 => Some(Self::Unavailable),
            Failure::Http(http) if http.status == 429 && http.retry_after.is_some() => Some(Self::Throttled),
            Failure::Http(_) => None,
        }
    }
}

/// Plays each fault once, on the first attempt of a beat: a beat is told by its key, so a retry after a fault goes
/// through, however many attempts a busy machine has cost by then. `calm` beats go well before each.
pub(super) fn rules(calm: usize) -> Vec<Rule> {
    let rule = |(number, fault): (usize, Fault)| {
        let beat = (number + 1) * (calm + 1);
        format!("extend:new:{beat}={}", fault.asked()).parse().expect("the demo's faults are faults")
    };
    Fault::ALL.into_iter().enumerate().map(rule).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_can_be_asked_for() {
        for calm in [0, 1, 3] {
            assert_eq!(rules(calm).len(), Fault::ALL.len());
        }
    }
}
