//! Where faults come from at a run's time: drawn from rates, or read from a plan.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, Exp1, Pareto};

use super::random::{Concern, Stream, fate, stream};
use crate::scenario::{Faults, MISHAPS, Mishap, Plan, Rates, TROUBLES, Trouble};

const NEVER: u64 = u64::MAX;
const HOUR_NS: f64 = 3.6e12;

/// Mishaps of attempts.
#[derive(Debug, Clone)]
pub(super) enum Mishaps {
    /// The thresholds of 32 random bits below which each kind is drawn.
    Drawn([u64; MISHAPS]),
    Planned(Vec<(u16, u32, Mishap)>),
}

impl Mishaps {
    pub(super) fn new(faults: &Faults) -> Self {
        match faults {
            Faults::Drawn(rates) => {
                let mut sum = 0;
                Self::Drawn(rates.mishaps().map(|per_million| {
                    sum += (u64::from(per_million) << 32) / 1_000_000;
                    sum
                }))
            }
            Faults::Planned(plan) => {
                let mut mishaps = plan.mishaps.clone();
                mishaps.sort_by_key(|(host, attempt, _)| (*host, *attempt));
                Self::Planned(mishaps)
            }
        }
    }

    /// What befalls a host's attempt, `bits` being the moment's chance.
    #[inline]
    pub(super) fn of(&self, host: u16, attempt: u32, bits: u64) -> Option<Mishap> {
        match self {
            Self::Drawn(thresholds) => {
                let low = bits & 0xffff_ffff;
                if low >= thresholds[MISHAPS - 1] { None } else { Some(drawn(thresholds, low, bits)) }
            }
            Self::Planned(mishaps) => {
                let found =
                    mishaps.binary_search_by_key(&(host, attempt), |(host, attempt, _)| (*host, *attempt));
                found.ok().map(|index| mishaps[index].2)
            }
        }
    }
}

#[cold]
#[allow(clippy::cast_possible_truncation)] // small remainders
fn drawn(thresholds: &[u64; MISHAPS], low: u64, bits: u64) -> Mishap {
    let more = fate(bits, Concern::Fate, 0);
    let (half, eighth) = (more & 1 == 0, (more >> 8) % 10);
    match thresholds.iter().position(|threshold| low < *threshold) {
        Some(0) => Mishap::LostRequest,
        Some(1) => Mishap::LostAnswer,
        Some(2) => Mishap::Reset { applied: false },
        Some(3) => Mishap::Reset { applied: true },
        Some(4) => Mishap::Late { by_ms: 1 + ((more >> 16) % 60_000) as u32 },
        Some(5) => Mishap::Malformed,
        Some(6) => Mishap::Unavailable { applied: half },
        _ => Mishap::Throttled { retry_after_s: Some(eighth as u32).filter(|seconds| *seconds < 9) },
    }
}

/// Troubles of the world and its hosts, one after the other.
#[derive(Debug)]
pub(super) enum Troubles {
    Drawn(Box<Drawing>),
    Planned { plan: Vec<(u64, Trouble)>, next: usize },
}

/// For each kind a stream of its own, so that its times do not depend on the others.
#[derive(Debug)]
pub(super) struct Drawing {
    next: [u64; TROUBLES],
    gap_ns: [f64; TROUBLES],
    streams: [Stream; TROUBLES],
    rates: Rates,
    hosts: u16,
}

impl Troubles {
    pub(super) fn new(faults: &Faults, seed: u64, hosts: u16) -> Self {
        match faults {
            Faults::Planned(Plan { troubles, .. }) => {
                let mut plan = troubles.clone();
                plan.sort_by_key(|(at, _)| *at);
                Self::Planned { plan, next: 0 }
            }
            Faults::Drawn(rates) => {
                let mut drawing = Drawing {
                    next: [NEVER; TROUBLES],
                    gap_ns: rates.troubles().map(|per| HOUR_NS * 1_000.0 / f64::from(per)),
                    streams: std::array::from_fn(|kind| stream(seed, Concern::Timed, kind as u64)),
                    rates: *rates,
                    hosts,
                };
                for kind in 0..TROUBLES {
                    drawing.schedule(kind, 0);
                }
                Self::Drawn(Box::new(drawing))
            }
        }
    }

    /// When the next one comes.
    pub(super) fn next_ns(&self) -> u64 {
        match self {
            Self::Drawn(drawing) => drawing.next.iter().copied().min().unwrap_or(NEVER),
            Self::Planned { plan, next } => plan.get(*next).map_or(NEVER, |(at, _)| *at),
        }
    }

    /// The next one, which has come.
    pub(super) fn take(&mut self) -> Option<Trouble> {
        match self {
            Self::Drawn(drawing) => {
                let kind = (0..TROUBLES).min_by_key(|kind| drawing.next[*kind])?;
                let trouble = drawing.draw(kind);
                drawing.schedule(kind, drawing.next[kind]);
                Some(trouble)
            }
            Self::Planned { plan, next } => {
                let trouble = plan.get(*next).map(|(_, trouble)| *trouble);
                *next += 1;
                trouble
            }
        }
    }
}

