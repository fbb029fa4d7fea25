//! Strategies compared: the same worlds, the same seeds, the same faults.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Serialize;

use crate::scenario::{Clock, FaultProfile, Faults, Latency, Plan, PolicyKind, Scenario, Timers, Trouble};
use crate::strategy::StrategyKind;
use crate::world::{Concern, ScenarioError, Tally, fate};

/// How long one run lasts, in hours: a comparison is made of so many runs as it needs, each with a seed of its own.
const RUN_HOURS: u64 = 500;
/// Outages that each length of a sweep is tried with, half an hour apart.
const TRIALS: u64 = 400;
/// The lengths of a sweep, in s.
const LENGTHS_S: [u64; 26] =
    [0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 66, 72, 80, 90];

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setup {
    /// The first seed.
    pub seed: u64,
    /// The TTL, in ms.
    pub ttl_ms: u64,
    /// The request timeout, in ms.
    pub request_timeout_ms: u64,
    /// The server's policy.
    pub policy: PolicyKind,
    /// What goes wrong.
    pub faults: FaultProfile,
    /// Hours of each strategy.
    pub hours: u64,
    /// The strategies.
    pub strategies: Vec<StrategyKind>,
}

/// A strategy and what its runs came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Which.
    pub strategy: StrategyKind,
    /// All its runs together.
    pub tally: Tally,
}

/// A strategy's answers to outages of growing length.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// Which.
    pub strategy: StrategyKind,
    /// One for each length.
    pub points: Vec<Point>,
}

/// What outages of one length came to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Point {
    /// The length, in s.
    pub outage_s: u64,
    /// The share of them that cost a lease: 0 to 1.
    pub lost: f64,
    /// For how long on average a lease that was gone was believed to be held, in s, over all outages.
    pub unknowing_s: f64,
    /// Requests sent in one, on average.
    pub requests: f64,
}

impl Setup {
    /// The scenario of the run with this number.
    #[must_use]
    pub fn scenario(&self, run: u64) -> Scenario {
        let hours = RUN_HOURS.min(self.hours.saturating_sub(run * RUN_HOURS));
        Scenario {
            work_ms: 10 * 3_600_000,
            latency: Latency { median_us: 40_000, sigma_pct: 40, tail_per_mille: 2, most_ms: 60_000 },
            clock: Clock { drift_ppm: 100, quantum_ns: 0 },
            timers: Timers { late_us: 2_000, very_late_ms: 500, early_per_mille: 10 },
            faults: Faults::Drawn(self.faults.rates()),
            horizon_ms: hours * 3_600_000,
            ..Scenario::calm(self.seed.wrapping_add(run), self.ttl_ms, self.request_timeout_ms, self.policy)
        }
    }

    /// How many runs there are of each strategy.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.hours.div_ceil(RUN_HOURS)
    }

    /// Runs all strategies through all runs, on all cores; `done` is told of each run that is done.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    pub fn compare(&self, threads: usize, done: impl Fn() + Sync) -> Result<Vec<Row>, ScenarioError> {
        let jobs: Vec<_> =
            self.strategies.iter().flat_map(|kind| (0..self.runs()).map(move |run| (*kind, run))).collect();
        let tallies = parallel(&jobs, threads, |(kind, run)| {
            let tally = kind.run(&self.scenario(*run));
            done();
            tally
        })?;
        Ok(self
            .strategies
            .iter()
            .map(|strategy| {
                let mut tally = Tally::default();
                jobs.iter().zip(&tallies).filter(|((kind, _), _)| kind == strategy).for_each(|(_, one)| {
                    tally.add(one);
                });
                Row { strategy: *strategy, tally }
            })
            .collect())
    }

    /// A calm world with 400 outages of `outage_s` seconds, each met at another moment.
    #[must_use]
    pub fn outages(&self, outage_s: u64) -> Scenario {
        let spacing_ns = 1_800_000_000_000;
        let troubles = (1..=TRIALS)
            .map(|trial| {
                let phase_ns = fate(self.seed, Concern::Timed, trial) % 300_000_000_000;
                (trial * spacing_ns + phase_ns, Trouble::Partition { ms: outage_s * 1_000 })
            })
            .filter(|_| outage_s > 0)
            .collect();
        Scenario {
            faults: Faults::Planned(Plan { mishaps: Vec::new(), troubles }),
            horizon_ms: (TRIALS + 2) * 1_800_000,
            ..Scenario::calm(self.seed, self.ttl_ms, self.request_timeout_ms, self.policy)
        }
    }

    /// What outages of growing length cost each strategy.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    pub fn sweep(&self, threads: usize, done: impl Fn() + Sync) -> Result<Vec<Curve>, ScenarioError> {
        let jobs: Vec<_> =
            self.strategies.iter().flat_map(|kind| LENGTHS_S.map(|length| (*kind, length))).collect();
        let points = parallel(&jobs, threads, |(kind, length)| {
            let tally = kind.run(&self.outages(*length))?;
            done();
            Ok(point(*length, &tally))
        })?;
        Ok(self
            .strategies
            .iter()
            .map(|strategy| {
                let own = jobs.iter().zip(&points).filter(|((kind, _), _)| kind == strategy);
                Curve { strategy: *strategy, points: own.map(|(_, point)| *point).collect() }
            })
            .collect())
    }

    /// How many steps [`Self::sweep`] tells of.
    #[must_use]
    pub fn sweep_steps(&self) -> usize {
        self.strategies.len() * LENGTHS_S.len()
    }
}

