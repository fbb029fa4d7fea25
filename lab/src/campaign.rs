//! Campaigns: numbered scenarios, one after the other on every core, with every invariant checked at every event.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use leasebeat::Config;

use crate::Kernel;
use crate::invariants::Violation;
use crate::record::Recording;
use crate::scenario::{Plan, Scenario};
use crate::strategy::KernelStrategy;
use crate::world::{ScenarioError, Tally, World};

/// An invariant that did not hold, and how to see it again.
#[derive(Debug, Clone)]
pub struct Found {
    /// The scenario in which it did not.
    pub scenario: Scenario,
    /// What did not hold.
    pub violation: Violation,
    /// What had gone wrong until then: planned, it gives the same run.
    pub happened: Plan,
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

/// Runs `scenario` with kernels `K`, every call watched. A violation runs it once more, written down.
///
/// # Errors
/// Where the scenario is out of range.
pub fn check<K: Kernel>(scenario: &Scenario) -> Result<Checked, ScenarioError> {
    let config = Config::new(scenario.settings).map_err(|error| ScenarioError::new(error.to_string()))?;
    let strategy = || KernelStrategy::<K>::new(config, scenario.clock.drift_ppm, scenario.give_up_pct);
    let tally = {
        let mut world = World::new(scenario, strategy())?;
        let tally = world.run();
        if world.failed().is_none() {
            return Ok(Checked { tally, found: None });
        }
        tally
    };
    let mut world = World::new(scenario, strategy().recorded())?.writing_down();
    world.run();
    let found = world.failed().and_then(|failed| {
        Some(Box::new(Found {
            scenario: scenario.clone(),
            violation: *failed.violation()?,
            happened: world.happened()?.clone(),
            recording: failed.recording()?.clone(),
        }))
    });
    Ok(Checked { tally, found })
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
pub fn run<K: Kernel>(
    progress: Progress,
    lease_ms: u64,
    threads: usize,
    watch: impl Fn(&Tally) -> bool + Sync,
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
