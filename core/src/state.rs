//! What a lease's kernel remembers: plain data, and the phases it can be in.

use crate::budget::Budget;
use crate::config::Config;
use crate::decision::{Key, StopReason};
use crate::lead::Lead;
use crate::ledger::Ledger;
use crate::recovery::Guards;
use crate::time::{Instant, Millis};

/// One lease's kernel: plain data of 160 bytes, its [`Config`] included. Copy it to ask "what if".
///
/// A copy goes on in the same process and boot; to carry a lease elsewhere take a
/// [`Snapshot`](crate::Snapshot). The crate's page shows a complete host loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Heartbeat {
    pub(crate) config: Config,
    /// T5: the last accepted reading.
    pub(crate) now: Instant,
    pub(crate) lead: Lead,
    pub(crate) ledger: Ledger,
    pub(crate) guards: Guards,
    pub(crate) pending: Pending,
    pub(crate) attempts: u32,
    pub(crate) key_generations: u32,
    pub(crate) extensions: u32,
    pub(crate) phase: Phase,
    /// The key in flight, or the one the wait is holding.
    pub(crate) key: Key,
    pub(crate) mode: Mode,
    /// T6: the RTT of the attempt in flight, or of a create to be adopted, cannot be trusted.
    pub(crate) tainted: bool,
}

const _: () =
    assert!(size_of::<Heartbeat>() <= 160, "the state of a lease has grown: budget 192 bytes, reached 160");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    /// Nothing sent and nothing adopted.
    Idle,
    /// A create is in flight.
    Creating,
    /// An extend is in flight.
    Extending,
    /// Primary path: waiting for the next beat.
    Beat,
    /// Primary path: waiting to retry.
    Recovery,
    /// Fallback: waiting for a beat or a retry.
    Fallback,
    Stopped(StopReason),
}

/// F1: the latest success decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Primary,
    Fallback,
}

/// What the kernel waits for: the end of a wait, or the timeout of the attempt in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    pub(crate) deadline: Instant,
    /// The last wait but a beat's, at its full length: at most a day where it matters (T6).
    pub(crate) length_ms: u32,
    /// The last failure's retry honours a Retry-After (R6, F6).
    pub(crate) throttled: bool,
}

impl Pending {
    /// Nothing yet.
    pub(crate) fn none() -> Self {
        Self { deadline: Instant::ORIGIN, length_ms: 0, throttled: false }
    }

    /// T4: what is left, 0 when it is due: rounded up where nothing may come early.
    pub(crate) fn left(&self, now: Instant, exact: bool) -> Millis {
        let left = self.deadline.since(now);
        if exact { left.ceil() } else { left.floor() }
    }
}

/// Counts since the kernel was made. Each sticks at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Sends, creates included.
    pub attempts: u32,
    /// Sends that repeated a key.
    pub retries: u32,
    /// Extensions that a schema-valid answer proved.
    pub extensions: u32,
    /// Attempts that failed, timed out or proved nothing.
    pub failures: u32,
}

impl Heartbeat {
    /// A kernel that has sent nothing. Next: [`Event::Begin`](crate::Event::Begin), or
    /// [`Outcome::Created`](crate::Outcome::Created) for a reservation that the host created itself (L1).
    #[must_use]
    #[cfg_attr(target_pointer_width = "64", inline(never))] // a restored one begins as a new one
    pub fn new(config: Config) -> Self {
        Self {
            config,
            now: Instant::ORIGIN,
            lead: Lead::with_margin(Budget::FLOOR),
            ledger: Ledger::with_cadence(Ledger::held(config.extend_by_ms())),
            guards: Guards::default(),
            pending: Pending::none(),
            attempts: 0,
            key_generations: 0,
            extensions: 0,
            phase: Phase::Idle,
            key: Key::Fresh,
            mode: Mode::Primary,
            tainted: false,
        }
    }
}
