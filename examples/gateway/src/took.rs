//! What keeping the leases took once all were there: for comparing.

use serde::{Deserialize, Serialize};

use crate::usage::Usage;

/// What keeping so many leases took, HTTP included.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Took {
    /// Who kept them.
    pub name: String,
    /// How many.
    pub leases: u32,
    /// How many extensions were made once all leases were there.
    pub beats: u64,
    /// What was resident of the process at the end, for each lease.
    pub resident_bytes_per_lease: u64,
    /// User and system time of the process, for each of those extensions.
    pub cpu_ns_per_beat: u64,
}

impl Took {
    /// Of this process: what it used since `then`, for so many `beats`.
    #[must_use]
    pub fn since(then: Usage, name: &str, leases: u32, beats: u64) -> Self {
        let now = Usage::of(std::process::id()).unwrap_or_default();
        let cpu_ns = u64::try_from(now.cpu.saturating_sub(then.cpu).as_nanos()).unwrap_or(u64::MAX);
        Self {
            name: name.to_owned(),
            leases,
            beats,
            resident_bytes_per_lease: now.resident / u64::from(leases.max(1)),
            cpu_ns_per_beat: cpu_ns / beats.max(1),
        }
    }

    /// A JSON object.
    #[must_use]
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
