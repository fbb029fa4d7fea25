//! What is shown while it runs: a line a second, and a summary.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;
use std::time::Duration;

use hdrhistogram::Histogram;
use leasebeat::Instant;

use crate::clock;
use crate::figures::{ByName, Figures};
use crate::owner::Owner;
use crate::took::Took;
use crate::usage::Usage;

/// Each that many lines the names of the columns come again.
const HEAD_EVERY: u64 = 20;
const HEAD: &str = "     s    leases    lead s min/p1/p50    late ms p50/p99/max    rtt ms p50/p99    ext/s  retries  lost    gateway MiB/cpu    server MiB/cpu";

/// The live display, and what it has seen.
#[derive(Debug)]
pub struct Live {
    started: Instant,
    server: Option<u32>,
    last: (Instant, Usage, Usage),
    lines: u64,
    /// Since the start.
    pub total: Figures,
    /// The leases that were not kept, by reason.
    pub stops: BTreeMap<String, u64>,
    leads_ms: Vec<u64>,
    /// What was used, and how many extensions were made, when all leases were there.
    steady: Option<(Usage, u64)>,
    /// The least lead of any lease in any second, in ms.
    pub least_lead_ms: Option<u64>,
}

impl Live {
    /// A display that begins now. `server` is the process whose usage is shown too.
    #[must_use]
    pub fn start(server: Option<u32>) -> Self {
        let now = clock::now();
        let (gateway, of_server) = usage(server);
        Self {
            started: now,
            server,
            last: (now, gateway, of_server),
            lines: 0,
            total: Figures::default(),
            stops: BTreeMap::new(),
            leads_ms: Vec::new(),
            steady: None,
            least_lead_ms: None,
        }
    }

    /// Shows a line, and begins the next second.
    pub fn show(&mut self, owner: &mut Owner<'_>) {
        let now = clock::now();
        self.leads_ms.clear();
        // A lease that is not granted yet has no fence.
        let fences = owner.fleet.fenced(Instant::from_nanos(u64::MAX));
        let lead = |fence: Instant| fence.checked_since(now).unwrap_or_default().as_millis();
        self.leads_ms.extend(fences.map(|(_, fence)| u64::try_from(lead(fence)).unwrap_or(u64::MAX)));
        let leads = Leads::of(&mut self.leads_ms);
        self.least_lead_ms =
            self.least_lead_ms.into_iter().chain(leads.as_ref().map(|leads| leads.min)).min();

        let (gateway, server) = usage(self.server);
        let (then, gateway_then, server_then) = self.last;
        let span = now.checked_since(then).unwrap_or_default();
        let per_second = |count: u64| count as f64 / span.as_secs_f64().max(0.001);
        let figures = &owner.figures;
        self.stops = Figures::stops(owner.fleet.totals());
        if self.lines.is_multiple_of(HEAD_EVERY) {
            say(HEAD);
        }
        say(&format!(
            "{:>6.0}{:>10}{:>21}{:>23}{:>18}{:>9.0}{:>9}{:>6}{:>19}{:>18}",
            now.checked_since(self.started).unwrap_or_default().as_secs_f64(),
            self.leads_ms.len(),
            leads.map_or_else(|| "-".to_owned(), |leads| leads.to_string()),
            millis(&figures.lateness_us, &[0.5, 0.99, 1.0]),
            millis(&figures.rtt_us, &[0.5, 0.99]),
            per_second(figures.extended),
            figures.retries,
            self.stops.values().sum::<u64>(),
            of_machine(gateway, gateway_then, span),
            self.server.map_or_else(|| "-".to_owned(), |_| of_machine(server, server_then, span)),
        ));
        self.last = (now, gateway, server);
        self.lines += 1;
        self.total.absorb(&mut owner.figures);
        if self.steady.is_none() && owner.ramp.next().is_none() {
            self.steady = Some((gateway, self.total.extended));
        }
    }

    /// What keeping the leases took once all were there.
    #[must_use]
    pub fn took(&self, leases: u32) -> Took {
        let (then, extended) = self.steady.unwrap_or_default();
        Took::since(then, "gateway", leases, self.total.extended - extended)
    }

    /// What it all came to.
    pub fn summary(&self) {
        let (gateway, server) = usage(self.server);
        let total = &self.total;
        say(&format!(
            "\n{} leases created, {} lost ({}); {} extensions, {} retries; failures: {}",
            total.created,
            self.stops.values().sum::<u64>(),
            ByName(&self.stops),
            total.extended,
            total.retries,
            ByName(&total.failures),
        ));
        say(&format!(
            "least lead {} ms; beats late by {} ms (p50/p99/max); round trips {} ms (p50/p99)",
            self.least_lead_ms.unwrap_or(0),
            millis(&total.lateness_us, &[0.5, 0.99, 1.0]),
            millis(&total.rtt_us, &[0.5, 0.99]),
        ));
        say(&format!(
            "gateway: {} MiB resident, {:.1} s of processor; server: {} MiB, {:.1} s",
            gateway.resident >> 20,
            gateway.cpu.as_secs_f64(),
            server.resident >> 20,
            server.cpu.as_secs_f64(),
        ));
    }
}

/// Leads of all leases at one instant, in ms.
#[derive(Debug, Clone, Copy)]
struct Leads {
    min: u64,
    p1: u64,
    p50: u64,
}

impl Leads {
    /// `None` without leases. The order of `leads_ms` is changed.
    fn of(leads_ms: &mut [u64]) -> Option<Self> {
        let count = leads_ms.len();
        let min = *leads_ms.iter().min()?;
        let mut nth = |place: usize| *leads_ms.select_nth_unstable(place).1;
        Some(Self { min, p1: nth(count / 100), p50: nth(count / 2) })
    }
}

impl fmt::Display for Leads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |ms: u64| ms as f64 / 1_000.0;
        write!(f, "{:.1}/{:.1}/{:.1}", seconds(self.min), seconds(self.p1), seconds(self.p50))
    }
}

fn usage(server: Option<u32>) -> (Usage, Usage) {
    let of = |id| Usage::of(id).unwrap_or_default();
    (of(std::process::id()), server.map(of).unwrap_or_default())
}

/// Memory now, and processor time in the last second as a share of one processor.
fn of_machine(now: Usage, then: Usage, span: Duration) -> String {
    let cpu = now.cpu.saturating_sub(then.cpu).as_secs_f64() / span.as_secs_f64().max(0.001);
    format!("{}/{:.0}%", now.resident >> 20, cpu * 100.0)
}

fn millis(histogram: &Histogram<u32>, quantiles: &[f64]) -> String {
    if histogram.is_empty() {
        return "-".to_owned();
    }
    let at = |quantile: &f64| format!("{:.1}", histogram.value_at_quantile(*quantile) as f64 / 1_000.0);
    quantiles.iter().map(at).collect::<Vec<_>>().join("/")
}

/// Says a line. A reader that has gone away is no reason to let leases lapse.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
