//! The host loop, as an SDK would write it: the kernel decides, this sends, waits and reports.

use std::future::Future;
use std::pin::Pin;

use leasebeat::{Action, Decision, Event, Heartbeat, Instant, Misuse, StopReason};

use super::api::{Api, Report};
use crate::clock::Clock;

/// One event given to the kernel, and what came of it.
#[derive(Debug)]
pub(super) struct Step<'a> {
    pub(super) at: Instant,
    pub(super) event: Event,
    /// What the network or the server said besides.
    pub(super) detail: Option<String>,
    pub(super) decision: Result<Decision, Misuse>,
    /// The kernel after it.
    pub(super) heartbeat: &'a Heartbeat,
}

/// Keeps a lease until `close` says that it is no longer wanted, or the kernel stops. `observe` sees each step.
pub(super) async fn keep(
    mut heartbeat: Heartbeat,
    api: &Api,
    clock: Clock,
    close: impl Future<Output = ()>,
    mut observe: impl FnMut(&Step<'_>),
) -> StopReason {
    tokio::pin!(close);
    let mut in_flight: Option<Pin<Box<dyn Future<Output = Report> + Send + '_>>> = None;
    let mut next = Report { at: clock.now(), event: Event::Begin, detail: None };
    loop {
        let Report { at, event, detail } = next;
        let decision = heartbeat.handle(event, at);
        observe(&Step { at, event, detail, decision, heartbeat: &heartbeat });
        match decision {
            Ok(Decision { action: Action::Stop(reason), .. }) => return reason,
            Ok(Decision { action: Action::Send(attempt), .. }) => {
                in_flight = Some(Box::pin(api.attempt(attempt)));
            }
            // The kernel gave up the attempt: nobody waits for its answer any more.
            _ if heartbeat.in_flight().is_none() => in_flight = None,
            _ => {}
        }
        next = tokio::select! {
            biased;
            () = &mut close => report(clock, Event::Close),
            report = answer(&mut in_flight) => {
                in_flight = None;
                report
            }
            () = until(heartbeat.next_deadline(), clock) => report(clock, Event::Tick),
        };
    }
}

fn report(clock: Clock, event: Event) -> Report {
    Report { at: clock.now(), event, detail: None }
}

/// The answer of the attempt in flight; without one, never.
async fn answer<F: Future<Output = Report> + Unpin>(in_flight: &mut Option<F>) -> Report {
    match in_flight {
        Some(attempt) => attempt.await,
        None => std::future::pending().await,
    }
}

/// Sleeps until the deadline; without one, for ever.
async fn until(deadline: Option<Instant>, clock: Clock) {
    match deadline {
        Some(deadline) => {
            tokio::time::sleep(deadline.checked_since(clock.now()).unwrap_or_default()).await;
        }
        None => std::future::pending().await,
    }
}
