//! What a kernel was told in a run, with the truth beside it: enough to run it again, to make it smaller, and to write it as a trace.

use std::io::{self, Write};

use leasebeat::{Config, Event, Instant};
use leasebeat_trace::{write_event, write_header};

use crate::Kernel;
use crate::invariants::{Monitor, Truth, Violation};

/// One call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// Told what.
    pub event: Event,
    /// At which reading.
    pub now: Instant,
    /// What was true then.
    pub truth: Truth,
    /// Said to the monitor before it: [`Monitor::distrust`].
    pub distrust_ns: Option<u64>,
}

/// All calls of one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// What the kernel was made with.
    pub config: Config,
    /// The drift of its clock.
    pub drift_ppm: u32,
    /// What it was told.
    pub told: Vec<Told>,
}

impl Recording {
    /// Runs it again on a new kernel: the violation and after how many calls, if there is one.
    #[must_use]
    pub fn replay<K: Kernel>(&self) -> Option<(Violation, usize)> {
        let mut kernel = K::new(self.config);
        let mut monitor = Monitor::new(&self.config, self.drift_ppm).at_every_call();
        self.told.iter().enumerate().find_map(|(index, told)| {
            if let Some(at_ns) = told.distrust_ns {
                monitor.distrust(at_ns);
            }
            let broken = monitor.call(&mut kernel, told.event, told.now, &told.truth).err()?;
            Some((broken, index + 1))
        })
    }

    /// Writes it as a trace that `leasebeat replay` reads. What was true is not part of a trace; `note` is free text.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_trace(&self, out: &mut impl Write, note: &str) -> io::Result<()> {
        write_header(out, &self.config, note)?;
        self.told.iter().try_for_each(|told| write_event(out, told.now, &told.event))
    }
}
