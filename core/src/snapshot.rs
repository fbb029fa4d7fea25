//! A lease's kernel carried to another process or boot: only what survives lost timing (T6) is in it.

use crate::budget::Budget;
use crate::config::Config;
use crate::decision::{Decision, Key, Rule, StopReason};
use crate::lead::Lead;
use crate::ledger::{Ledger, THROTTLE_MAX};
use crate::state::{Heartbeat, Mode, Pending, Phase, Stats};
use crate::time::{Instant, Millis};

/// What of a [`Heartbeat`] still means something on another clock. Its lead, fence, ledger and deadlines do
/// not, so they are not here: [`restore`](Self::restore) goes through T6 because there is no other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Snapshot {
    config: Config,
    state: State,
    key: Key,
    margin: Millis,
    cadence: Millis,
    zero_delay: bool,
    stats: Stats,
    key_generations: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
enum State {
    Idle,
    Creating,
    Extending { fallback: bool },
    Beat,
    Recovery,
    Fallback { throttled: Option<Millis> },
    Stopped(StopReason),
}

impl Heartbeat {
    /// What of this kernel can be carried elsewhere.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            config: self.config,
            state: match self.phase {
                Phase::Idle => State::Idle,
                Phase::Creating => State::Creating,
                Phase::Extending => State::Extending { fallback: self.mode == Mode::Fallback },
                Phase::Beat => State::Beat,
                Phase::Recovery => State::Recovery,
                Phase::Fallback => {
                    let whole = Millis::new(u64::from(self.pending.length_ms));
                    State::Fallback { throttled: Some(whole).filter(|_| self.pending.exact) }
                }
                Phase::Stopped(reason) => State::Stopped(reason),
            },
            key: self.key,
            margin: self.lead.margin,
            cadence: self.ledger.cadence(),
            zero_delay: self.guards.zero_delay,
            stats: self.stats(),
            key_generations: self.key_generations,
        }
    }
}

impl Snapshot {
    /// The kernel, on a clock that reads `now`, and what it wants done first: what
    /// [`Event::TimingLost`](crate::Event) would have it do (T6). A lease that was waiting for a beat is extended at
    /// once. An attempt that was in flight may still be reported by its number; otherwise it times out, where a
    /// timeout is known, and the kernel then stops, as no lead is proved any more.
    ///
    /// Take a snapshot after each decision to send and before the attempt leaves: restored from an older one the
    /// kernel counts that send's `key_generation` again, and a host that derives keys from it would repeat a key that
    /// was used. A boot id in the key avoids that altogether.
    #[must_use]
    pub fn restore(&self, now: Instant) -> (Heartbeat, Decision) {
        let mut heartbeat = Heartbeat::new(self.config);
        heartbeat.lead = Lead::with_margin(self.margin.max(Budget::FLOOR));
        // A snapshot may have been altered on its way: margin, cadence and the key of a beat stay what P3, F3, F4
        // and P4 can choose.
        let cadence_ms = Ledger::at_most(self.cadence.within_days(), self.config.extend_by_ms());
        heartbeat.ledger = Ledger::with_cadence(cadence_ms);
        heartbeat.guards.zero_delay = self.zero_delay;
        heartbeat.guards.failures = self.stats.failures;
        heartbeat.attempts = self.stats.attempts;
        heartbeat.extensions = self.stats.extensions;
        heartbeat.key_generations = self.key_generations;
        heartbeat.key = self.key;
        heartbeat.phase = match self.state {
            State::Idle => Phase::Idle,
            State::Creating => Phase::Creating,
            State::Extending { fallback } => {
                heartbeat.mode = if fallback { Mode::Fallback } else { Mode::Primary };
                Phase::Extending
            }
            State::Beat => {
                heartbeat.key = Key::Fresh;
                Phase::Beat
            }
            State::Recovery => Phase::Recovery,
            State::Fallback { throttled } => {
                heartbeat.mode = Mode::Fallback;
                let length = throttled.unwrap_or_default().min(THROTTLE_MAX);
                heartbeat.pending = Pending {
                    exact: throttled.is_some(),
                    length_ms: length.within_days(),
                    ..Pending::none()
                };
                Phase::Fallback
            }
            State::Stopped(reason) => {
                // L5: a stop outlives lost timing too.
                heartbeat.phase = Phase::Stopped(reason);
                return (heartbeat, Decision::stop(reason, Rule::L5));
            }
        };
        let decision = heartbeat.timing_lost(now);
        (heartbeat, decision)
    }
}
