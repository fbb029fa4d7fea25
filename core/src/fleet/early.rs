//! What a fleet needs to know of a kernel besides what everyone sees: since when it acts, and a beat brought forward.

use crate::decision::{Decision, Key};
use crate::state::{Heartbeat, Phase};
use crate::time::{Instant, Nanos};

/// What a kernel waits for: as long as it is the same, its place in the queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    acts_at: Option<Instant>,
    for_a_beat: bool,
}

impl Heartbeat {
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting { acts_at: self.acts_at(), for_a_beat: self.waits_for_a_beat() }
    }

    /// The first reading at which a tick does more than to say how long is left (T4, L3).
    pub(crate) fn acts_at(&self) -> Option<Instant> {
        let deadline = self.next_deadline()?;
        let exact = self.in_flight().is_some() || self.key == Key::Same;
        let within = if exact { 0 } else { Nanos::MILLI.0.saturating_sub(1) };
        Some(Instant::from_nanos(deadline.as_nanos().saturating_sub(within)))
    }

    /// FL3: whether what it waits for is a beat, which may come early. A retry may not (T4, R5, R6, F6).
    pub(crate) fn waits_for_a_beat(&self) -> bool {
        matches!(self.phase, Phase::Beat | Phase::Fallback) && self.key == Key::Fresh
    }

    /// FL3: as `tick`, and the beat that it waits for is due `now`.
    pub(crate) fn beat(&mut self, now: Instant) -> Decision {
        if self.waits_for_a_beat() {
            self.pending.deadline = self.pending.deadline.min(now);
        }
        self.tick(now)
    }

    pub(crate) fn last_reading(&self) -> Instant {
        self.now
    }
}
