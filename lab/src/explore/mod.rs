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
    /// What was found first, how, and what the kernel was told until then.
    pub found: Option<(Violation, Vec<Move>, Recording)>,
}

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
    if let Err(violation) = state.begin(scenario, None) {
        explored.found = Some((violation, path.clone(), record::<K>(scenario, faults, &path)));
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
        if let Err(violation) = state.make(scenario, next, None) {
            path.push(next);
            explored.found = Some((violation, path.clone(), record::<K>(scenario, faults, &path)));
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

/// Goes a path again, and records what the kernel is told.
fn record<K: Kernel>(scenario: &Scenario, faults: u8, path: &[Move]) -> Recording {
    let mut told = Vec::new();
    let mut state = State::<K>::new(scenario, faults);
    // What is broken at the end of the path is broken here too: that is what is recorded.
    let mut result = state.begin(scenario, Some(&mut told));
    for next in path {
        if result.is_ok() {
            result = state.make(scenario, *next, Some(&mut told));
        }
    }
    let config = Config::new(scenario.settings).expect("settings in range");
    Recording { config, drift_ppm: 0, told }
}
