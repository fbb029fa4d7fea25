//! What was broken, and by how much.

use std::fmt;

/// The invariants of `docs/INVARIANTS.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Invariant {
    /// Nothing is claimed that the server would not stand by.
    I1,
    /// A wait leaves what a retry needs.
    I2,
    /// The same key after what may have been applied, a fresh one after what was proven.
    I3,
    /// Requests are bounded.
    I4,
    /// No send before a Retry-After has passed.
    I5,
    /// No recovery without room for an attempt, and the stop comes at once.
    I6,
    /// The same input, the same output.
    I7,
}

/// One invariant that did not hold, with the two numbers that say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// Which.
    pub invariant: Invariant,
    /// What was wrong, in words.
    pub what: &'static str,
    /// What was found, in ns or as a count.
    pub found: i128,
    /// What it may at most, or must at least, have been.
    pub bound: i128,
    /// True time, in ns.
    pub at_ns: u64,
    /// The number of the call, from 1.
    pub call: u64,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { invariant, what, found, bound, at_ns, call } = self;
        write!(f, "{invariant:?}: {what}: {found}, bound {bound}, at {at_ns} ns, call {call}")
    }
}

impl std::error::Error for Violation {}

/// A violation before it is known where it happened.
pub(super) struct Broken {
    pub(super) invariant: Invariant,
    pub(super) what: &'static str,
    pub(super) found: i128,
    pub(super) bound: i128,
}

/// Nothing, or what is broken.
pub(super) type Held = Result<(), Broken>;

/// `found` must be at most `bound`.
#[inline]
pub(super) fn at_most(invariant: Invariant, what: &'static str, found: i128, bound: i128) -> Held {
    if found <= bound { Ok(()) } else { Err(Broken { invariant, what, found, bound }) }
}

/// `found` must be at least `bound`.
#[inline]
pub(super) fn at_least(invariant: Invariant, what: &'static str, found: i128, bound: i128) -> Held {
    if found >= bound { Ok(()) } else { Err(Broken { invariant, what, found, bound }) }
}

/// `holds` must be true; `found` and `bound` only say more.
#[inline]
pub(super) fn ensure(
    invariant: Invariant,
    what: &'static str,
    holds: bool,
    found: i128,
    bound: i128,
) -> Held {
    if holds { Ok(()) } else { Err(Broken { invariant, what, found, bound }) }
}
