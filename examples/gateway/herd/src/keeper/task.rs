//! A task for each lease, with its own timer: what the official Rust client does, written from its documentation.
//!
//! `runcycles` 0.3 gives its user a guard, and spawns a task that sleeps until the next beat is due or the guard cancels it.
//! Beats follow the protocol's normative algorithm, as here; each has a random UUID as its key.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{first_remaining_ms, reservation};
use crate::Args;
use crate::wire::{Wire, key};

/// How much of the official client there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Each key is a random UUID, and the user's guard knows what was granted.
    Official,
    /// Keys are the lease and a count, as the fleet's are, and the guard only stops the task.
    Lean,
}

/// What the user holds: the way to stop the task.
#[derive(Debug)]
pub(super) struct Guard {
    _client: Wire,
    _reservation: String,
    cancel: CancellationToken,
    _heartbeat: JoinHandle<()>,
    _granted: Option<Box<Granted>>,
}

/// What the official guard can be asked for besides, by its documentation.
#[derive(Debug)]
struct Granted {
    _expires_at_ms: u64,
    _affected_scopes: Vec<String>,
    /// Tenant, workspace, app, workflow, agent and toolset; the tenant is named here.
    _subject: [Option<String>; 6],
    /// Kind and name.
    _action: [String; 2],
}

impl Granted {
    fn new() -> Self {
        let mut subject = [const { None }; 6];
        subject[0] = Some("demo".to_owned());
        Self {
            _expires_at_ms: 1_785_585_600_000,
            _affected_scopes: vec!["tenant:demo".to_owned()],
            _subject: subject,
            _action: ["llm.completion".to_owned(), "gateway".to_owned()],
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

pub(super) fn start(args: &Args, wire: &Wire, kind: Kind) -> Vec<Guard> {
    let received = Instant::now();
    let ttl = super::config(args).extend_by().into();
    (0..args.leases)
        .map(|number| {
            let (client, reservation) = (wire.clone(), reservation(number));
            let cancel = CancellationToken::new();
            let heartbeat = Heartbeat {
                client: client.clone(),
                reservation: reservation.clone(),
                keys: KeyMaker { kind, number, generation: 0 },
                max_rtt: Duration::ZERO,
                lead_floor: Duration::from_millis(first_remaining_ms(args, number)),
                received,
                ttl,
            };
            let heartbeat = tokio::spawn(heartbeat.run(cancel.clone()));
            let granted = (kind == Kind::Official).then(|| Box::new(Granted::new()));
            Guard {
                _client: client,
                _reservation: reservation,
                cancel,
                _heartbeat: heartbeat,
                _granted: granted,
            }
        })
        .collect()
}

/// The time limit of one request, connecting included.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(1);
const SECOND: Duration = Duration::from_secs(1);

/// What the task remembers.
struct Heartbeat {
    client: Wire,
    reservation: String,
    keys: KeyMaker,
    max_rtt: Duration,
    /// What the last success proved, and when it was received.
    lead_floor: Duration,
    received: Instant,
    ttl: Duration,
}

impl Heartbeat {
    async fn run(mut self, cancel: CancellationToken) {
        let mut next = self.received + self.delay();
        let mut key = self.keys.fresh();
        loop {
            tokio::select! {
                () = cancel.cancelled() => return,
                () = tokio::time::sleep_until(next) => {}
            }
            let sent = Instant::now();
            let request = self.client.extend(&self.reservation, &key, self.ttl);
            let answer = tokio::time::timeout(REQUEST_TIMEOUT, request).await;
            let now = Instant::now();
            match answer.ok().and_then(|success| success.remaining_ttl_ms) {
                Some(remaining_ms) => {
                    let rtt = now - sent;
                    self.max_rtt = self.max_rtt.max(rtt);
                    self.lead_floor = Duration::from_millis(remaining_ms).saturating_sub(rtt);
                    self.received = now;
                    next = now + self.delay();
                    key = self.keys.fresh();
                }
                // The same key after a part of what is left, or never.
                None => match self.retry_after(now) {
                    Some(pause) => next = now + pause,
                    None => return,
                },
            }
        }
    }

    fn budget(&self) -> Duration {
        REQUEST_TIMEOUT.max(self.margin())
    }

    fn margin(&self) -> Duration {
        SECOND.max(2 * self.max_rtt)
    }

    /// How long after a success the next beat is.
    fn delay(&self) -> Duration {
        self.lead_floor.saturating_sub(2 * self.budget() + self.margin())
    }

    fn retry_after(&self, now: Instant) -> Option<Duration> {
        let lead = self.lead_floor.saturating_sub(now - self.received);
        let window = lead.checked_sub(self.budget() + self.margin())?;
        Some(window.min(lead / 4).min(Duration::from_secs(30)))
    }
}

#[derive(Debug)]
struct KeyMaker {
    kind: Kind,
    number: u32,
    generation: u32,
}

impl KeyMaker {
    fn fresh(&mut self) -> String {
        self.generation += 1;
        match self.kind {
            Kind::Official => Uuid::new_v4().to_string(),
            Kind::Lean => key(self.number, self.generation),
        }
    }
}
