//! The least that makes a strategy lapse: so many lost messages in a row, an outage so long.

use leasebeat::{Config, Heartbeat};
use serde::Serialize;

use crate::compare::{Setup, parallel};
use crate::record::Recording;
use crate::scenario::{Faults, Latency, Mishap, Plan, Scenario, Timers, Trouble};
use crate::strategy::{KernelStrategy, StrategyKind};
use crate::world::{ScenarioError, World};

/// Trouble comes after so long, in ms: every strategy has settled by then.
const SETTLED_MS: u64 = 900_000;
/// Moments at which an outage is tried, so many ms apart, over two TTLs.
const STEP_MS: u64 = 500;
/// The longest outage tried, in TTLs.
const OUTAGE_TTLS: u64 = 3;
/// To so many ms the least outage is found.
const PRECISION_MS: u64 = 50;
/// Requests in a row that are lost at most.
const LOST_MAX: u32 = 200;

/// The least that makes one strategy lapse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Least {
    /// Which.
    pub strategy: StrategyKind,
    /// So many requests in a row, lost on the way there; `None`: more than 200.
    pub lost_requests: Option<u32>,
    /// So many answers in a row, lost on the way back.
    pub lost_answers: Option<u32>,
    /// The shortest partition.
    pub outage: Option<Outage>,
}

/// A partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Outage {
    /// When it begins, in ms of true time.
    pub at_ms: u64,
    /// How long it lasts, in ms.
    pub length_ms: u64,
}

impl Setup {
    /// Searches the least of each strategy.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    pub fn find_lapses(&self, threads: usize, done: impl Fn() + Sync) -> Result<Vec<Least>, ScenarioError> {
        parallel(&self.strategies, threads, |strategy| {
            let least = Least {
                strategy: *strategy,
                lost_requests: self.least_lost(*strategy, Mishap::LostRequest)?,
                lost_answers: self.least_lost(*strategy, Mishap::LostAnswer)?,
                outage: self.least_outage(*strategy)?,
            };
            done();
            Ok(least)
        })
    }

    fn least_lost(&self, strategy: StrategyKind, mishap: Mishap) -> Result<Option<u32>, ScenarioError> {
        // Counted from an attempt that every strategy makes once it has settled.
        let from = 12;
        let lapses = |lost: u32| {
            let mishaps = (from..from + lost).map(|attempt| (0, attempt, mishap)).collect();
            strategy.run(&self.quiet(Plan { mishaps, troubles: Vec::new() })).map(|tally| tally.lapses > 0)
        };
        if !lapses(LOST_MAX)? {
            return Ok(None);
        }
        first(0, LOST_MAX.into(), 1, |lost| lapses(u32::try_from(lost).unwrap_or(LOST_MAX)))
            .map(|lost| u32::try_from(lost).ok())
    }

    fn least_outage(&self, strategy: StrategyKind) -> Result<Option<Outage>, ScenarioError> {
        let mut least: Option<Outage> = None;
        for step in 0..2 * self.ttl_ms / STEP_MS {
            let at_ms = SETTLED_MS + step * STEP_MS;
            let lapses = |length_ms| {
                strategy.run(&self.outage(Outage { at_ms, length_ms })).map(|tally| tally.lapses > 0)
            };
            // Only a shorter one than the shortest so far matters, and most moments have none.
            let most_ms =
                least.map_or(OUTAGE_TTLS * self.ttl_ms, |least| least.length_ms.saturating_sub(PRECISION_MS));
            if lapses(most_ms)? {
                let length_ms = first(0, most_ms, PRECISION_MS, lapses)?;
                least = Some(Outage { at_ms, length_ms });
            }
        }
        Ok(least)
    }

    /// A quiet world in which every message takes the same time and timers are up to 2 ms late, with one outage.
    #[must_use]
    pub fn outage(&self, outage: Outage) -> Scenario {
        let trouble = (outage.at_ms * 1_000_000, Trouble::Partition { ms: outage.length_ms });
        let troubles = if outage.length_ms > 0 { vec![trouble] } else { Vec::new() };
        self.quiet(Plan { mishaps: Vec::new(), troubles })
    }

    fn quiet(&self, plan: Plan) -> Scenario {
        let calm = Scenario::calm(self.seed, self.ttl_ms, self.request_timeout_ms, self.policy);
        Scenario {
            latency: Latency { sigma_pct: 0, ..calm.latency },
            // No host fires to the nanosecond; a blind timer that did would just make it.
            timers: Timers { late_us: 2_000, ..calm.timers },
            faults: Faults::Planned(plan),
            // Long enough for the slowest to have settled, met the trouble, and got over it.
            horizon_ms: SETTLED_MS + 20 * self.ttl_ms,
            ..calm
        }
    }

    /// What leasebeat is told in an outage, from the creation of its lease on, and whether it lapsed.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    pub fn witness(&self, outage: Outage) -> Result<(Recording, bool), ScenarioError> {
        let scenario = self.outage(outage);
        let config = Config::new(scenario.settings).map_err(|error| ScenarioError::new(error.to_string()))?;
        let strategy = KernelStrategy::<Heartbeat>::new(config, 0, scenario.give_up_pct).recorded();
        let mut world = World::new(&scenario, strategy)?;
        let mut recording = None;
        // A lapse ends the lease, and another begins with a recording of its own.
        while world.step() {
            if world.tally().lapses == 0 {
                recording = world.strategy(0).and_then(|strategy| strategy.recording().cloned());
            } else {
                recording = world.strategy(0).and_then(|strategy| strategy.recording().cloned());
                break;
            }
        }
        let recording = recording.ok_or_else(|| ScenarioError::new("nothing happened".to_owned()))?;
        Ok((recording, world.tally().lapses > 0))
    }
}

