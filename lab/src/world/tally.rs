//! What a run came to: sums and greatest values, so that a run of any length costs the same memory.

use serde::Serialize;

use crate::scenario::{Mishap, Trouble};

/// How often what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[allow(missing_docs)] // each is named after the mishap or trouble it counts
pub struct Counts {
    pub lost_requests: u64,
    pub lost_answers: u64,
    pub resets: u64,
    pub late_answers: u64,
    pub malformed: u64,
    pub unavailable: u64,
    pub throttled: u64,
    pub partitions: u64,
    pub brownouts: u64,
    pub throttlings: u64,
    pub suspends: u64,
    pub told_suspends: u64,
    pub untold_suspends: u64,
    pub steps_back: u64,
    /// Messages that a partition swallowed.
    pub cut_off: u64,
    /// Answers that came after another request had been sent.
    pub stale: u64,
    /// Timers that fired early.
    pub early: u64,
    /// Messages that were dropped because a host had too many under way.
    pub crowded: u64,
}

/// What a run came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// How long leases were held or wanted, in ns.
    pub lease_ns: u128,
    /// Calls of the strategy.
    pub events: u64,
    /// Leases that were granted.
    pub leases: u64,
    /// Leases that were not granted.
    pub not_granted: u64,
    /// Leases whose work was done in time.
    pub done: u64,
    /// Leases that ended because the server grants no more.
    pub refused: u64,
    /// Leases that ran out, or were given up, while the work still wanted them.
    pub lapses: u64,
    /// Those of them that the strategy did not know of when it happened.
    pub unnoticed: u64,
    /// How long it believed to hold what it did not, in ns, and the longest.
    pub unknowing_ns: u64,
    /// The longest of these.
    pub unknowing_max_ns: u64,
    /// Requests sent, creates included.
    pub requests: u64,
    /// Extensions that the server applied.
    pub extensions: u64,
    /// Partitions, brownouts and throttlings that met a lease.
    pub outages: u64,
    /// Requests sent during them.
    pub outage_requests: u64,
    /// What went wrong.
    pub counts: Counts,
}

impl Tally {
    /// Adds another run.
    pub fn add(&mut self, other: &Self) {
        let Self {
            lease_ns,
            events,
            leases,
            not_granted,
            done,
            refused,
            lapses,
            unnoticed,
            unknowing_ns,
            unknowing_max_ns,
            requests,
            extensions,
            outages,
            outage_requests,
            counts,
        } = other;
        self.lease_ns += lease_ns;
        self.unknowing_max_ns = self.unknowing_max_ns.max(*unknowing_max_ns);
        for (sum, more) in [
            (&mut self.events, events),
            (&mut self.leases, leases),
            (&mut self.not_granted, not_granted),
            (&mut self.done, done),
            (&mut self.refused, refused),
            (&mut self.lapses, lapses),
            (&mut self.unnoticed, unnoticed),
            (&mut self.unknowing_ns, unknowing_ns),
            (&mut self.requests, requests),
            (&mut self.extensions, extensions),
            (&mut self.outages, outages),
            (&mut self.outage_requests, outage_requests),
        ] {
            *sum += more;
        }
        self.counts.add(counts);
    }

    /// Lease-hours.
    #[must_use]
    pub fn lease_hours(&self) -> f64 {
        float(self.lease_ns) / 3.6e12
    }

    /// Lapses in a million lease-hours.
    #[must_use]
    pub fn lapses_per_million_hours(&self) -> f64 {
        self.per_hour(self.lapses) * 1e6
    }

    /// Lapses in a million lease-hours that the strategy did not know of when they happened.
    #[must_use]
    pub fn unnoticed_per_million_hours(&self) -> f64 {
        self.per_hour(self.unnoticed) * 1e6
    }

    /// Seconds in a million lease-hours for which it held nothing and did not know.
    #[must_use]
    pub fn unknowing_s_per_million_hours(&self) -> f64 {
        self.per_hour(self.unknowing_ns) / 1e3
    }

