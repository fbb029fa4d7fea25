//! One lease's memory in a fleet: what its kernel remembers, without the settings that it shares with others.

use crate::config::Config;
use crate::decision::Key;
use crate::lead::Lead;
use crate::ledger::Ledger;
use crate::recovery::Guards;
use crate::state::{Heartbeat, Mode, Pending, Phase};
use crate::time::Instant;

/// Names one lease of a fleet. It is never the name of another: when a lease is removed, its memory's next lease has
/// another generation (FL1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId {
    pub(crate) slot: u32,
    pub(crate) generation: u32,
}

impl LeaseId {
    /// The id as one number, never 0, to hand to what can carry only a number.
    #[must_use]
    pub const fn to_u64(self) -> u64 {
        (self.generation as u64) << 32 | self.slot as u64
    }

    /// The id that [`to_u64`](Self::to_u64) made `number` of. Any number is safe: one that was never made is stale.
    #[must_use]
    #[allow(clippy::cast_possible_truncation)] // the halves of the number
    pub const fn from_u64(number: u64) -> Self {
        Self { slot: number as u32, generation: (number >> 32) as u32 }
    }
}

/// Names one of the fleet's settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClassId(pub(crate) u16);

impl ClassId {
    /// The number of the class, from 0 in the order of their adding.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }

    /// The class numbered `number`. Any number is safe: one that was not given is unknown.
    #[must_use]
    pub const fn new(number: u16) -> Self {
        Self(number)
    }
}

/// A [`Heartbeat`] without its [`Config`].
#[derive(Debug, Clone, Copy)]
struct State {
    now: Instant,
    lead: Lead,
    ledger: Ledger,
    guards: Guards,
    pending: Pending,
    attempts: u32,
    key_generations: u32,
    extensions: u32,
    phase: Phase,
    key: Key,
    mode: Mode,
    tainted: bool,
}

const _: () = assert!(size_of::<State>() <= 128, "a lease's own state in a fleet has grown: 128 bytes");
const _: () = assert!(
    size_of::<Slot>() + size_of::<super::Place>() <= 160,
    "a lease in a fleet has grown: 160 bytes, its place in the queue included"
);

/// Memory for one lease of a fleet: 144 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Slot {
    state: Option<State>,
    /// Of the lease that is here, or will be next. The last one is never given: then the slot is spent.
    pub(crate) generation: u32,
    /// Of a free slot: the next free one.
    pub(crate) next: u32,
    pub(crate) class: ClassId,
    /// FL4: the second that was kept for its next beat is the one it is queued for.
    pub(crate) kept: bool,
}

impl Slot {
    /// Memory that is not used yet.
    pub const EMPTY: Self =
        Self { state: None, generation: 1, next: Self::NONE, class: ClassId(0), kept: false };

    /// No next free slot.
    pub(crate) const NONE: u32 = u32::MAX;

    pub(crate) fn free(&mut self, next: u32) {
        self.state = None;
        self.next = next;
        self.kept = false;
    }

    /// The kernel of the lease that is here.
    #[inline]
    pub(crate) fn heartbeat(&self, config: Config) -> Option<Heartbeat> {
        let State {
            now,
            lead,
            ledger,
            guards,
            pending,
            attempts,
            key_generations,
            extensions,
            phase,
            key,
            mode,
            tainted,
        } = self.state?;
        Some(Heartbeat {
            config,
            now,
            lead,
            ledger,
            guards,
            pending,
            attempts,
            key_generations,
            extensions,
            phase,
            key,
            mode,
            tainted,
        })
    }

    /// Remembers what `heartbeat` does.
    #[inline]
    pub(crate) fn remember(&mut self, heartbeat: &Heartbeat) {
        let Heartbeat {
            config: _,
            now,
            lead,
            ledger,
            guards,
            pending,
            attempts,
            key_generations,
            extensions,
            phase,
            key,
            mode,
            tainted,
        } = *heartbeat;
        self.state = Some(State {
            now,
            lead,
            ledger,
            guards,
            pending,
            attempts,
            key_generations,
            extensions,
            phase,
            key,
            mode,
            tainted,
        });
    }
}
