//! How the demo ended.

use std::fmt::{Display, Formatter, Result as Written};
use std::path::PathBuf;

use leasebeat::{Millis, StopReason};

use super::options::Args;
use super::tally::Tally;
use crate::units::seconds;

/// The end of the demo, for a person and for the exit code.
#[derive(Debug)]
pub(super) struct Summary {
    tally: Tally,
    stop: StopReason,
    interrupted: bool,
    svg: PathBuf,
    record: Option<PathBuf>,
}

impl Summary {
    pub(super) fn new(args: &Args, tally: Tally, stop: StopReason, interrupted: bool) -> Self {
        Self { tally, stop, interrupted, svg: args.svg.clone(), record: args.record.clone() }
    }

    fn lapses(&self) -> u32 {
        u32::from(self.tally.lapsed)
    }

    fn unmet(&self) -> Vec<&'static str> {
        self.tally.faults().into_iter().filter(|(_, met)| !met).map(|(fault, _)| fault.name()).collect()
    }

    /// Whether the lease was kept, and what the demo promised was shown.
    pub(super) fn verdict(&self) -> Result<(), String> {
        if self.tally.lapsed {
            return Err("the lease lapsed".to_owned());
        }
        if self.stop != StopReason::Closed {
            let last = self.tally.last_failure.as_deref();
            let last = last.map_or_else(String::new, |last| format!("; last: {last}"));
            return Err(format!("the lease was not kept: the kernel stopped with {}{last}", self.stop));
        }
        if let Some(overclaim) = &self.tally.overclaim {
            return Err(format!("the kernel claimed too much: {overclaim}"));
        }
        let unmet = self.unmet();
        if unmet.is_empty() || self.interrupted {
            return Ok(());
        }
        Err(format!(
            "not every fault could be shown: {} never happened; give it more time with --for",
            unmet.join(", ")
        ))
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        let stats = self.tally.stats();
        let end = Millis::new(self.tally.end.as_nanos() / 1_000_000);
        let how = if self.interrupted { "closed early, as asked" } else { "closed at its end" };
        let how =
            if self.stop == StopReason::Closed { how.to_owned() } else { format!("stopped: {}", self.stop) };
        writeln!(f, "{} after {}", capitalized(&how), seconds(end))?;
        // The create is neither a beat nor a retry.
        let beats = stats.attempts.saturating_sub(stats.retries).saturating_sub(1);
        row(f, "beats", &beats, "extensions sent with a fresh key")?;
        row(f, "retries", &stats.retries, "attempts that repeated a key")?;
        let applied = self.tally.truth().map_or_else(String::new, |(applied, _)| {
            let once = if applied <= u64::from(beats) { ", one a beat: no retry counted twice" } else { "" };
            format!("proved by an answer; the server applied {applied}{once}")
        });
        row(f, "extensions used", &stats.extensions, &applied)?;
        let truth = self.tally.truth().map_or_else(String::new, |(_, closest_ms)| {
            format!("proved; the server never held less than {}", seconds(Millis::new(closest_ms)))
        });
        let lead = self.tally.smallest_lead.map_or_else(|| "none".to_owned(), seconds);
        row(f, "smallest lead", &lead, &truth)?;
        self.write_faults(f)?;
        row(f, "lapses", &self.lapses(), "")?;
        write!(f, "  timeline: {}", self.svg.display())?;
        match &self.record {
            Some(trace) => {
                write!(f, "\n  trace: {0}, decided again by: leasebeat replay {0}", trace.display())
            }
            None => Ok(()),
        }
    }
}

impl Summary {
    fn write_faults(&self, f: &mut Formatter<'_>) -> Written {
        let faults = self.tally.faults();
        if faults.is_empty() {
            return row(f, "failures met", &self.tally.stats().failures, "");
        }
        let met: Vec<_> = faults.iter().filter(|(_, met)| *met).map(|(fault, _)| fault.name()).collect();
        row(f, "faults met", &format!("{} of {}", met.len(), faults.len()), &met.join(", "))?;
        let unmet = self.unmet();
        if unmet.is_empty() {
            return Ok(());
        }
        row(f, "faults not met", &unmet.len(), &unmet.join(", "))
    }
}

fn row(f: &mut Formatter<'_>, name: &str, value: &dyn Display, note: &str) -> Written {
    let line = format!("  {name:<16}{:>8}   {note}", value.to_string());
    writeln!(f, "{}", line.trim_end())
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