    /// Extensions applied in a lease-hour.
    #[must_use]
    pub fn extensions_per_hour(&self) -> f64 {
        self.per_hour(self.extensions)
    }

    /// Requests sent in an outage.
    #[must_use]
    pub fn requests_per_outage(&self) -> f64 {
        ratio(u128::from(self.outage_requests), u128::from(self.outages))
    }

    /// From the loss of a lease to the moment the strategy stops believing in it, on average over all lapses, in s.
    #[must_use]
    pub fn notice_s(&self) -> f64 {
        ratio(u128::from(self.unknowing_ns), u128::from(self.lapses)) / 1e9
    }

    fn per_hour(&self, count: u64) -> f64 {
        let hours = self.lease_hours();
        if hours > 0.0 { float(u128::from(count)) / hours } else { 0.0 }
    }
}

impl Counts {
    pub(super) fn mishap(&mut self, mishap: Mishap) {
        *match mishap {
            Mishap::LostRequest => &mut self.lost_requests,
            Mishap::LostAnswer => &mut self.lost_answers,
            Mishap::Reset { .. } => &mut self.resets,
            Mishap::Late { .. } => &mut self.late_answers,
            Mishap::Malformed => &mut self.malformed,
            Mishap::Unavailable { .. } => &mut self.unavailable,
            Mishap::Throttled { .. } => &mut self.throttled,
        } += 1;
    }

    pub(super) fn trouble(&mut self, trouble: Trouble) {
        *match trouble {
            Trouble::Partition { .. } => &mut self.partitions,
            Trouble::Brownout { .. } => &mut self.brownouts,
            Trouble::Throttling { .. } => &mut self.throttlings,
            Trouble::Suspend { told: true, .. } => &mut self.told_suspends,
            Trouble::Suspend { counted: true, .. } => &mut self.suspends,
            Trouble::Suspend { .. } => &mut self.untold_suspends,
            Trouble::StepBack { .. } => &mut self.steps_back,
        } += 1;
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in self.each().into_iter().zip(other.values()) {
            *sum += more;
        }
    }

    fn each(&mut self) -> [&mut u64; 18] {
        let Self {
            lost_requests,
            lost_answers,
            resets,
            late_answers,
            malformed,
            unavailable,
            throttled,
            partitions,
            brownouts,
            throttlings,
            suspends,
            told_suspends,
            untold_suspends,
            steps_back,
            cut_off,
            stale,
            early,
            crowded,
        } = self;
        [
            lost_requests,
            lost_answers,
            resets,
            late_answers,
            malformed,
            unavailable,
            throttled,
            partitions,
            brownouts,
            throttlings,
            suspends,
            told_suspends,
            untold_suspends,
            steps_back,
            cut_off,
            stale,
            early,
            crowded,
        ]
    }

    fn values(mut self) -> [u64; 18] {
        self.each().map(|count| *count)
    }
}

#[allow(clippy::cast_precision_loss)] // for people to read
fn float(value: u128) -> f64 {
    value as f64
}

fn ratio(part: u128, whole: u128) -> f64 {
    if whole > 0 { float(part) / float(whole) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_worked_out_per_hour_and_per_outage() {
        let hours = 3_600_000_000_000;
        let tally = Tally {
            lease_ns: 2 * hours,
            lapses: 4,
            unnoticed: 1,
            unknowing_ns: 6_000_000_000,
            extensions: 200,
            outages: 4,
            outage_requests: 10,
            ..Tally::default()
        };
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        near(tally.lapses_per_million_hours(), 2e6);
        near(tally.unnoticed_per_million_hours(), 5e5);
        near(tally.unknowing_s_per_million_hours(), 3e6);
        near(tally.extensions_per_hour(), 100.0);
        near(tally.requests_per_outage(), 2.5);
        near(tally.notice_s(), 1.5);
        near(Tally::default().notice_s(), 0.0);
        let mut sum = tally;
        sum.add(&tally);
        assert_eq!((sum.lapses, sum.lease_ns, sum.outage_requests), (8, 4 * hours, 20));
    }
}
