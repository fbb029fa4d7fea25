//! Each broken kernel is caught in the small worlds, by a named invariant; what is found is made small, is written as a trace, and
//! happens again when that is read. The real kernel passes the same walks.

use std::collections::BTreeSet;

use leasebeat::Heartbeat;
use leasebeat_lab::Kernel;
use leasebeat_lab::explore::{self, Found, Scenario};
use leasebeat_lab::invariants::Invariant::{self, I1, I2, I3, I4, I5, I6, I7};
use leasebeat_lab::record::{Recording, Told};
use leasebeat_lab_broken as broken;
use leasebeat_trace::Replay;

const FAULTS: u8 = 12;
const SEEDS: u64 = 20_000;

/// Every walk of every world, until `enough`.
fn walks<K: Kernel>(mut visit: impl FnMut(&Scenario, u64, Found) -> bool) {
    for seed in 0..SEEDS {
        for scenario in explore::all() {
            if let Some(found) = explore::walk::<K>(&scenario, FAULTS, seed) {
                if visit(&scenario, seed, found) {
                    return;
                }
            }
        }
    }
}

/// What catches it, the first that is `expected` made small and replayed.
fn caught<K: Kernel>(name: &str, expected: Invariant) {
    let mut by = BTreeSet::new();
    let mut smallest = None;
    walks::<K>(|scenario, seed, found| {
        by.insert(found.violation.invariant);
        if found.violation.invariant != expected {
            return false;
        }
        let least = explore::shrink::<K>(scenario, FAULTS, &found);
        println!("{name}: seed {seed}, {}: {}\n  {:?}", scenario.name, least.violation, least.path);
        assert!(least.path.len() <= found.path.len());
        replays::<K>(&least);
        smallest = Some(least);
        true
    });
    assert!(smallest.is_some(), "{name}: {expected:?} does not catch it, but {by:?}");
}

/// The trace has what the kernel was told, the real kernel can replay it, and the broken one is caught again.
fn replays<K: Kernel>(found: &Found) {
    let mut trace = Vec::new();
    found.recording.write_trace(&mut trace, &found.violation.to_string()).expect("a Vec takes it");
    let mut replay = Replay::new(&trace[..]).expect("a header");
    let mut told = Vec::new();
    for before in &found.recording.told {
        let step = replay.next_step().expect("a line that reads").expect("as many as were written");
        told.push(Told { event: step.event, now: step.at, ..*before });
    }
    assert!(replay.next_step().expect("the end").is_none());
    let read = Recording { told, ..found.recording.clone() };
    let (again, calls) = read.replay::<K>().expect("it is broken again");
    assert_eq!(
        (again.invariant, again.what, calls),
        (found.violation.invariant, found.violation.what, read.told.len())
    );
}

macro_rules! faults {
    ($($fault:ident: $invariant:ident,)*) => {
        $(#[test]
        fn $fault() {
            caught::<broken::$fault::Heartbeat>(stringify!($fault), $invariant);
        })*

        #[test]
        fn every_fault_is_tested() {
            assert_eq!(broken::ALL, [$(stringify!($fault),)*]);
        }
    };
}

faults! {
    rtt_not_subtracted: I1,
    floor_and_ceil_swapped: I1,
    quantum_forgotten: I1,
    tainted_rtt_used: I1,
    lost_timing_keeps_the_lead: I7,
    reserve_omitted: I2,
    key_rotated_on_ambiguity: I3,
    zero_delay_guard_dropped: I4,
    zero_window_guard_dropped: I4,
    cadence_without_a_minimum: I4,
    retry_after_cut_short: I5,
    retry_cut_short: I4,
    margin_dropped: I6,
    stop_a_call_late: I6,
    generations_lost_in_a_snapshot: I7,
}

#[test]
fn the_real_kernel_passes() {
    walks::<Heartbeat>(|scenario, seed, found| panic!("seed {seed}, {}: {}", scenario.name, found.violation));
}
