//! Explores every small world: `cargo xtask soak explore`. What breaks an invariant is made small and written as a trace.

use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use leasebeat::Heartbeat;
use leasebeat_lab::explore::{Explored, all, explore, shrink};

const USAGE: &str = "explore FAULTS GRID_POINTS STATES_MAX";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1).map(|text| text.parse::<u64>().expect(USAGE));
    let mut next = || arguments.next().expect(USAGE);
    let faults = u8::try_from(next()).expect("at most 255 faults");
    let (grid_points, states_max) = (next(), next());
    let (mut total, start) = (0, Instant::now());
    for scenario in all() {
        let scenario = scenario.until(grid_points);
        let begin = Instant::now();
        let Explored { states, moves, depth, complete, found } =
            explore::<Heartbeat>(&scenario, faults, states_max);
        let whole = if complete { "all" } else { "cut" };
        let name = scenario.name;
        println!(
            "{name:20} {states:>10} states, {whole}, {moves:>11} moves, depth {depth:>3}, {:.1?}",
            begin.elapsed()
        );
        total += states;
        if let Some(found) = found {
            let least = shrink::<Heartbeat>(&scenario, faults, &found);
            let path = format!("target/explore-{}.jsonl", name.replace([' ', ','], "-"));
            let mut trace = Vec::new();
            let note = format!("{name}, {faults} faults: {}", least.violation);
            least.recording.write_trace(&mut trace, &note).expect("a Vec takes it");
            fs::write(&path, trace).expect("the trace can be written");
            println!("{}\n{:?}\nreplay it: leasebeat replay --explain {path}", least.violation, least.path);
            return ExitCode::FAILURE;
        }
    }
    println!("{total} distinct states in {:.0?}, no violation", start.elapsed());
    ExitCode::SUCCESS
}
