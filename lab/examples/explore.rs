//! Explores every small world: `cargo run --release -p leasebeat-lab --example explore -- FAULTS GRID STATES_MAX`.

use std::time::Instant;

use leasebeat::Heartbeat;
use leasebeat_lab::explore;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().expect("a number"));
    let faults = u8::try_from(arguments.next().unwrap_or(1)).expect("few faults");
    let grid = arguments.next().unwrap_or(16);
    let states_max = arguments.next().unwrap_or(u64::MAX);
    let mut total = 0;
    for mut scenario in explore::all() {
        scenario.horizon_ns = grid * scenario.grid_ns;
        let start = Instant::now();
        let explored = explore::explore::<Heartbeat>(&scenario, faults, states_max);
        let explore::Explored { states, moves, depth, complete, found } = explored;
        total += states;
        println!(
            "{:20} {states:>10} states {moves:>11} moves, depth {depth}, complete {complete}, {:.1?}",
            scenario.name,
            start.elapsed()
        );
        if let Some(found) = found {
            let least = explore::shrink::<Heartbeat>(&scenario, faults, &found);
            println!("{}\n{:?}", least.violation, least.path);
            let mut out = Vec::new();
            least.recording.write_trace(&mut out, "").unwrap();
            println!("{}", String::from_utf8_lossy(&out));
        }
    }
    println!("{total} states");
}
