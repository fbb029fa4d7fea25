//! Kernel events a second on one core, the monitor, the authority and the network in the loop: an argument is the number of
//! events to run in each policy, in millions.

use std::time::Instant;

use leasebeat::{Config, Heartbeat};
use leasebeat_lab::scenario::{FaultProfile, Faults, PolicyKind, Scenario, Timers};
use leasebeat_lab::strategy::KernelStrategy;
use leasebeat_lab::world::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let millions: u64 = std::env::args().nth(1).map_or(Ok(5), |text| text.parse())?;
    for kind in [PolicyKind::MaxLead, PolicyKind::Additive, PolicyKind::Mixed] {
        for profile in [FaultProfile::Mild, FaultProfile::Rough] {
            let scenario = Scenario {
                faults: Faults::Drawn(profile.rates()),
                timers: Timers { late_us: 2_000, very_late_ms: 0, early_per_mille: 100 },
                work_ms: 3_600_000,
                horizon_ms: 1_000_000_000_000,
                ..Scenario::calm(1, 60_000, 10_000, kind)
            };
            let config = Config::new(scenario.settings)?;
            let mut world = World::new(&scenario, KernelStrategy::<Heartbeat>::new(config, 0, 80))?;
            let start = Instant::now();
            while world.tally().events < millions * 1_000_000 && world.step() {}
            let seconds = start.elapsed().as_secs_f64();
            let tally = world.tally();
            if let Some(violation) = world.failed().and_then(KernelStrategy::violation) {
                println!("{violation}");
            }
            #[allow(clippy::cast_precision_loss)]
            let rate = tally.events as f64 / seconds / 1e6;
            println!(
                "{:8} {:6}: {rate:5.2} million events/s, {:.0} lease-hours, {} leases, {} lapses",
                kind.name(),
                profile.name(),
                tally.lease_hours(),
                tally.leases,
                tally.lapses
            );
        }
    }
    Ok(())
}
