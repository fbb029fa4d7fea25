//! What happened to a lease, collected in bounded memory and drawn as a picture.

mod draw;
mod legend;
mod marks;
mod symbol;
mod thin;

use std::io;
use std::path::Path;

use leasebeat::{
    Action, Decision, Event, Failure, Heartbeat, Instant, Key, Millis, Misuse, Numbers, Operation, Outcome,
    StopReason,
};

use crate::words;
use marks::{Mark, Marks};
use thin::{Envelope, Point, Sample};

/// Points of the lead's line that are kept: a few for each pixel of the picture.
const LINE_MAX: usize = 4_000;
/// Marks of each kind that are kept.
const MARKS_MAX: usize = 500;
/// Steps of the danger level that are kept. It only grows, and soon stops growing.
const LEVELS_MAX: usize = 500;
/// A picture of at most so many failures names each, and one of at most so many renewals draws each fence.
const DETAIL_MAX: usize = 24;

/// Collects what a kernel was told and what it decided.
///
/// However long the trace, it keeps a few thousand points: the line of the lead is thinned so that its
/// highs and lows stay, and marks are thinned evenly. Counts stay exact.
#[derive(Debug)]
pub(crate) struct Timeline {
    origin: Option<Instant>,
    /// The kernel after the last event, and when that was.
    last: Option<(Instant, Heartbeat)>,
    /// The earliest and the latest instant, in seconds.
    span: Option<(f64, f64)>,
    line: Envelope,
    marks: Marks,
    /// From when on the danger level had which height, in seconds.
    levels: Sample,
    /// The height it has now.
    level: Option<Millis>,
    /// Where leases were renewed, and the lead that was left: they would have ended that much later.
    fences: Vec<Point>,
    renewals: usize,
    failures: Vec<(f64, String)>,
    smallest_lead: Option<Millis>,
    stopped: Option<StopReason>,
}

impl Timeline {
    pub(crate) fn new() -> Self {
        Self {
            origin: None,
            last: None,
            span: None,
            line: Envelope::new(LINE_MAX),
            marks: Marks::new(MARKS_MAX),
            levels: Sample::new(LEVELS_MAX),
            level: None,
            fences: Vec::new(),
            renewals: 0,
            failures: Vec::new(),
            smallest_lead: None,
            stopped: None,
        }
    }

    /// Takes in one event, what came of it, and the kernel as it was left.
    pub(crate) fn record(
        &mut self,
        at: Instant,
        event: &Event,
        result: &Result<Decision, Misuse>,
        after: &Heartbeat,
    ) {
        let (Ok(decision), None) = (result, self.stopped) else { return };
        let at_s = self.since_origin(at);
        let (first, last) = self.span.unwrap_or((at_s, at_s));
        self.span = Some((first.min(at_s), last.max(at_s)));
        let lead = after.lead(at);
        let before = self.last.map(|(_, heartbeat)| heartbeat.lead(at));
        self.follow_lead(at_s, before, lead, after);
        let standing = before.unwrap_or(lead);
        self.mark_outcome(at_s, standing, lead, event, after);
        self.mark_action(at_s, standing, lead, decision);
        self.follow_level(at_s, decision, after);
        self.last = Some((at, *after));
    }

    /// Whether nothing was decided yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.last.is_none()
    }

    /// Draws what was collected as an SVG file.
    ///
    /// # Errors
    /// Those of writing the file.
    pub(crate) fn write_svg(&self, path: &Path) -> io::Result<()> {
        let svg = draw::svg(self).map_err(|error| io::Error::other(error.to_string()))?;
        std::fs::write(path, svg)
    }

    /// Seconds since the first event. Negative after a clock that jumped back.
    fn since_origin(&mut self, at: Instant) -> f64 {
        let origin = *self.origin.get_or_insert(at);
        if at >= origin { span_s(origin, at) } else { -span_s(at, origin) }
    }

    /// The lead falls by itself; only where it is renewed or voided does the line need points.
    fn follow_lead(&mut self, at_s: f64, before: Option<Millis>, lead: Millis, after: &Heartbeat) {
        let proved_before = self.last.is_some_and(|(_, heartbeat)| heartbeat.fence().is_some());
        if proved_before || after.fence().is_some() {
            let least = before.filter(|_| proved_before).unwrap_or(lead).min(lead);
            self.smallest_lead = Some(self.smallest_lead.map_or(least, |smallest| smallest.min(least)));
        }
        let (Some(before), Some((then, heartbeat))) = (before, self.last) else {
            self.line.push(at_s, millis_s(lead));
            return;
        };
        let then_s = self.since_origin(then);
        if at_s < then_s {
            // The clock jumped back: the line ends there and goes on here.
            self.line.decline_to(then_s, millis_s(heartbeat.lead(then)));
            self.line.push(then_s, 0.0);
            self.line.push(at_s, 0.0);
        }
        if before == lead {
            return;
        }
        self.line.decline_to(at_s, millis_s(before));
        if lead > before && proved_before {
            self.renewals += 1;
            if self.fences.len() <= DETAIL_MAX {
                self.fences.push((at_s, millis_s(before)));
            }
        }
        self.line.push(at_s, millis_s(lead));
    }

    /// Marks what an attempt came to. The kernel's own count tells a timeout that it found by itself (L3).
    fn mark_outcome(&mut self, at_s: f64, before: Millis, lead: Millis, event: &Event, after: &Heartbeat) {
        let stats = self.last.map(|(_, heartbeat)| heartbeat.stats()).unwrap_or_default();
        if after.stats().failures > stats.failures {
            self.marks.push(Mark::Failure, at_s, millis_s(before));
            if self.failures.len() <= DETAIL_MAX {
                let what = match event {
                    Event::Report { outcome: Outcome::Failed(failure), .. } => words::brief(failure),
                    Event::Report { .. } => words::brief(&Failure::Ambiguous),
                    _ => words::brief(&Failure::Timeout),
                };
                self.failures.push((at_s, what));
            }
        } else if let Event::Report { outcome: Outcome::Created(_) | Outcome::Extended(_), .. } = event {
            self.marks.push(Mark::Success, at_s, millis_s(lead));
        }
    }

    fn mark_action(&mut self, at_s: f64, before: Millis, lead: Millis, decision: &Decision) {
        match decision.action {
            Action::Send(attempt) if attempt.key == Key::Same => {
                self.marks.push(Mark::Retry, at_s, millis_s(lead));
            }
            Action::Send(attempt) if attempt.operation == Operation::Extend => {
                self.marks.push(Mark::Beat, at_s, millis_s(lead));
            }
            Action::Stop(reason) => {
                self.stopped = Some(reason);
                self.marks.push(Mark::Stop, at_s, millis_s(before));
            }
            // A create is no beat.
            Action::Send(_) | Action::Wait(_) => {}
        }
    }

    fn follow_level(&mut self, at_s: f64, decision: &Decision, after: &Heartbeat) {
        let Some(Numbers::Primary { attempt_budget: Some(budget), safety_margin, .. }) =
            after.explain(decision).numbers
        else {
            return;
        };
        let level = Millis::new(budget.get().saturating_add(safety_margin.get()));
        if self.level != Some(level) {
            self.level = Some(level);
            self.levels.push((at_s, millis_s(level)));
        }
    }
}

fn millis_s(millis: Millis) -> f64 {
    std::time::Duration::from_millis(millis.get()).as_secs_f64()
}

fn span_s(from: Instant, to: Instant) -> f64 {
    std::time::Duration::from_nanos(to.as_nanos().saturating_sub(from.as_nanos())).as_secs_f64()
}

#[cfg(test)]
mod tests;
