//! Explores every small world: `cargo run --release -p leasebeat-lab --example explore -- FAULTS STATES_MAX`.

use std::time::Instant;

use leasebeat::Heartbeat;
use leasebeat_lab::explore;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let faults = u8::try_from(arguments.next().unwrap_or(1)).expect("few faults");
    let states_max = arguments.next().unwrap_or(u64::MAX);
    for scenario in explore::all() {
        let start = Instant::now();
        let explored = explore::explore::<Heartbeat>(&scenario, faults, states_max);
        let explore::Explored { states, moves, depth, complete, found } = explored;
        println!(
            "{:20} {states:>10} states {moves:>11} moves, depth {depth}, complete {complete}, {:.1?}",
            scenario.name,
            start.elapsed()
        );
        if let Some((violation, path, recording)) = found {
            println!("{violation}\n{path:?}");
            for told in &recording.told {
                println!("{told:?}");
            }
        }
    }
}
