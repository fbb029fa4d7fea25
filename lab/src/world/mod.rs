//! The world: a discrete-event simulation in virtual time of hosts with their clocks, a network, and the real authority.
//!
//! Everything is decided by the [`Scenario`]; memory does not grow with the length of a run.

mod chance;
mod clock;
mod host;
mod leases;
mod network;
mod random;
mod server;
mod tally;
mod troubles;

#[cfg(test)]
mod tests;

pub use clock::HostClock;
pub use tally::{Counts, Tally};

use std::fmt;

use leasebeat_authority::{PolicyError, ReservationId};
use rand::RngExt;

use crate::scenario::{Plan, Scenario};
use crate::strategy::{Step, Strategy};
use chance::{Mishaps, Troubles};
use host::{Due, FLIGHTS, Host, Lease, NEVER, Phase};
pub(crate) use random::{Concern, fate};
use random::{Delays, stream};
use server::Server;

const MS: u64 = 1_000_000;

/// A scenario that cannot be run, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError(String);

impl ScenarioError {
    pub(crate) fn new(what: String) -> Self {
        Self(what)
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ScenarioError {}

impl From<PolicyError> for ScenarioError {
    fn from(error: PolicyError) -> Self {
        Self(error.to_string())
    }
}

/// A run of a scenario, with one strategy on every host.
#[derive(Debug)]
pub struct World<S> {
    scenario: Scenario,
    prototype: S,
    server: Server,
    hosts: Vec<Host<S>>,
    delays: Delays,
    mishaps: Mishaps,
    troubles: Troubles,
    next_trouble_ns: u64,
    cut_until_ns: u64,
    brownout_until_ns: u64,
    throttled_until_ns: u64,
    throttled_for: Option<u32>,
    now_ns: u64,
    horizon_ns: u64,
    tally: Tally,
    happened: Option<Plan>,
}

impl<S: Strategy> World<S> {
    /// A world at true time 0 in which every host keeps its leases as `prototype` does.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    pub fn new(scenario: &Scenario, prototype: S) -> Result<Self, ScenarioError> {
        let range = |what: &str, value: u64, range: std::ops::RangeInclusive<u64>| {
            if range.contains(&value) {
                return Ok(());
            }
            let (least, most) = range.into_inner();
            Err(ScenarioError(format!("{what} is {value}; it must be from {least} to {most}")))
        };
        range("hosts", scenario.hosts.into(), 1..=64)?;
        range("horizon_ms", scenario.horizon_ms, 0..=1_000_000_000_000)?;
        range("clock.drift_ppm", scenario.clock.drift_ppm.into(), 0..=100_000)?;
        if scenario.fleet.is_empty() {
            return Err(ScenarioError("fleet is empty; it must name a server or more".to_owned()));
        }
        let server = Server::new(&scenario.fleet, scenario.hosts.into())?;
        let troubles = Troubles::new(&scenario.faults, scenario.seed, scenario.hosts);
        let mut world = Self {
            server,
            hosts: Vec::new(),
            delays: Delays::one_way(&scenario.latency),
            mishaps: Mishaps::new(&scenario.faults),
            next_trouble_ns: troubles.next_ns(),
            troubles,
            cut_until_ns: 0,
            brownout_until_ns: 0,
            throttled_until_ns: 0,
            throttled_for: None,
            now_ns: 0,
            horizon_ns: scenario.horizon_ms * MS,
            tally: Tally::default(),
            happened: None,
            scenario: scenario.clone(),
            prototype,
        };
        world.hosts = (0..scenario.hosts).map(|host| world.host(host)).collect();
        Ok(world)
    }

    /// The same, and what goes wrong is written down: [`Self::happened`] planned again gives the same run.
    #[must_use]
    pub fn writing_down(mut self) -> Self {
        self.happened = Some(Plan::default());
        self
    }

    /// What went wrong so far, where it is written down.
    #[must_use]
    pub fn happened(&self) -> Option<&Plan> {
        self.happened.as_ref()
    }

    /// The strategy of a host, in the state it is in.
    #[must_use]
    pub fn strategy(&self, host: usize) -> Option<&S> {
        self.hosts.get(host).map(|host| &host.strategy)
    }

    /// The strategy whose invariant did not hold, if there is one.
    #[must_use]
    pub fn failed(&self) -> Option<&S> {
        self.hosts.iter().map(|host| &host.strategy).find(|strategy| strategy.has_failed())
    }

    /// True time, in ns.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// What it came to so far.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Runs to the scenario's horizon, or to the first invariant that does not hold.
    pub fn run(&mut self) -> Tally {
        while self.step() {}
        self.tally
    }

    /// Runs the next event; whether there is another.
    #[inline]
    pub fn step(&mut self) -> bool {
        let mut next = (self.next_trouble_ns, usize::MAX);
        for (index, host) in self.hosts.iter().enumerate() {
            if host.next_ns < next.0 {
                next = (host.next_ns, index);
            }
        }
        if next.0 >= self.horizon_ns {
            if self.now_ns < self.horizon_ns {
                self.now_ns = self.horizon_ns;
                self.conclude();
            }
            return false;
        }
        self.now_ns = next.0;
        if next.1 == usize::MAX {
            self.trouble();
            return true;
        }
        self.event(next.1);
        !self.hosts[next.1].strategy.has_failed()
    }

    /// What is due for a host.
    #[inline]
    fn event(&mut self, index: usize) {
        let host = &mut self.hosts[index];
        match host.due().1 {
            Due::Resume => {
                host.to_be_told = false;
                if host.phase == Phase::Creating {
                    // It does not know how long its create took: it begins again.
                    self.rest(index);
                }
                self.call(index, S::timing_lost);
            }
            Due::Flight(flight) => self.arrive(index, flight),
            Due::Done => self.done(index),
            Due::Timer if host.phase == Phase::Between => self.begin(index),
            Due::Timer => {
                host.wake_ns = NEVER;
                self.call(index, S::tick);
            }
        }
        let host = &mut self.hosts[index];
        host.next_ns = host.due().0;
    }

    /// Calls the strategy of a working host, and does what it wants.
    #[inline]
    fn call(
        &mut self,
        index: usize,
        call: impl FnOnce(&mut S, leasebeat::Instant, &crate::invariants::Truth) -> Step,
    ) {
        let host = &mut self.hosts[index];
        if host.phase != Phase::Working {
            return;
        }
        if self.now_ns >= host.lease.expires_ns {
            count_unknowing(host, self.now_ns);
        }
        let (now, truth) = (host.clock.read(self.now_ns), host.truth(self.now_ns));
        self.tally.events += 1;
        let step = call(&mut host.strategy, now, &truth);
        self.follow(index, &step);
    }

    #[inline]
    fn follow(&mut self, index: usize, step: &Step) {
        if let Some(end) = step.end {
            self.ended(index, end);
            return;
        }
        self.set_timer(index, step.wake);
        if let Some(send) = &step.send {
            self.send(index, send);
        }
    }

    #[inline]
    fn set_timer(&mut self, index: usize, wake: Option<leasebeat::Instant>) {
        let Scenario { seed, timers, .. } = &self.scenario;
        let host = &mut self.hosts[index];
        let Some(wake) = wake else {
            host.wake_ns = NEVER;
            return;
        };
        let due_ns = host.clock.when(wake, self.now_ns);
        if timers.late_us == 0 && timers.very_late_ms == 0 && timers.early_per_mille == 0 {
            host.wake_ns = due_ns;
            return;
        }
        // By both ends: a timer that fired early and is set again has another fate.
        let bits = fate(*seed, Concern::Timer, due_ns ^ self.now_ns.rotate_left(20) ^ ((index as u64) << 56));
        let mut late_ns = ((bits & 0xffff_ffff) * u64::from(timers.late_us) * 1_000) >> 32;
        if (bits >> 32).trailing_zeros() >= 10 {
            late_ns += ((bits & 0xffff_ffff) * u64::from(timers.very_late_ms)) / 4_295;
        }
        host.wake_ns = due_ns.saturating_add(late_ns);
        let span = due_ns - self.now_ns;
        if (bits >> 42) & 0x3ff < u64::from(timers.early_per_mille) && span > 1 {
            self.tally.counts.early += 1;
            host.wake_ns = due_ns - ((bits >> 52) * 5_000).min(span - 1);
        }
    }

    fn host(&self, index: u16) -> Host<S> {
        let Scenario { seed, clock, .. } = &self.scenario;
        let mut random = stream(*seed, Concern::Host, index.into());
        let most = i32::try_from(clock.drift_ppm).unwrap_or(0);
        // Hosts differ: from all of the drift, one way or the other, to none.
        let drift_ppm = match random.random_range(0..4) {
            0 => most,
            1 => -most,
            _ => random.random_range(-most..=most),
        };
        Host {
            strategy: self.prototype.fresh(0),
            clock: HostClock::new(drift_ppm, clock.quantum_ns),
            phase: Phase::Between,
            lease: Lease {
                reservation: ReservationId(0),
                since_ns: None,
                expires_ns: NEVER,
                done_ns: NEVER,
                counted_to_ns: 0,
                unknowing_ns: 0,
            },
            leases: 0,
            attempts: 0,
            last_id: 0,
            // Not all at the same instant.
            wake_ns: u64::from(index) * 1_234_567_891,
            flights: Vec::with_capacity(FLIGHTS),
            asleep_from_ns: 0,
            asleep_until_ns: 0,
            to_be_told: false,
            next_ns: u64::from(index) * 1_234_567_891,
            random,
        }
    }
}

/// Counts for how long the strategy has believed, since the lease ended, that it holds it.
#[cold]
fn count_unknowing<S: Strategy>(host: &mut Host<S>, now_ns: u64) {
    let from_ns = host.lease.counted_to_ns.max(host.lease.expires_ns);
    let believed_to_ns = match host.strategy.held() {
        crate::strategy::Held::No => from_ns,
        crate::strategy::Held::UntilItEnds => now_ns,
        crate::strategy::Held::Until(reading) => {
            // Its clock may have been past that already when the lease ended.
            if host.clock.read(from_ns.min(now_ns)) > reading {
                from_ns
            } else {
                host.clock.when(reading, from_ns).min(now_ns)
            }
        }
    };
    // Asleep it believes nothing, as it does nothing.
    let span = |from_ns: u64, to_ns: u64| to_ns.saturating_sub(from_ns);
    let asleep_ns = span(host.asleep_from_ns.max(from_ns), host.asleep_until_ns.min(believed_to_ns));
    host.lease.unknowing_ns += span(from_ns, believed_to_ns).saturating_sub(asleep_ns);
    host.lease.counted_to_ns = now_ns;
}