#[allow(clippy::cast_precision_loss)] // for a picture
fn point(outage_s: u64, tally: &Tally) -> Point {
    let trials = TRIALS as f64;
    Point {
        outage_s,
        lost: (tally.lapses as f64 / trials).min(1.0),
        unknowing_s: tally.unknowing_ns as f64 / 1e9 / trials,
        requests: tally.outage_requests as f64 / trials,
    }
}

/// Does `jobs` on so many threads; results in the order of the jobs.
pub(crate) fn parallel<J: Sync, R: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> Result<R, ScenarioError> + Sync,
) -> Result<Vec<R>, ScenarioError> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                while let Some((index, job)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(index).map(|job| (index, job))
                } {
                    let result = work(job);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup() -> Setup {
        Setup {
            seed: 1,
            ttl_ms: 60_000,
            request_timeout_ms: 10_000,
            policy: PolicyKind::MaxLead,
            faults: FaultProfile::Rough,
            hours: 1_200,
            strategies: StrategyKind::ALL.to_vec(),
        }
    }

    #[test]
    fn a_comparison_is_the_same_on_any_number_of_threads() {
        let setup = setup();
        assert_eq!(setup.compare(1, || {}), setup.compare(3, || {}));
        assert_eq!((setup.runs(), setup.scenario(2).horizon_ms), (3, 200 * 3_600_000));
    }

    #[test]
    fn every_strategy_meets_the_same_troubles() {
        let rows = setup().compare(2, || {}).expect("in range");
        let troubles = |row: &Row| {
            let counts = row.tally.counts;
            (counts.partitions, counts.brownouts, counts.throttlings, counts.suspends, counts.steps_back)
        };
        let first = troubles(&rows[0]);
        assert!(first.0 > 300 && first.1 > 100 && first.2 > 50 && first.3 > 20 && first.4 > 20, "{first:?}");
        assert!(rows.iter().all(|row| troubles(row) == first));
    }

    #[test]
    fn leasebeat_survives_outages_shorter_than_an_attempt_and_never_holds_unknowingly() {
        let curves = setup().sweep(2, || {}).expect("in range");
        let leasebeat = &curves[0];
        assert_eq!(leasebeat.strategy, StrategyKind::Leasebeat);
        for point in &leasebeat.points {
            assert!(point.outage_s >= 10 || point.lost == 0.0, "{point:?}");
            assert!(point.outage_s < 60 || point.lost > 0.9, "{point:?}");
            assert!(point.unknowing_s == 0.0, "{point:?}");
        }
        // What lets outages by does so by holding what is gone.
        let blind = curves.iter().find(|curve| curve.strategy == StrategyKind::Blind).expect("compared");
        assert!(blind.points.iter().any(|point| point.unknowing_s > 1.0), "{blind:?}");
    }
}
