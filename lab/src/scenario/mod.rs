//! A scenario: everything that decides a run, as plain data. The same scenario gives the same run, to the byte.

mod drawn;
mod faults;
mod policy;
mod profile;

pub use faults::{Faults, Mishap, Plan, Rates, Trouble};
pub(crate) use faults::{MISHAPS, TROUBLES};
pub use policy::{PolicyKind, ServerPolicy};
pub use profile::FaultProfile;

use leasebeat::Settings;
use serde::{Deserialize, Serialize};

/// What a run is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// All chance comes from here.
    pub seed: u64,
    /// How many hosts, each with one lease at a time, share the server and the tenant: 1 to 64.
    pub hosts: u16,
    /// What every kernel is set to. Its `extend_by_ms` is the TTL that creates ask for, too.
    pub settings: Settings,
    /// At which part of the request timeout a host gives an attempt up, in %; 0 leaves that to the kernel (L3).
    pub give_up_pct: u8,
    /// The host creates the reservation itself, on a quiet network, and hands it in (L1).
    pub adopts: bool,
    /// How long the work lasts on average, in ms; 0 is for ever. It is exponentially distributed.
    pub work_ms: u64,
    /// The servers of the fleet; each request is answered by one of them, chosen by chance. At least one.
    pub fleet: Vec<ServerPolicy>,
    /// How long a message takes.
    pub latency: Latency,
    /// The hosts' clocks.
    pub clock: Clock,
    /// The hosts' timers.
    pub timers: Timers,
    /// What goes wrong.
    pub faults: Faults,
    /// When the run ends, in ms of true time: at most 10¹².
    pub horizon_ms: u64,
}

/// A round trip, half of it each way: log-normal, with a Pareto tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// The median round trip, in µs.
    pub median_us: u32,
    /// The standard deviation of its logarithm, in hundredths.
    pub sigma_pct: u16,
    /// How many messages in a thousand come from the tail, which begins at ten times the median and has exponent 1.1.
    pub tail_per_mille: u16,
    /// No message takes longer, in ms.
    pub most_ms: u32,
}

/// A host's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Each host's clock is off by so many parts in a million at most, in one direction or the other: 0 to 100,000.
    pub drift_ppm: u32,
    /// The step in which it counts, in ns; 0 and 1 are exact. The settings' `clock_resolution_ns` should say so.
    pub quantum_ns: u64,
}

/// How a host's timers fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timers {
    /// Every timer fires up to so much late, in µs.
    pub late_us: u32,
    /// One in a thousand of them fires up to so much late, in ms.
    pub very_late_ms: u32,
    /// How many in a thousand fire early, by up to 20 ms.
    pub early_per_mille: u16,
}

impl Scenario {
    /// One host on a good network with nothing going wrong: TTL and timeout in ms.
    #[must_use]
    pub fn calm(seed: u64, ttl_ms: u64, request_timeout_ms: u64, kind: PolicyKind) -> Self {
        Self {
            seed,
            hosts: 1,
            settings: Settings { request_timeout_ms: Some(request_timeout_ms), ..Settings::new(ttl_ms) },
            give_up_pct: 80,
            adopts: true,
            work_ms: 0,
            fleet: kind.fleet(ttl_ms),
            latency: Latency { median_us: 40_000, sigma_pct: 40, tail_per_mille: 0, most_ms: 60_000 },
            clock: Clock { drift_ppm: 0, quantum_ns: 0 },
            timers: Timers { late_us: 0, very_late_ms: 0, early_per_mille: 0 },
            faults: Faults::Planned(Plan::default()),
            horizon_ms: 3_600_000,
        }
    }
}
