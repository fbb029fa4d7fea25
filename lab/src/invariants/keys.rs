//! I3: what may have been applied is repeated with the same key or not at all; after what was proven comes a fresh one.
//!
//! Every send with the same key repeats the operation and the generation of the attempt before it, which failed; every
//! send with a fresh key counts one generation on, and follows a proven success or nothing at all. No attempt is given
//! up before its timeout, so that never two are in flight. Nothing is created twice.

use leasebeat::{Action, Event, Key, Operation};

use super::seen::{Came, Seen, Step};
use super::violation::{Held, Invariant::I3, at_least, ensure};

pub(super) fn check(seen: &Seen, step: &Step, event: &Event) -> Held {
    let asked = matches!(event, Event::Tick | Event::TimingLost);
    if let (Came::Failed(_), true, Some(flight)) = (step.came, asked, &seen.flight) {
        let timeout_ns = i128::from(seen.timeout_ns(flight));
        at_least(I3, "an attempt was given up before its timeout, ns", i128::from(step.now_ns), timeout_ns)?;
    }
    let Action::Send(attempt) = step.action else { return Ok(()) };
    let (id, generation) = (i128::from(attempt.id.get()), i128::from(attempt.key_generation));
    let answered = step.came != Came::Nothing || seen.flight.is_none();
    ensure(I3, "a second attempt beside the one in flight", answered, id, id - 1)?;
    let next_id = i128::from(seen.attempts.saturating_add(1));
    ensure(I3, "the number of an attempt", id == next_id, id, next_id)?;
    let proven = match step.came {
        Came::Nothing => seen.proven,
        Came::Success { .. } => Some(true),
        Came::Failed(_) => Some(false),
    };
    let (key, next) = match proven {
        Some(false) => (Key::Same, seen.generations),
        _ => (Key::Fresh, seen.generations.saturating_add(1)),
    };
    let what = match key {
        Key::Same => "a fresh key after what may have been applied, generation",
        Key::Fresh => "the same key after what was proven, generation",
    };
    ensure(I3, what, attempt.key == key && generation == i128::from(next), generation, i128::from(next))?;
    let operation = match proven {
        None => Operation::Create,
        Some(true) => Operation::Extend,
        Some(false) => seen.operation,
    };
    ensure(I3, "the wrong operation, attempt", attempt.operation == operation, id, id)
}
