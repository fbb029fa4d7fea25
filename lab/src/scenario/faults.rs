//! What goes wrong: drawn by rates, or planned one by one.

use serde::{Deserialize, Serialize};

/// Where faults come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Faults {
    /// By chance. A moment's fate is the same whoever sends in it, so that strategies face the same faults.
    Drawn(Rates),
    /// Exactly these: what a shrunk run is left with.
    Planned(Plan),
}

/// How often what goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rates {
    /// Attempts in a million whose request is lost: nothing is applied and nothing answered.
    pub lost_requests: u32,
    /// Attempts in a million that are applied and whose answer is lost.
    pub lost_answers: u32,
    /// Attempts in a million whose connection is reset before the server has seen them.
    pub resets: u32,
    /// Attempts in a million whose connection is reset after the server has applied them.
    pub resets_after: u32,
    /// Attempts in a million that are answered up to 60 s late.
    pub late_answers: u32,
    /// Attempts in a million that are applied and answered with a body that proves nothing.
    pub malformed: u32,
    /// Attempts in a million that are answered 503, half of them after having been applied.
    pub unavailable: u32,
    /// Attempts in a million that are answered 429: with a Retry-After of 0 to 8 s, or without one.
    pub throttled: u32,
    /// Partitions in 1,000 hours; their lengths have a heavy tail.
    pub partitions: u32,
    /// A partition's typical length, in ms.
    pub partition_ms: u32,
    /// Times of 503, in 1,000 hours.
    pub brownouts: u32,
    /// Times of 429, in 1,000 hours.
    pub throttlings: u32,
    /// Suspends of a host, in 1,000 hours, on a clock that counts sleep: nobody tells the kernel.
    pub suspends: u32,
    /// Suspends on a clock that does not count sleep, with the host told on resume.
    pub told_suspends: u32,
    /// The same with nobody told: what no guarantee survives.
    pub untold_suspends: u32,
    /// Times the clock steps back, in 1,000 hours.
    pub steps_back: u32,
}

/// Faults one by one.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// What befalls which attempt: host, the number of its attempt from 1 (counted over all its leases), in that order.
    pub mishaps: Vec<(u16, u32, Mishap)>,
    /// What comes when, in ns of true time, in that order.
    pub troubles: Vec<(u64, Trouble)>,
}

/// What befalls one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mishap {
    /// Its request is lost.
    LostRequest,
    /// Its answer is lost.
    LostAnswer,
    /// Its connection is reset, before or after it was applied.
    Reset {
        /// After.
        applied: bool,
    },
    /// Its answer is so much later, in ms.
    Late {
        /// By how much.
        by_ms: u32,
    },
    /// It is applied and answered with a body that proves nothing.
    Malformed,
    /// It is answered 503.
    Unavailable {
        /// It is applied nevertheless.
        applied: bool,
    },
    /// It is answered 429.
    Throttled {
        /// With so many seconds; or without a Retry-After.
        retry_after_s: Option<u32>,
    },
}

/// What happens to the world or to a host for a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// No message passes.
    Partition {
        /// For so long, in ms.
        ms: u64,
    },
    /// The server answers 503.
    Brownout {
        /// For so long, in ms.
        ms: u64,
    },
    /// The server answers 429.
    Throttling {
        /// For so long, in ms.
        ms: u64,
        /// With so many seconds; or without a Retry-After.
        retry_after_s: Option<u32>,
    },
    /// A host sleeps.
    Suspend {
        /// Which.
        host: u16,
        /// For so long, in ms.
        ms: u64,
        /// Its clock counts the sleep.
        counted: bool,
        /// It is told of it on resume.
        told: bool,
    },
    /// A host's clock steps back.
    StepBack {
        /// Which.
        host: u16,
        /// By so much, in µs.
        us: u64,
    },
}

/// The kinds of mishaps, in the order of [`Rates::mishaps`].
pub(crate) const MISHAPS: usize = 8;
/// The kinds of troubles, in the order of [`Rates::troubles`].
pub(crate) const TROUBLES: usize = 7;

impl Rates {
    /// Per million attempts.
    pub(crate) fn mishaps(&self) -> [u32; MISHAPS] {
        [
            self.lost_requests,
            self.lost_answers,
            self.resets,
            self.resets_after,
            self.late_answers,
            self.malformed,
            self.unavailable,
            self.throttled,
        ]
    }

    /// Per 1,000 hours.
    pub(crate) fn troubles(&self) -> [u32; TROUBLES] {
        [
            self.partitions,
            self.brownouts,
            self.throttlings,
            self.suspends,
            self.told_suspends,
            self.untold_suspends,
            self.steps_back,
        ]
    }
}
