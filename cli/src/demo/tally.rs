//! What the demo counts: the kernel's claims beside the server's truth.

use leasebeat::{Event, Heartbeat, Instant, Millis, Outcome, Stats, StopReason};

use super::client::Step;
use super::faults::Fault;
use crate::serve::Server;
use crate::words;

/// Counts as the steps come in.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The demo's own server, where it is the one: only there the truth can be seen.
    server: Option<Server>,
    reservation: Option<String>,
    /// The kernel after the last step.
    last: Option<Heartbeat>,
    /// When that was.
    pub(super) end: Instant,
    /// The least lead that was proved at any step, just before it or after it.
    pub(super) smallest_lead: Option<Millis>,
    /// The least that truly remained at any step.
    smallest_remaining_ms: Option<u64>,
    seen: Vec<Fault>,
    /// The server saw the lease expired before the demo closed it.
    pub(super) lapsed: bool,
    /// The kernel proved more than the server held. It must never happen.
    pub(super) overclaim: Option<String>,
    /// What went wrong last, for a person.
    pub(super) last_failure: Option<String>,
}

impl Tally {
    pub(super) fn new(server: Option<Server>) -> Self {
        Self { server, ..Self::default() }
    }

    /// Takes in one step. `reservation` is the server's name for the lease, once it has one.
    pub(super) fn count(&mut self, step: &Step<'_>, reservation: Option<&str>) {
        let Step { at, event, detail, heartbeat, .. } = step;
        if self.reservation.is_none() {
            self.reservation = reservation.map(str::to_owned);
        }
        let before = self.last.filter(|last| last.fence().is_some()).map(|last| last.lead(*at));
        let after = heartbeat.fence().map(|_| heartbeat.lead(*at));
        self.smallest_lead = [self.smallest_lead, before, after].into_iter().flatten().min();
        self.compare(*at, heartbeat);
        if let Event::Report { outcome: Outcome::Failed(_), .. } = event {
            let detail = detail.as_deref().map_or_else(String::new, |detail| format!(" ({detail})"));
            self.last_failure = Some(words::event(event) + &detail);
            self.seen.extend(Fault::seen_in(event));
        }
        self.last = Some(**heartbeat);
        self.end = *at;
    }

    /// Holds the kernel's claim against the server's truth at the same instant.
    fn compare(&mut self, at: Instant, heartbeat: &Heartbeat) {
        let (Some(server), Some(id)) = (&self.server, &self.reservation) else {
            self.lapsed |= heartbeat.stopped() == Some(StopReason::ReservationExpired);
            return;
        };
        let remaining = server.remaining_ms(id, at);
        self.lapsed |= remaining.is_none();
        let truth = remaining.unwrap_or(0);
        self.smallest_remaining_ms = [self.smallest_remaining_ms, Some(truth)].into_iter().flatten().min();
        let claim = heartbeat.lead(at).get();
        if claim > truth {
            self.overclaim = Some(format!("{claim} ms were proved when {truth} ms remained"));
        }
    }

    pub(super) fn stats(&self) -> Stats {
        self.last.map(|last| last.stats()).unwrap_or_default()
    }

    /// How many extensions the server applied, and the least that it saw remain. Unknown of another server.
    pub(super) fn truth(&self) -> Option<(u64, u64)> {
        let (applied, closest_ms) = self.server.as_ref()?.history(self.reservation.as_deref()?)?;
        Some((applied, self.smallest_remaining_ms.map_or(closest_ms, |sampled| sampled.min(closest_ms))))
    }

    /// The faults that should have happened, and whether each was played by the server and met by the client.
    pub(super) fn faults(&self) -> Vec<(Fault, bool)> {
        let Some(server) = &self.server else { return Vec::new() };
        // The server was given a rule for each fault, in this order.
        let played = server.rules_played();
        Fault::ALL
            .into_iter()
            .zip(played)
            .map(|(fault, played)| (fault, played && self.seen.contains(&fault)))
            .collect()
    }
}