impl Drawing {
    fn schedule(&mut self, kind: usize, from_ns: u64) {
        if self.gap_ns[kind].is_finite() {
            let unit: f64 = Exp1.sample(&mut self.streams[kind]);
            self.next[kind] = from_ns.saturating_add(whole(unit * self.gap_ns[kind]).max(1));
        }
    }

    fn draw(&mut self, kind: usize) -> Trouble {
        let (rates, hosts) = (self.rates, u64::from(self.hosts.max(1)));
        let rng = &mut self.streams[kind];
        // Most are short, some are long: a Pareto distribution, cut at an hour.
        let tail: f64 = Pareto::new(1.0, 1.2).map_or(1.0, |pareto| pareto.sample(rng));
        let length = |typical_ms: u32| whole(f64::from(typical_ms) * 0.5 * tail).clamp(1, 3_600_000);
        #[allow(clippy::cast_possible_truncation)] // below the number of hosts
        let host = (rng.next_u64() % hosts) as u16;
        match kind {
            0 => Trouble::Partition { ms: length(rates.partition_ms) },
            1 => Trouble::Brownout { ms: length(8_000) },
            2 => {
                let retry_after_s = Some(rng.random_range(0..11)).filter(|seconds| *seconds < 9);
                Trouble::Throttling { ms: length(8_000), retry_after_s }
            }
            3 => Trouble::Suspend { host, ms: length(30_000), counted: true, told: false },
            4 => Trouble::Suspend { host, ms: length(30_000), counted: false, told: true },
            5 => Trouble::Suspend { host, ms: length(30_000), counted: false, told: false },
            // From a fraction of a millisecond, which is read as no step (T5), to minutes.
            _ => Trouble::StepBack { host, us: length(400).saturating_mul(1 + rng.random_range(0..200u64)) },
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a float cast saturates
fn whole(value: f64) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mishaps_come_as_often_as_their_rates_say() {
        let rates = Rates { lost_answers: 50_000, throttled: 20_000, ..Rates::default() };
        let mishaps = Mishaps::new(&Faults::Drawn(rates));
        let (mut lost, mut throttled) = (0, 0);
        for moment in 0..100_000 {
            match mishaps.of(0, 1, fate(3, Concern::Fate, moment)) {
                Some(Mishap::LostAnswer) => lost += 1,
                Some(Mishap::Throttled { .. }) => throttled += 1,
                Some(other) => panic!("{other:?}"),
                None => {}
            }
        }
        assert!((4_700..5_300).contains(&lost), "{lost}");
        assert!((1_800..2_200).contains(&throttled), "{throttled}");
    }

    #[test]
    fn troubles_come_as_often_as_their_rates_say_and_in_order() {
        let rates = Rates { partitions: 2_000, partition_ms: 1_000, suspends: 1_000, ..Rates::default() };
        let mut troubles = Troubles::new(&Faults::Drawn(rates), 5, 3);
        let (mut at, mut partitions, mut suspends) = (0, 0, 0);
        while troubles.next_ns() < 3_600_000_000_000 * 1_000 {
            assert!(troubles.next_ns() >= at);
            at = troubles.next_ns();
            match troubles.take() {
                Some(Trouble::Partition { .. }) => partitions += 1,
                Some(Trouble::Suspend { host, counted: true, .. }) => {
                    assert!(host < 3);
                    suspends += 1;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!((1_800..2_200).contains(&partitions), "{partitions}");
        assert!((850..1_150).contains(&suspends), "{suspends}");
    }

    #[test]
    fn a_plan_is_followed_whatever_order_it_is_written_in() {
        let plan = Plan {
            mishaps: vec![(1, 2, Mishap::Malformed), (0, 7, Mishap::LostAnswer)],
            troubles: vec![(9, Trouble::Brownout { ms: 1 }), (5, Trouble::Partition { ms: 2 })],
        };
        let faults = Faults::Planned(plan);
        let mishaps = Mishaps::new(&faults);
        assert_eq!(mishaps.of(0, 7, 0), Some(Mishap::LostAnswer));
        assert_eq!(mishaps.of(1, 2, 0), Some(Mishap::Malformed));
        assert_eq!(mishaps.of(1, 7, 0), None);
        let mut troubles = Troubles::new(&faults, 0, 1);
        assert_eq!((troubles.next_ns(), troubles.take()), (5, Some(Trouble::Partition { ms: 2 })));
        assert_eq!((troubles.next_ns(), troubles.take()), (9, Some(Trouble::Brownout { ms: 1 })));
        assert_eq!((troubles.next_ns(), troubles.take()), (NEVER, None));
    }
}
