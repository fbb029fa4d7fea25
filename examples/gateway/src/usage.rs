//! What a process takes of the machine, as Linux says.

use std::time::Duration;

/// Of one process, since its start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Of its processors.
    pub cpu: Duration,
    /// Of its memory, in bytes: what is resident.
    pub resident: u64,
}

impl Usage {
    /// Of the process with this id; nothing where it has ended.
    #[must_use]
    pub fn of(process: u32) -> Option<Self> {
        let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name in parentheses may hold spaces; of what follows, the 12th and 13th are user and system time in ticks,
        // and the 22nd is pages.
        let fields: Vec<u64> =
            text.rsplit_once(')')?.1.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect();
        let ticks = fields.get(11)? + fields.get(12)?;
        let resident = fields.get(21)? * u64::try_from(rustix::param::page_size()).ok()?;
        let tick_ns = 1_000_000_000 / rustix::param::clock_ticks_per_second().max(1);
        Some(Self { cpu: Duration::from_nanos(ticks * tick_ns), resident })
    }
}
