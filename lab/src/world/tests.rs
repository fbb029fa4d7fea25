//! The world itself: reproducible, every fault real, every measure right on runs worked out by hand.

use leasebeat::{Config, Heartbeat, Millis};

use super::World;
use crate::scenario::{FaultProfile, Faults, Mishap, Plan, PolicyKind, Rates, Scenario, Timers, Trouble};
use crate::strategy::{Blind, KernelStrategy, Strategy, StrategyKind};
use crate::world::Tally;

fn kernel(scenario: &Scenario) -> KernelStrategy<Heartbeat> {
    let config = Config::new(scenario.settings).expect("in range");
    KernelStrategy::new(config, scenario.clock.drift_ppm, scenario.give_up_pct)
}

fn run<S: Strategy>(scenario: &Scenario, strategy: S) -> Tally {
    World::new(scenario, strategy).expect("in range").run()
}

fn rough(seed: u64) -> Scenario {
    Scenario {
        hosts: 3,
        adopts: false,
        work_ms: 3_600_000,
        timers: Timers { late_us: 2_000, very_late_ms: 900, early_per_mille: 100 },
        faults: Faults::Drawn(Rates { untold_suspends: 50, ..FaultProfile::Rough.rates() }),
        horizon_ms: 1_000 * 3_600_000,
        ..Scenario::calm(seed, 60_000, 10_000, PolicyKind::Mixed)
    }
}

#[test]
fn the_same_seed_is_the_same_run() {
    let one = run(&rough(1), kernel(&rough(1)));
    assert_eq!(one, run(&rough(1), kernel(&rough(1))));
    assert_ne!(one, run(&rough(2), kernel(&rough(2))));
}

#[test]
fn what_happened_planned_again_is_the_same_run() {
    let scenario = rough(3);
    let mut world = World::new(&scenario, kernel(&scenario)).expect("in range").writing_down();
    let tally = world.run();
    let plan = world.happened().expect("written down").clone();
    assert!(plan.mishaps.len() > 1_000 && plan.troubles.len() > 500);
    let planned = Scenario { faults: Faults::Planned(plan), ..scenario };
    assert_eq!(run(&planned, kernel(&planned)), tally);
}

#[test]
fn every_fault_really_happens() {
    let counts = run(&rough(4), kernel(&rough(4))).counts;
    for (what, count) in [
        ("lost requests", counts.lost_requests),
        ("lost answers", counts.lost_answers),
        ("resets", counts.resets),
        ("late answers", counts.late_answers),
        ("malformed", counts.malformed),
        ("503", counts.unavailable),
        ("429", counts.throttled),
        ("partitions", counts.partitions),
        ("brownouts", counts.brownouts),
        ("throttlings", counts.throttlings),
        ("suspends", counts.suspends),
        ("told suspends", counts.told_suspends),
        ("untold suspends", counts.untold_suspends),
        ("steps back", counts.steps_back),
        ("cut off", counts.cut_off),
        ("stale answers", counts.stale),
        ("early timers", counts.early),
    ] {
        assert!(count > 10, "{what}: {count}");
    }
    assert_eq!(counts.crowded, 0);
}

fn with(plan: Plan, minutes: u64) -> Scenario {
    Scenario {
        faults: Faults::Planned(plan),
        horizon_ms: minutes * 60_000,
        latency: crate::scenario::Latency {
            median_us: 40_000,
            sigma_pct: 0,
            tail_per_mille: 0,
            most_ms: 60_000,
        },
        ..Scenario::calm(1, 60_000, 10_000, PolicyKind::MaxLead)
    }
}

#[test]
fn a_calm_hour_is_as_worked_out_by_hand() {
    let tally = run(&with(Plan::default(), 60), kernel(&with(Plan::default(), 60)));
    // Each beat waits 60 s less a round trip of 0.04 s rounded up and the reserve of 21 s: 38.96 s, and then travels 0.04 s.
    assert_eq!((tally.leases, tally.done, tally.lapses), (1, 1, 0));
    assert_eq!((tally.extensions, tally.requests), (92, 93));
    assert!((tally.lease_hours() - 1.0).abs() < 1e-4, "{}", tally.lease_hours());
    assert_eq!(tally.outages, 0);
}

#[test]
fn a_blind_timer_holds_unknowingly_from_the_expiry_to_its_next_beat() {
    // Beats at about 30 and 60 s after the answer; the lease ends 60 s after the last. Two lost requests: the third beat, at
    // 150 s, finds out what was over at 120 s.
    let plan =
        Plan { mishaps: vec![(0, 3, Mishap::LostRequest), (0, 4, Mishap::LostRequest)], troubles: vec![] };
    let scenario = with(plan, 3);
    let tally = run(&scenario, Blind::new(Millis::new(60_000)));
    assert_eq!((tally.lapses, tally.unnoticed), (1, 1));
    let unknowing_ms = tally.unknowing_ns / 1_000_000;
    assert!((29_900..30_100).contains(&unknowing_ms), "{unknowing_ms}");
    assert_eq!(tally.unknowing_max_ns, tally.unknowing_ns);
    assert!((tally.notice_s() - 30.0).abs() < 0.1, "{}", tally.notice_s());
}

#[test]
fn a_stop_before_the_expiry_is_a_lapse_that_was_known() {
    let plan =
        Plan { mishaps: vec![(0, 3, Mishap::LostRequest), (0, 4, Mishap::LostRequest)], troubles: vec![] };
    let tally = run(&with(plan.clone(), 4), kernel(&with(plan, 4)));
    assert_eq!((tally.lapses, tally.unnoticed, tally.unknowing_ns), (1, 0, 0));
}

#[test]
fn requests_in_an_outage_are_counted_against_it() {
    // The blind beat at 90 s falls into it, the one at 120 s too, the one at 60 s does not.
    let troubles = vec![(80_000_000_000, Trouble::Brownout { ms: 50_000 })];
    let tally = run(&with(Plan { mishaps: vec![], troubles }, 4), Blind::new(Millis::new(60_000)));
    assert_eq!((tally.outages, tally.outage_requests), (1, 2));
}

#[test]
fn extensions_an_hour_are_those_the_server_applied() {
    let calm = with(Plan::default(), 60);
    // Every 30 s, but for the time to create.
    assert_eq!(StrategyKind::Blind.run(&calm).expect("in range").extensions, 119);
    // Every 8 s and a round trip.
    assert_eq!(StrategyKind::Kubernetes.run(&calm).expect("in range").extensions, 448);
}

#[test]
fn a_scenario_out_of_range_says_what() {
    let calm = with(Plan::default(), 1);
    let hosts = Scenario { hosts: 0, ..calm.clone() };
    let error = World::new(&hosts, kernel(&hosts)).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("hosts is 0; it must be from 1 to 64"));
    let fleet = Scenario { fleet: Vec::new(), ..calm };
    let error = World::new(&fleet, kernel(&fleet)).err().map(|error| error.to_string());
    assert_eq!(error.as_deref(), Some("fleet is empty; it must name a server or more"));
}
