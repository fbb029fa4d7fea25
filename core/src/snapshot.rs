//! A lease's kernel carried to another process or boot: only what survives lost timing (T6) is in it.

use crate::budget::Budget;
use crate::config::Config;
use crate::decision::{Decision, Key, Rule, StopReason};
use crate::lead::Lead;
use crate::ledger::{Ledger, THROTTLE_MAX};
use crate::state::{Heartbeat, Mode, Phase, Stats};
use crate::time::{Instant, Millis};

/// What of a [`Heartbeat`] still means something on another clock. Its lead, fence, ledger and deadlines do
/// not, so they are not here: [`restore`](Self::restore) goes through T6 because there is no other way.
///
/// The fields are open so that a host can carry them in its own format. Any values are safe to restore: what no
/// kernel could have come to is cut to what one could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Snapshot {
    /// The configuration.
    pub config: Config,
    /// What the kernel was doing.
    pub state: SnapshotState,
    /// The key in flight, or the one that the wait was holding.
    pub key: Key,
    /// The safety margin that the round trips so far had made (P3).
    pub margin: Millis,
    /// The fallback's cadence (F3, F4).
    pub cadence: Millis,
    /// Whether the last success left no delay (P5).
    pub zero_delay: bool,
    /// What had been counted. The retries follow from the attempts and the keys, and are not read.
    pub stats: Stats,
    /// How many fresh keys there had been.
    pub key_generations: u32,
}

/// What a kernel was doing when its [`Snapshot`] was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SnapshotState {
    /// Nothing was sent or adopted.
    Idle,
    /// A create was in flight.
    Creating,
    /// An extend was in flight.
    Extending {
        /// Whether the latest success did not say what remains (F1).
        fallback: bool,
    },
    /// It was waiting for the next beat.
    Beat,
    /// It was waiting to retry.
    Recovery,
    /// It was waiting in fallback.
    Fallback {
        /// The whole length of the wait, where it honours a Retry-After.
        throttled: Option<Millis>,
    },
    /// It had stopped.
    Stopped(StopReason),
}

impl Heartbeat {
    /// What of this kernel can be carried elsewhere.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            config: self.config,
            state: match self.phase {
                Phase::Idle => SnapshotState::Idle,
                Phase::Creating => SnapshotState::Creating,
                Phase::Extending => SnapshotState::Extending { fallback: self.mode == Mode::Fallback },
                Phase::Beat => SnapshotState::Beat,
                Phase::Recovery => SnapshotState::Recovery,
                Phase::Fallback => {
                    let whole = Millis::new(u64::from(self.pending.length_ms));
                    SnapshotState::Fallback { throttled: Some(whole).filter(|_| self.retries_when_allowed()) }
                }
                Phase::Stopped(reason) => SnapshotState::Stopped(reason),
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
            SnapshotState::Idle => Phase::Idle,
            SnapshotState::Creating => Phase::Creating,
            SnapshotState::Extending { fallback } => {
                heartbeat.mode = if fallback { Mode::Fallback } else { Mode::Primary };
                Phase::Extending
            }
            SnapshotState::Beat => {
                heartbeat.key = Key::Fresh;
                Phase::Beat
            }
            SnapshotState::Recovery => Phase::Recovery,
            SnapshotState::Fallback { throttled } => {
                heartbeat.mode = Mode::Fallback;
                let length = throttled.unwrap_or_default().min(THROTTLE_MAX);
                heartbeat.pending.throttled = throttled.is_some();
                heartbeat.pending.length_ms = length.within_days();
                Phase::Fallback
            }
            SnapshotState::Stopped(reason) => {
                // L5: a stop outlives lost timing too.
                heartbeat.phase = Phase::Stopped(reason);
                return (heartbeat, Decision::stop(reason, Rule::L5));
            }
        };
        let decision = heartbeat.timing_lost(now);
        (heartbeat, decision)
    }
}
