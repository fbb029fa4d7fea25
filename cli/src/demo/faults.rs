//! The faults that the demo's server plays, and when.

use std::collections::HashSet;

use leasebeat::{Event, Failure, Outcome};

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

/// Plays each fault once, on the first attempt of a beat. A beat is told by its key: a retry after a fault goes
/// through, however many attempts a busy machine has cost by then.
#[derive(Debug)]
pub(super) struct Script {
    /// Beats that go well before each fault.
    calm: usize,
    keys: HashSet<String>,
    played: Vec<Fault>,
}

impl Script {
    /// How many faults there are.
    pub(super) const LENGTH: usize = Fault::ALL.len();

    pub(super) fn new(calm: usize) -> Self {
        Self { calm, keys: HashSet::new(), played: Vec::new() }
    }

    /// What goes wrong with an attempt to extend that carries `key`.
    pub(super) fn play(&mut self, key: &str) -> Option<Fault> {
        if !self.keys.insert(key.to_owned()) || self.keys.len() % (self.calm + 1) != 0 {
            return None;
        }
        let fault = *Fault::ALL.get(self.played.len())?;
        self.played.push(fault);
        Some(fault)
    }

    pub(super) fn played(&self) -> &[Fault] {
        &self.played
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_played_once_and_never_on_a_retry() {
        for calm in [0, 1, 3] {
            let mut script = Script::new(calm);
            for beat in 1..=30 {
                let key = beat.to_string();
                let fault = script.play(&key);
                let due = beat % (calm + 1) == 0 && beat / (calm + 1) <= 5;
                assert_eq!(fault.is_some(), due, "{calm} {beat}");
                assert_eq!(script.play(&key), None, "a retry goes through");
            }
            assert_eq!(script.played(), Fault::ALL);
        }
    }
}
