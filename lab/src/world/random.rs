//! Chance, reproducible: a stream for each concern, and a fate for each moment that does not depend on who asks.

use rand::Rng;
use rand::SeedableRng;
use rand_distr::{Distribution, LogNormal, Pareto};
use rand_xoshiro::{SplitMix64, Xoshiro256PlusPlus};

use crate::scenario::Latency;

/// What a stream is drawn for. Removing one concern's draws leaves the others' as they were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Concern {
    /// What befalls a message.
    Fate = 1,
    /// When outages, suspends and steps come.
    Timed = 2,
    /// How long work lasts, and how a strategy jitters.
    Host = 3,
    /// How late a timer fires.
    Timer = 4,
    /// Which server of a mixed fleet answers.
    Fleet = 5,
}

/// A sequence of numbers for one concern of one host.
pub(crate) type Stream = Xoshiro256PlusPlus;

/// The stream of `concern` for `index`.
pub(crate) fn stream(seed: u64, concern: Concern, index: u64) -> Stream {
    Stream::seed_from_u64(fate(seed, concern, index))
}

/// 64 random bits for `moment`: the same whoever asks, and however often.
#[inline]
pub(crate) fn fate(seed: u64, concern: Concern, moment: u64) -> u64 {
    // SplitMix64 steps a counter and mixes it, so that jumping to a moment is a multiplication.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
    let at = seed ^ (concern as u64).wrapping_mul(0xd1b5_4a32_d192_ed03);
    SplitMix64::from_seed(at.wrapping_add(moment.wrapping_mul(STEP)).to_le_bytes()).next_u64()
}

/// A delay whose distribution was tabulated: drawing from it is a look-up.
#[derive(Debug, Clone)]
pub(crate) struct Delays {
    nanos: Box<[u64]>,
}

impl Delays {
    const SIZE: usize = 1 << 12;

    /// `latency`, one way. Half of the body's median each way, and the tail in one direction or the other.
    pub(crate) fn one_way(latency: &Latency) -> Self {
        let mut rng = Stream::seed_from_u64(0x1ea5_eb3a);
        let median_us = f64::from(latency.median_us.max(1)) / 2.0;
        let body = LogNormal::new(median_us.ln(), f64::from(latency.sigma_pct) / 100.0).ok();
        let tail = Pareto::new(median_us * 10.0, 1.1).ok();
        let mut nanos = vec![0; Self::SIZE].into_boxed_slice();
        let tailed = Self::SIZE * usize::from(latency.tail_per_mille.min(1_000)) / 1_000;
        for (index, slot) in nanos.iter_mut().enumerate() {
            let micros = match (index < tailed, &body, &tail) {
                (true, _, Some(tail)) => tail.sample(&mut rng),
                (false, Some(body), _) => body.sample(&mut rng),
                _ => median_us,
            };
            *slot = whole(micros.min(f64::from(latency.most_ms) * 1_000.0)) * 1_000;
        }
        Self { nanos }
    }

    /// The delay that 32 random bits choose, in ns.
    #[inline]
    pub(crate) fn at(&self, bits: u32) -> u64 {
        // The lower bits blur the table: values within 0.1 ms of each other.
        self.nanos[bits as usize >> 20] + u64::from(bits & 0xffff)
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a float cast saturates, and NaN is 0
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fate_depends_on_seed_concern_and_moment_alone() {
        let one = fate(1, Concern::Fate, 7);
        assert_eq!(one, fate(1, Concern::Fate, 7));
        assert_ne!(one, fate(2, Concern::Fate, 7));
        assert_ne!(one, fate(1, Concern::Fleet, 7));
        assert_ne!(one, fate(1, Concern::Fate, 8));
    }

    #[test]
    fn latency_has_its_median_and_a_heavy_tail() {
        let latency = Latency { median_us: 40_000, sigma_pct: 50, tail_per_mille: 10, most_ms: 30_000 };
        let delays = Delays::one_way(&latency);
        let mut all: Vec<u64> = (0..Delays::SIZE).map(|index| delays.nanos[index]).collect();
        all.sort_unstable();
        let (median, p999) = (all[Delays::SIZE / 2], all[Delays::SIZE * 999 / 1_000]);
        assert!((18_000_000..22_000_000).contains(&median), "{median}");
        assert!(p999 > 10 * median, "{p999}");
        assert!(all[Delays::SIZE - 1] <= 30_000_000_000);
    }
}
