//! What is counted and measured.

use std::collections::BTreeMap;
use std::fmt;

use hdrhistogram::Histogram;
use leasebeat::fleet::Totals;
use leasebeat::{Failure, Instant, Outcome, StopReason};

use crate::job::Answer;

/// Counts since the start, and distributions of some span.
#[derive(Debug)]
pub struct Figures {
    /// Leases that were granted.
    pub created: u64,
    /// Extensions that were proved.
    pub extended: u64,
    /// Attempts that repeated a key.
    pub retries: u64,
    /// Attempts that failed, by what the network or the server said.
    pub failures: BTreeMap<String, u64>,
    /// How late an attempt was written, counted from when it was due, in µs.
    pub lateness_us: Histogram<u32>,
    /// From just before the write to when its answer was handled, in µs.
    pub rtt_us: Histogram<u32>,
}

impl Default for Figures {
    fn default() -> Self {
        // Two digits, up to a minute: 26 KiB each.
        let histogram = || Histogram::new_with_bounds(1, 60_000_000, 2).expect("the bounds make sense");
        Self {
            created: 0,
            extended: 0,
            retries: 0,
            failures: BTreeMap::new(),
            lateness_us: histogram(),
            rtt_us: histogram(),
        }
    }
}

impl Figures {
    /// An answer was handled at `now`.
    pub fn answered(&mut self, answer: &Answer, now: Instant) {
        self.lateness_us.saturating_record(micros(answer.due, answer.sent));
        match &answer.outcome {
            Outcome::Created(_) => self.created += 1,
            Outcome::Extended(_) => self.extended += 1,
            Outcome::Denied => *self.failures.entry("denied".to_owned()).or_default() += 1,
            Outcome::Failed(failure) => *self.failures.entry(name(failure)).or_default() += 1,
        }
        if !matches!(answer.outcome, Outcome::Failed(_)) {
            self.rtt_us.saturating_record(micros(answer.sent, now));
        }
    }

    /// The leases that a fleet gave up, by reason.
    #[must_use]
    pub fn stops(totals: &Totals) -> BTreeMap<String, u64> {
        let counts = StopReason::ALL.iter().map(|reason| (reason.to_string(), totals.stopped(*reason)));
        counts.filter(|(_, count)| *count > 0).collect()
    }

    /// Adds what was measured since, and leaves `self` with it; `since` is empty then.
    pub fn absorb(&mut self, since: &mut Self) {
        self.created += since.created;
        self.extended += since.extended;
        self.retries += since.retries;
        for (name, count) in std::mem::take(&mut since.failures) {
            *self.failures.entry(name).or_default() += count;
        }
        // Both have the same bounds.
        let _ = self.lateness_us.add(&since.lateness_us);
        let _ = self.rtt_us.add(&since.rtt_us);
        (since.created, since.extended, since.retries) = (0, 0, 0);
        since.lateness_us.reset();
        since.rtt_us.reset();
    }
}

fn name(failure: &Failure) -> String {
    match failure {
        Failure::Timeout => "timeout".to_owned(),
        Failure::Connection => "connection".to_owned(),
        Failure::Ambiguous => "ambiguous".to_owned(),
        Failure::Http(http) => http.status.to_string(),
    }
}

fn micros(from: Instant, to: Instant) -> u64 {
    to.checked_since(from).map_or(0, |span| u64::try_from(span.as_micros()).unwrap_or(u64::MAX))
}

/// A count by name, such as `503: 12, timeout: 3`.
#[derive(Debug)]
pub struct ByName<'a>(pub &'a BTreeMap<String, u64>);

impl fmt::Display for ByName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, count)) in self.0.iter().enumerate() {
            let comma = if place > 0 { ", " } else { "" };
            write!(f, "{comma}{name}: {count}")?;
        }
        if self.0.is_empty() { write!(f, "none") } else { Ok(()) }
    }
}