/// The first value above `low` for which `holds`, to `precision`; it holds for `high`, and for all above one for which it
/// does.
fn first(
    mut low: u64,
    mut high: u64,
    precision: u64,
    holds: impl Fn(u64) -> Result<bool, ScenarioError>,
) -> Result<u64, ScenarioError> {
    if holds(low)? {
        return Ok(low);
    }
    while high - low > precision {
        let middle = low + (high - low) / 2;
        if holds(middle)? { high = middle } else { low = middle }
    }
    Ok(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{FaultProfile, PolicyKind};

    fn setup(request_timeout_ms: u64) -> Setup {
        Setup {
            seed: 1,
            ttl_ms: 60_000,
            request_timeout_ms,
            policy: PolicyKind::MaxLead,
            faults: FaultProfile::None,
            hours: 0,
            strategies: vec![StrategyKind::Leasebeat, StrategyKind::Blind],
        }
    }

    #[test]
    fn leasebeat_lapses_at_the_second_failure_in_a_row_and_in_no_outage_shorter_than_its_timeout() {
        for timeout_ms in [2_000, 10_000, 20_000] {
            let least = setup(timeout_ms).find_lapses(2, || {}).expect("in range");
            assert_eq!((least[0].lost_requests, least[0].lost_answers), (Some(2), Some(2)), "{timeout_ms}");
            let outage = least[0].outage.expect("a long one does");
            assert!(
                (timeout_ms..=timeout_ms + STEP_MS + PRECISION_MS).contains(&outage.length_ms),
                "{timeout_ms} {outage:?}"
            );
            let (_, lapsed) = setup(timeout_ms).witness(outage).expect("in range");
            assert!(lapsed);
            let shorter = Outage { length_ms: outage.length_ms - PRECISION_MS, ..outage };
            let (recording, lapsed) = setup(timeout_ms).witness(shorter).expect("in range");
            assert!(!lapsed && recording.replay::<Heartbeat>().is_none());
        }
    }

    #[test]
    fn a_blind_timer_lapses_at_one_lost_request() {
        let least = setup(10_000).find_lapses(2, || {}).expect("in range");
        assert_eq!(least[1].lost_requests, Some(1));
        assert!(least[1].outage.expect("any does").length_ms < 200, "{least:?}");
    }
}
