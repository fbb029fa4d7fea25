//! The strategies by name, and running a scenario with one of them.

use leasebeat::{Config, Heartbeat, Millis};
use serde::{Deserialize, Serialize};

use super::{Alternate, Blind, Etcd, KernelStrategy, Kubernetes, Redlock, Vault};
use crate::scenario::Scenario;
use crate::world::{ScenarioError, Tally, World};

/// The strategies that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StrategyKind {
    /// leasebeat, with a server that says what remains.
    Leasebeat,
    /// leasebeat on the same server, were it one that does not say it.
    LeasebeatFallback,
    /// Every TTL/2, blindly.
    Blind,
    /// Every second TTL/2.
    Alternate,
    /// etcd's KeepAlive.
    Etcd,
    /// Kubernetes leader election.
    Kubernetes,
    /// Vault's lifetime watcher.
    Vault,
    /// node-redlock's `using`.
    Redlock,
}

impl StrategyKind {
    /// Every one, in the order of tables and legends.
    pub const ALL: [Self; 8] = [
        Self::Leasebeat,
        Self::LeasebeatFallback,
        Self::Blind,
        Self::Alternate,
        Self::Etcd,
        Self::Kubernetes,
        Self::Vault,
        Self::Redlock,
    ];

    /// Its name on the command line and in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leasebeat => "leasebeat",
            Self::LeasebeatFallback => "leasebeat-fallback",
            Self::Blind => "blind-half-ttl",
            Self::Alternate => "alternate-beat",
            Self::Etcd => "etcd",
            Self::Kubernetes => "kubernetes",
            Self::Vault => "vault",
            Self::Redlock => "redlock",
        }
    }

    /// Runs `scenario` with this strategy on every host.
    ///
    /// # Errors
    /// Where the scenario is out of range.
    ///
    /// # Panics
    /// Where an invariant of the kernel does not hold: a comparison with a broken kernel is none.
    pub fn run(self, scenario: &Scenario) -> Result<Tally, ScenarioError> {
        let ttl = Millis::new(scenario.settings.extend_by_ms);
        // What has no request timeout of its own is given the kernel's.
        let timeout = Millis::new(scenario.settings.request_timeout_ms.unwrap_or(10_000));
        let seed = scenario.seed;
        match self {
            Self::Leasebeat => kernel(scenario),
            Self::LeasebeatFallback => {
                let mut fieldless = scenario.clone();
                for policy in &mut fieldless.fleet {
                    policy.remaining_ttl = false;
                }
                kernel(&fieldless)
            }
            Self::Blind => Ok(World::new(scenario, Blind::new(ttl))?.run()),
            Self::Alternate => Ok(World::new(scenario, Alternate::new(ttl))?.run()),
            Self::Etcd => Ok(World::new(scenario, Etcd::new(ttl))?.run()),
            Self::Kubernetes => Ok(World::new(scenario, Kubernetes::new(ttl))?.run()),
            Self::Vault => Ok(World::new(scenario, Vault::new(ttl, timeout, seed))?.run()),
            Self::Redlock => Ok(World::new(scenario, Redlock::new(ttl, timeout, seed))?.run()),
        }
    }
}

fn kernel(scenario: &Scenario) -> Result<Tally, ScenarioError> {
    let config = Config::new(scenario.settings).map_err(|error| ScenarioError::new(error.to_string()))?;
    let strategy: KernelStrategy<Heartbeat> =
        KernelStrategy::new(config, scenario.clock.drift_ppm, scenario.give_up_pct);
    let mut world = World::new(scenario, strategy)?;
    let tally = world.run();
    if let Some(violation) = world.failed().and_then(KernelStrategy::violation) {
        panic!("seed {}: {violation}", scenario.seed);
    }
    Ok(tally)
}
