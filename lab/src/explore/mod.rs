//! Exhaustive exploration: every interleaving of a small world, with the real kernel and the real authority.
//!
//! A depth-first search over plain states that copies a state, makes a move, and looks its fingerprint up in a set of 64-bit
//! hashes. Nothing but the fingerprints and the path under way is kept, so that 100 million states fit in memory, and the path to a
//! violation is at hand.

mod scenario;
mod server;
mod state;

use std::collections::HashSet;
use std::hash::BuildHasher;

use foldhash::quality::FixedState;
use leasebeat::Config;

use crate::Kernel;
use crate::invariants::Violation;
use crate::record::Recording;
use crate::shrink::minimise;
pub use scenario::{Scenario, all};
pub use state::Move;
use state::State;

/// What an exploration came to.
#[derive(Debug, Clone)]
pub struct Explored {
    /// Distinct states.
    pub states: u64,
    /// Moves made, to new states and to known ones.
    pub moves: u64,
    /// The longest path, in moves.
    pub depth: usize,
    /// Whether every state was visited, rather than as many as were asked for.
    pub complete: bool,
    /// What was found first.
    pub found: Option<Found>,
}

/// A violation, and how it came about.
#[derive(Debug, Clone)]
pub struct Found {
    /// What was broken.
    pub violation: Violation,
    /// The moves that led there, the last one included.
    pub path: Vec<Move>,
    /// What the kernel was told.
    pub recording: Recording,
}

/// No walk has more moves: at the horizon a timer can go on being early.
const WALK_MAX: usize = 300;

struct Frame<K> {
    state: State<K>,
    /// The next of [`Move::ALL`].
    next: usize,
}

/// Visits every state of `scenario` that up to `faults` faults lead to, but at most `states_max`.
#[must_use]
pub fn explore<K: Kernel>(scenario: &Scenario, faults: u8, states_max: u64) -> Explored {
    let hasher = FixedState::default();
    let mut seen = HashSet::with_hasher(hasher.clone());
    let mut explored = Explored { states: 1, moves: 0, depth: 0, complete: true, found: None };
    let mut path = Vec::new();
    let mut state = State::<K>::new(scenario, faults);
    if state.begin(scenario, None).is_err() {
        explored.found = go::<K>(scenario, faults, &path);
        return explored;
    }
    let mut stack = vec![Frame { state, next: 0 }];
    while let Some(frame) = stack.last_mut() {
        let Some(&next) = Move::ALL.get(frame.next) else {
            stack.pop();
            path.pop();
            continue;
        };
        frame.next += 1;
        if !frame.state.may(scenario, next) {
            continue;
        }
        let mut state = frame.state.clone();
        if state.make(scenario, next, None).is_err() {
            path.push(next);
            explored.found = go::<K>(scenario, faults, &path);
            return explored;
        }
        explored.moves += 1;
        if !seen.insert(hasher.hash_one(&state)) {
            continue;
        }
        explored.states += 1;
        if explored.states >= states_max {
            explored.complete = false;
            return explored;
        }
        path.push(next);
        stack.push(Frame { state, next: 0 });
        explored.depth = explored.depth.max(path.len());
    }
    explored
}

/// Goes one path that `seed` chooses: each move that may be made is as likely as any other, but a fault only as all
/// together are. What it breaks, if it does.
#[must_use]
pub fn walk<K: Kernel>(scenario: &Scenario, faults: u8, seed: u64) -> Option<Found> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut state = State::<K>::new(scenario, faults);
    let mut path = Vec::new();
    let mut result = state.begin(scenario, None);
    while result.is_ok() && path.len() < WALK_MAX {
        let may = |next: &Move| state.may(scenario, *next);
        let wants_fault = random.u8(..4) == 0;
        let wanted =
            |next: &Move| may(next) && state.costs(scenario, *next) == wants_fault && *next != Move::Close;
        let Some(next) = random.choice(Move::ALL.into_iter().filter(wanted).collect::<Vec<_>>()) else {
            // Nothing of the kind: it ends where there is nothing at all.
            if Move::ALL.into_iter().any(|next| may(&next) && next != Move::Close) {
                continue;
            }
            return None;
        };
        path.push(next);
        result = state.make(scenario, next, None);
    }
    go::<K>(scenario, faults, &path)
}

/// Goes a path, leaving out what cannot be done, up to the first violation, if there is one.
///
/// # Panics
/// Where the scenario's settings are out of range.
#[must_use]
pub fn go<K: Kernel>(scenario: &Scenario, faults: u8, path: &[Move]) -> Option<Found> {
    let config = Config::new(scenario.settings).expect("settings in range");
    let mut recording = Recording { config, drift_ppm: 0, told: Vec::new() };
    let mut state = State::<K>::new(scenario, faults);
    let mut made = Vec::new();
    let mut result = state.begin(scenario, Some(&mut recording.told));
    for next in path.iter().copied() {
        if result.is_ok() && state.may(scenario, next) {
            made.push(next);
            result = state.make(scenario, next, Some(&mut recording.told));
        }
    }
    result.err().map(|violation| Found { violation, path: made, recording })
}

/// The same violation by the fewest moves: none of them can be left out.
#[must_use]
pub fn shrink<K: Kernel>(scenario: &Scenario, faults: u8, found: &Found) -> Found {
    let invariant = found.violation.invariant;
    let same =
        |path: &[Move]| go::<K>(scenario, faults, path).filter(|it| it.violation.invariant == invariant);
    let least = minimise(&found.path, |path| same(path).is_some());
    same(&least).unwrap_or_else(|| found.clone())
}
