//! What the demo shows while it runs: a line for each step, and on a terminal a live one for the lead.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leasebeat::{Action, Event, Heartbeat, Instant, Millis, Outcome};
use tokio::task::JoinHandle;

use super::client::Step;
use super::options::{Args, Checked, Target};
use crate::clock::Clock;
use crate::serve::Server;
use crate::units::seconds;
use crate::words;

const REDRAW: Duration = Duration::from_millis(100);

/// Says a line on standard output. A reader that has gone away is no reason to let a lease lapse.
pub(super) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The live display.
#[derive(Debug)]
pub(super) struct Live {
    /// Only on a terminal.
    bar: Option<ProgressBar>,
    /// A copy of the kernel: plain data, so the display asks it what it likes.
    now: Arc<Mutex<Option<Now>>>,
    redraw: Option<JoinHandle<()>>,
}

#[derive(Debug, Clone, Copy)]
struct Now {
    heartbeat: Heartbeat,
    in_flight: bool,
}

impl Live {
    pub(super) fn start(clock: Clock, ttl: Millis) -> Self {
        let now = Arc::new(Mutex::new(None));
        if !std::io::stdout().is_terminal() {
            return Self { bar: None, now, redraw: None };
        }
        let bar = ProgressBar::with_draw_target(Some(ttl.get()), ProgressDrawTarget::stdout());
        let style =
            ProgressStyle::with_template("lead [{bar:32}] {msg}").map(|style| style.progress_chars("=> "));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let redraw = tokio::spawn(redraw(bar.clone(), Arc::clone(&now), clock));
        Self { bar: Some(bar), now, redraw: Some(redraw) }
    }

    pub(super) fn introduce(&self, args: &Args, checked: &Checked, server: Option<&Server>) {
        let length = humantime::format_duration(args.length);
        let place = match (&checked.target, server) {
            (Target::Remote(url), _) => format!("on {url}"),
            (Target::Local, Some(server)) => format!("on http://{}, through five faults", server.address()),
            (Target::Local, None) => String::new(),
        };
        let bound = checked.config.request_timeout().map_or_else(|| "unknown".to_owned(), seconds);
        self.print(&format!("Keeping a lease of {} alive for {length} {place}", seconds(args.ttl)));
        self.print(&format!(
            "Each attempt is cut off after {}; the kernel budgets {bound}, as noticing that takes time too\n",
            seconds(args.timeout)
        ));
    }

    /// Shows one step: what happened, then what was decided and why.
    pub(super) fn show(&self, step: &Step<'_>) {
        let Step { at, event, detail, decision, heartbeat } = step;
        let in_flight = heartbeat.in_flight().is_some();
        let now = Now { heartbeat: **heartbeat, in_flight };
        let before = self.now.lock().unwrap_or_else(PoisonError::into_inner).replace(now);
        let Ok(decision) = decision else { return };
        let lead =
            heartbeat.fence().map_or_else(String::new, |_| format!("  lead {}", lead_s(heartbeat, *at)));
        let detail = detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
        let what = match (event, before) {
            (Event::Tick, Some(Now { in_flight: true, .. })) => "no answer so far".to_owned(),
            (Event::Tick, _) => "the wait is over".to_owned(),
            _ => words::event(event),
        };
        let time = at.as_nanos() / 10_000_000;
        self.print(&format!("{:>4}.{:02} s{lead}  {what}{detail}", time / 100, time % 100));
        self.print(&format!("          -> {decision}"));
        // The numbers are worth their room where something went wrong.
        let failed = matches!(event, Event::Report { outcome: Outcome::Failed(_), .. });
        if failed || matches!(decision.action, Action::Stop(_)) {
            let explanation = heartbeat.explain(decision);
            if let Some(numbers) = explanation.numbers {
                self.print(&format!("             {numbers}"));
            }
            if let Some(remedy) = explanation.remedy {
                self.print(&format!("             {remedy}"));
            }
        }
    }

    /// Takes the live line away.
    pub(super) fn end(&self) {
        if let Some(redraw) = &self.redraw {
            redraw.abort();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn print(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => say(line),
        }
    }
}

async fn redraw(bar: ProgressBar, now: Arc<Mutex<Option<Now>>>, clock: Clock) {
    let mut interval = tokio::time::interval(REDRAW);
    loop {
        interval.tick().await;
        let copy = *now.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Now { heartbeat, in_flight }) = copy else { continue };
        let at = clock.now();
        bar.set_position(heartbeat.lead(at).get());
        let next = heartbeat.next_deadline().map_or_else(String::new, |deadline| {
            let left_ms = deadline.as_nanos().saturating_sub(at.as_nanos()) / 1_000_000;
            let what = if in_flight { "; waiting for an answer, at most" } else { "; next send in" };
            format!("{what} {}.{} s", left_ms / 1_000, left_ms % 1_000 / 100)
        });
        bar.set_message(format!("{}{next}", lead_s(&heartbeat, at)));
    }
}

/// The lead to a hundredth of a second: more would only flicker.
fn lead_s(heartbeat: &Heartbeat, at: Instant) -> String {
    let ms = heartbeat.lead(at).get();
    format!("{}.{:02} s", ms / 1_000, ms % 1_000 / 10)
}
