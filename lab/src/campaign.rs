//! Campaigns: numbered scenarios, one after the other on every core, with every invariant checked at every event.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use leasebeat::Config;

use crate::Kernel;
use crate::invariants::Violation;
use crate::record::Recording;
use crate::scenario::{Faults, Mishap, Plan, Scenario, Trouble};
use crate::shrink::minimise;
use crate::strategy::KernelStrategy;
use crate::world::{ScenarioError, Tally, World};

/// An invariant that did not hold, and how to see it again.
#[derive(Debug, Clone)]
pub struct Found {
    /// The number of the scenario in which it did not.
    pub number: u64,
    /// The same with the fewest faults planned of those that had happened until then.
    pub scenario: Scenario,
    /// What did not hold.
    pub violation: Violation,
    /// What the kernel was told from the beginning of its lease, up to the call at which it did not hold.
    pub recording: Recording,
}

/// What checking a scenario came to.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The run, or what of it there was before the violation.
    pub tally: Tally,
    /// What did not hold.
    pub found: Option<Box<Found>>,
}

/// Runs `scenario` with kernels `K`, every call watched. A violation is run again, written down, with fewer and fewer
/// faults.
///
/// # Errors
/// Where the scenario is out of range.
pub fn check<K: Kernel>(scenario: &Scenario) -> Result<Checked, ScenarioError> {
    let config = Config::new(scenario.settings).map_err(|error| ScenarioError::new(error.to_string()))?;
    let strategy = || KernelStrategy::<K>::new(config, scenario.clock.drift_ppm, scenario.give_up_pct);
    let (tally, failed_ns) = {
        let mut world = World::new(scenario, strategy())?;
        let tally = world.run();
        if world.failed().is_none() {
            return Ok(Checked { tally, found: None });
        }
        (tally, world.now_ns())
    };
    let mut world = World::new(scenario, strategy())?.writing_down();
    world.run();
    let faults = world.happened().map(faults).unwrap_or_default();
    // Nothing after the violation matters.
    let shorter = Scenario { horizon_ms: failed_ns / 1_000_000 + 1_000, ..scenario.clone() };
    let planned = |faults: &[Fault]| Scenario { faults: Faults::Planned(plan(faults)), ..shorter.clone() };
    let run = |faults: &[Fault]| {
        let mut world = World::new(&planned(faults), strategy().recorded())?;
        world.run();
        let failed = world.failed();
        Ok::<_, ScenarioError>(
            failed.and_then(|failed| Some((*failed.violation()?, failed.recording()?.clone()))),
        )
    };
    let Some((first, _)) = run(&faults)? else {
        return Err(ScenarioError::new(format!(
            "scenario {}: its faults planned give another run",
            scenario.seed
        )));
    };
    let least = minimise(
        &faults,
        |fewer| matches!(run(fewer), Ok(Some((violation, _))) if violation.invariant == first.invariant),
    );
    let found = run(&least)?.map(|(violation, recording)| {
        Box::new(Found { number: scenario.seed, scenario: planned(&least), violation, recording })
    });
    Ok(Checked { tally, found })
}

/// A fault of either kind, so that all can be left out one by one.
#[derive(Debug, Clone, Copy)]
enum Fault {
    Mishap(u16, u32, Mishap),
    Trouble(u64, Trouble),
}

fn faults(plan: &Plan) -> Vec<Fault> {
    let mishaps = plan.mishaps.iter().map(|&(host, attempt, mishap)| Fault::Mishap(host, attempt, mishap));
    mishaps.chain(plan.troubles.iter().map(|&(at_ns, trouble)| Fault::Trouble(at_ns, trouble))).collect()
}

fn plan(faults: &[Fault]) -> Plan {
    let mut plan = Plan::default();
    for fault in faults {
        match *fault {
            Fault::Mishap(host, attempt, mishap) => plan.mishaps.push((host, attempt, mishap)),
            Fault::Trouble(at_ns, trouble) => plan.troubles.push((at_ns, trouble)),
        }
    }
    plan
}

/// How far a campaign has come. Plain data, so that it can be kept and gone on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// The number of the next scenario.
    pub next: u64,
    /// Lease time so far, in ms.
    pub lease_ms: u64,
    /// Kernel calls so far.
    pub events: u64,
}

