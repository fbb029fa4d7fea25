//! The smaller exploration, of every change: `cargo xtask soak explore` is the whole.

use leasebeat::Heartbeat;
use leasebeat_lab::explore::{all, explore};

/// With one fault, up to the end of the first recovery in most worlds.
#[test]
fn every_invariant_holds_in_every_state() {
    let mut total = 0;
    for scenario in all() {
        let explored = explore::<Heartbeat>(&scenario.until(8), 1, u64::MAX);
        let found = explored.found.map(|found| (found.violation.to_string(), found.path));
        assert_eq!(found, None, "{}", scenario.name);
        assert!(explored.complete);
        println!("{}: {} states", scenario.name, explored.states);
        total += explored.states;
    }
    println!("{total} states");
    assert!(total > 1_000_000, "only {total} states: the worlds have shrunk");
}
