//! What is explored: small worlds, each a policy of the server, a configuration of the kernel, and a clock.

use leasebeat::{Fallback, Settings};
use leasebeat_authority::Settings as Policy;

/// A small world.
#[derive(Debug, Clone, Copy)]
pub struct Scenario {
    /// What it is called.
    pub name: &'static str,
    /// The kernel's settings. The clock's quantum is in them, and the readings keep to it.
    pub settings: Settings,
    /// The server's policy.
    pub policy: Policy,
    /// The lease's length at its creation, in ms.
    pub ttl_ms: u64,
    /// Everything happens at multiples of this, in ns, or at a deadline of the kernel.
    pub grid_ns: u64,
    /// The exploration ends at this true time, in ns.
    pub horizon_ns: u64,
}

/// No whole number of milliseconds, so that every rounding counts.
const GRID_NS: u64 = 499_700_000;

/// The worlds of the exploration: each kind of server, and the configurations that choose other rules.
#[must_use]
pub fn all() -> Vec<Scenario> {
    let settings = Settings { request_timeout_ms: Some(1_000), ..Settings::new(6_000) };
    let policy = Policy::default();
    let additive = Scenario {
        name: "additive",
        settings,
        policy,
        ttl_ms: 6_000,
        grid_ns: GRID_NS,
        horizon_ns: 16 * GRID_NS,
    };
    let with = |name, policy| Scenario { name, policy, ..additive };
    let set = |name, settings| Scenario { name, settings, ..additive };
    vec![
        additive,
        with("grant clamp", Policy { grant_clamp_ms: Some(4_000), ..policy }),
        with("maximum lead", Policy { max_lead_ms: Some(6_000), ..policy }),
        with("both clamps", Policy { grant_clamp_ms: Some(4_000), max_lead_ms: Some(5_000), ..policy }),
        with("extension limit", Policy { max_extensions: Some(1), ..policy }),
        with("fieldless", Policy { remaining_ttl: false, ..policy }),
        with(
            "fieldless, clamped",
            Policy { remaining_ttl: false, max_lead_ms: Some(6_000), grant_clamp_ms: Some(2_000), ..policy },
        ),
        Scenario { ttl_ms: 3_000, ..set("too short", Settings { extend_by_ms: 1_000, ..settings }) },
        set("coarse clock", Settings { clock_resolution_ns: 250_000_000, ..settings }),
        set("capped waits", Settings { max_wait_ms: Some(700), ..settings }),
        set("unknown timeout", Settings { request_timeout_ms: None, ..settings }),
        with("refuses to guess", Policy { remaining_ttl: true, ..policy }).refusing(),
        Scenario {
            ttl_ms: 9_000,
            ..set(
                "slow network",
                Settings { request_timeout_ms: Some(2_000), extend_by_ms: 9_000, ..settings },
            )
        },
    ]
}

impl Scenario {
    /// The same, but ending at this point of its grid.
    #[must_use]
    pub fn until(self, grid_points: u64) -> Self {
        Self { horizon_ns: grid_points * self.grid_ns, ..self }
    }

    fn refusing(mut self) -> Self {
        self.settings.fallback = Fallback::Refuse;
        self
    }
}