/// Runs scenarios from `progress` on, on `threads` threads, until they come to `lease_ms` or a violation is found.
/// `watch` is told after each; it returns whether to go on. Scenarios below `progress.next` are then all done.
///
/// # Errors
/// Where a scenario is out of range.
pub fn run<K: Kernel, W: Fn(&Tally) -> bool + Sync>(
    progress: Progress,
    lease_ms: u64,
    threads: usize,
    watch: W,
) -> Result<(Progress, Tally, Option<Box<Found>>), ScenarioError> {
    let (next, ended) = (AtomicU64::new(progress.next), AtomicBool::new(false));
    let state = Mutex::new((progress, Tally::default(), None, None));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    let checked = check::<K>(&Scenario::numbered(next.fetch_add(1, Ordering::Relaxed)));
                    let mut state = state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    let (progress, tally, found, error) = &mut *state;
                    match checked {
                        Ok(checked) => {
                            tally.add(&checked.tally);
                            progress.events += checked.tally.events;
                            progress.lease_ms +=
                                u64::try_from(checked.tally.lease_ns / 1_000_000).unwrap_or(u64::MAX);
                            *found = found.take().or(checked.found);
                        }
                        Err(what) => *error = Some(what),
                    }
                    let enough = progress.lease_ms >= lease_ms || found.is_some() || error.is_some();
                    if !watch(tally) || enough {
                        ended.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let (mut progress, tally, found, error) =
        state.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some(error) = error {
        return Err(error);
    }
    progress.next = next.into_inner();
    Ok((progress, tally, found))
}

#[cfg(test)]
mod tests {
    use leasebeat::{Decision, Event, Heartbeat, Instant, Millis, Misuse};

    use super::*;
    use crate::InFleet;
    use crate::invariants::Invariant;

    /// A kernel whose fence is a second late once it has met a failure.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    struct Late(Heartbeat);

    impl Kernel for Late {
        fn new(config: Config) -> Self {
            Self(Heartbeat::new(config))
        }

        fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
            self.0.handle(event, now)
        }

        fn lead(&self, now: Instant) -> Millis {
            self.0.lead(now)
        }

        fn fence(&self) -> Option<Instant> {
            let late_ns = if self.0.stats().failures > 0 { 1_000_000_000 } else { 0 };
            self.0.fence().map(|fence| Instant::from_nanos(fence.as_nanos() + late_ns))
        }

        fn danger(&self) -> Option<Instant> {
            self.0.danger()
        }

        fn next_deadline(&self) -> Option<Instant> {
            self.0.next_deadline()
        }

        fn restored(&self, now: Instant) -> (Self, Decision) {
            let (restored, decision) = self.0.snapshot().restore(now);
            (Self(restored), decision)
        }
    }

    #[test]
    fn a_broken_kernel_is_found_and_one_fault_is_left_at_most() {
        // Every message of the profile goes wrong now and then; the lease is worked with for ever.
        let scenario = (0..600).map(Scenario::numbered).find(|scenario| {
            scenario.work_ms == 0
                && scenario.settings.extend_by_ms == 60_000
                && scenario.settings.request_timeout_ms == Some(10_000)
                && scenario.clock.quantum_ns == 0
                && scenario.fleet.iter().all(|policy| policy.remaining_ttl && policy.rate_limit.is_none())
                && matches!(scenario.faults, Faults::Drawn(rates) if rates.lost_requests > 1_000)
        });
        let scenario = scenario.expect("one of them");
        let found = check::<Late>(&scenario).expect("in range").found.expect("broken");
        assert_eq!(found.violation.invariant, Invariant::I1);
        let Faults::Planned(plan) = &found.scenario.faults else { panic!("planned") };
        assert!(plan.mishaps.len() + plan.troubles.len() <= 1, "{plan:?}");
        let again = found.recording.replay::<Late>().expect("the recording shows it");
        assert_eq!(again.0.invariant, Invariant::I1);
        assert!(check::<Heartbeat>(&scenario).expect("in range").found.is_none());
    }

    #[test]
    fn sixty_scenarios_hold_and_a_campaign_goes_on_where_it_was() {
        let hours = |hours: u64| hours * 3_600_000;
        let (progress, tally, found) =
            run::<Heartbeat, _>(Progress::default(), hours(6_000), 2, |_| true).expect("in range");
        assert!(found.is_none(), "{found:?}");
        assert!(progress.lease_ms >= hours(6_000) && progress.events == tally.events);
        let (later, ..) =
            run::<Heartbeat, _>(progress, progress.lease_ms + 1, 1, |_| true).expect("in range");
        assert_eq!(later.next, progress.next + 1);
    }

    #[test]
    fn a_lease_in_a_fleet_that_spreads_its_beats_holds_too() {
        let (mut spread, mut alone) = (Tally::default(), Tally::default());
        for number in 0..120 {
            let scenario = Scenario { horizon_ms: 10 * 3_600_000, ..Scenario::numbered(number) };
            let checked = check::<InFleet>(&scenario).expect("in range");
            assert!(checked.found.is_none(), "{:?}", checked.found);
            spread.add(&checked.tally);
            alone.add(&check::<Heartbeat>(&scenario).expect("in range").tally);
        }
        let per_mille = u128::from(spread.extensions) * alone.lease_ns * 1_000
            / (u128::from(alone.extensions) * spread.lease_ns);
        assert!((1_050..2_000).contains(&per_mille), "brought forward, at most twice as many: {per_mille}");
        assert!(spread.lapses <= alone.lapses * 11 / 10, "{} lapses, {} alone", spread.lapses, alone.lapses);
    }
}
