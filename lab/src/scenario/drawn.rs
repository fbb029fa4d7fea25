//! Scenarios by number: a walk over every policy and every fault profile, everything else by chance.

use leasebeat::{Fallback, Settings};
use rand::RngExt;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Clock, FaultProfile, Faults, Latency, PolicyKind, Scenario, Timers};

/// How long each lasts.
const HORIZON_MS: u64 = 100 * 3_600_000;

impl Scenario {
    /// The scenario with this number. Sixty in a row have every policy with every fault profile; each lasts 100 hours of
    /// one to four leases.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        let policies = PolicyKind::ALL.len() as u64;
        let policy = pick(&PolicyKind::ALL, number % policies);
        let profile = pick(&FaultProfile::ALL, number / policies);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(number ^ 0x5eed_1ab0);
        let ttl_ms = one_of(&mut rng, &[5_000, 10_000, 30_000, 60_000, 60_000, 60_000, 300_000, 3_600_000]);
        let quantum_ns = one_of(&mut rng, &[0, 0, 0, 1, 1_000_000, 15_625_000, 100_000_000, 1_000_000_000]);
        Self {
            seed: number,
            hosts: rng.random_range(1..=4),
            settings: Settings {
                extend_by_ms: ttl_ms,
                request_timeout_ms: timeout(&mut rng, ttl_ms),
                clock_resolution_ns: quantum_ns,
                max_wait_ms: one_of(&mut rng, &[None, None, None, Some(2_147_483_647), Some(20_000)]),
                fallback: one_of(
                    &mut rng,
                    &[Fallback::Band, Fallback::Band, Fallback::Band, Fallback::Refuse],
                ),
            },
            give_up_pct: one_of(&mut rng, &[80, 80, 50, 95, 100, 0]),
            adopts: one_of(&mut rng, &[false, false, true]),
            work_ms: one_of(&mut rng, &[0, 600_000, 3_600_000, 36_000_000]),
            fleet: policy.fleet(ttl_ms),
            latency: one_of(&mut rng, &LATENCIES),
            clock: Clock { drift_ppm: one_of(&mut rng, &[0, 0, 20, 500]), quantum_ns },
            timers: one_of(&mut rng, &TIMERS),
            faults: Faults::Drawn(profile.rates()),
            horizon_ms: HORIZON_MS,
        }
    }
}

/// A rack, a region, a continent, and a bad mobile network.
const LATENCIES: [Latency; 4] = [
    Latency { median_us: 1_000, sigma_pct: 30, tail_per_mille: 1, most_ms: 60_000 },
    Latency { median_us: 40_000, sigma_pct: 40, tail_per_mille: 2, most_ms: 60_000 },
    Latency { median_us: 250_000, sigma_pct: 50, tail_per_mille: 5, most_ms: 60_000 },
    Latency { median_us: 600_000, sigma_pct: 100, tail_per_mille: 30, most_ms: 120_000 },
];

const TIMERS: [Timers; 4] = [
    Timers { late_us: 0, very_late_ms: 0, early_per_mille: 0 },
    Timers { late_us: 2_000, very_late_ms: 0, early_per_mille: 100 },
    Timers { late_us: 20_000, very_late_ms: 2_000, early_per_mille: 10 },
    Timers { late_us: 100_000, very_late_ms: 60_000, early_per_mille: 300 },
];

/// From generous to one that leaves no cadence, and none.
fn timeout(rng: &mut Xoshiro256PlusPlus, ttl_ms: u64) -> Option<u64> {
    match rng.random_range(0..20) {
        0 => None,
        1 => Some(ttl_ms * 2 / 3),
        2 => Some(ttl_ms / 2 - 1_000),
        3..7 => Some(ttl_ms / 3),
        7..12 => Some(ttl_ms / 10),
        _ => Some((ttl_ms / 6).min(10_000)),
    }
}

fn one_of<T: Copy>(rng: &mut Xoshiro256PlusPlus, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())]
}

fn pick<T: Copy>(choices: &[T], number: u64) -> T {
    choices[usize::try_from(number % choices.len() as u64).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_in_a_row_have_every_policy_with_every_profile() {
        let all: std::collections::BTreeSet<String> = (0..60)
            .map(|number| {
                let Scenario { fleet, faults, settings, .. } = Scenario::numbered(number);
                let ttl_ms = settings.extend_by_ms;
                let kind = PolicyKind::ALL.into_iter().find(|kind| kind.fleet(ttl_ms) == fleet);
                format!("{kind:?} {faults:?}")
            })
            .collect();
        assert_eq!(all.len(), 60);
        assert_eq!(Scenario::numbered(7), Scenario::numbered(7));
        assert!((0..2_000).all(|number| leasebeat::Config::new(Scenario::numbered(number).settings).is_ok()));
    }
}
