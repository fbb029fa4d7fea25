//! Fault rates by name.

use serde::{Deserialize, Serialize};

use super::Rates;

/// How rough the world is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultProfile {
    /// Nothing goes wrong.
    None,
    /// A data centre on a good day.
    Mild,
    /// Messages are lost, late, throttled and malformed.
    Messages,
    /// Partitions and brownouts with heavy tails.
    Outages,
    /// Suspends and clocks that step back.
    Clocks,
    /// All of it.
    Rough,
}

impl FaultProfile {
    /// Every one.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Mild, Self::Messages, Self::Outages, Self::Clocks, Self::Rough];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Mild => "mild",
            Self::Messages => "messages",
            Self::Outages => "outages",
            Self::Clocks => "clocks",
            Self::Rough => "rough",
        }
    }

    /// How often what goes wrong. What no guarantee survives, a sleep that nobody counts or tells of, is in none of them.
    #[must_use]
    pub fn rates(self) -> Rates {
        let none = Rates::default();
        let messages = Rates {
            lost_requests: 4_000,
            lost_answers: 4_000,
            resets: 2_000,
            resets_after: 2_000,
            late_answers: 2_000,
            malformed: 1_000,
            unavailable: 3_000,
            throttled: 2_000,
            ..none
        };
        let outages =
            Rates { partitions: 500, partition_ms: 5_000, brownouts: 200, throttlings: 100, ..none };
        let clocks = Rates { suspends: 50, told_suspends: 50, steps_back: 50, ..none };
        match self {
            Self::None => none,
            Self::Mild => Rates {
                lost_requests: 100,
                lost_answers: 100,
                resets: 100,
                unavailable: 200,
                partitions: 20,
                partition_ms: 2_000,
                ..none
            },
            Self::Messages => messages,
            Self::Outages => outages,
            Self::Clocks => clocks,
            Self::Rough => Rates {
                partitions: outages.partitions,
                partition_ms: outages.partition_ms,
                brownouts: outages.brownouts,
                throttlings: outages.throttlings,
                suspends: clocks.suspends,
                told_suspends: clocks.told_suspends,
                steps_back: clocks.steps_back,
                ..messages
            },
        }
    }
}
