//! The server and the way to it, within the process.

use std::collections::VecDeque;
use std::hint::black_box;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use leasebeat::{Attempt, Outcome, Success};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

/// Time that a kernel with a request timeout of 1 s keeps for its retry (P3), in ms.
pub(crate) const RESERVE_MS: u64 = 3_000;

/// A client of the server: cheap to clone, as an HTTP client is.
#[derive(Debug, Clone)]
pub(crate) struct Wire(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    remaining_ms: u64,
    beats: AtomicU64,
    /// Where there is a round trip.
    line: Option<mpsc::UnboundedSender<Request>>,
}

#[derive(Debug)]
struct Request {
    sent: Instant,
    reply: Reply,
}

/// Who waits for an answer.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A task, for this one.
    Task(oneshot::Sender<Success>),
    /// The owner of many leases, for all.
    Owner(Flight, mpsc::UnboundedSender<Flight>),
}

/// An attempt on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flight {
    pub(crate) number: u32,
    attempt: Attempt,
    sent: leasebeat::Instant,
    success: Success,
}

impl Flight {
    /// What is to be reported of it at `now`.
    pub(crate) fn event(&self, now: leasebeat::Instant) -> leasebeat::Event {
        Outcome::Extended(self.success).timed(self.sent, now).of(self.attempt.id)
    }
}

impl Wire {
    /// A server that answers after `rtt`, so that a lease is extended each `period`.
    pub(crate) fn start(rtt: Duration, period: Duration) -> Self {
        let remaining_ms = RESERVE_MS + period.as_millis() as u64 + rtt.as_millis() as u64;
        let line = (!rtt.is_zero()).then(|| {
            let (line, requests) = mpsc::unbounded_channel();
            tokio::spawn(serve(requests, rtt, success(remaining_ms)));
            line
        });
        Self(Arc::new(Shared { remaining_ms, beats: AtomicU64::new(0), line }))
    }

    /// How many requests were made.
    pub(crate) fn beats(&self) -> u64 {
        self.0.beats.load(Ordering::Relaxed)
    }

    /// Sends an extension. The answer, where there is no round trip; otherwise it comes to `reply`.
    fn send(
        &self,
        reservation: &str,
        key: &str,
        extend_by: Duration,
        reply: impl FnOnce() -> Reply,
    ) -> Option<Success> {
        self.0.beats.fetch_add(1, Ordering::Relaxed);
        black_box((reservation, key, extend_by));
        let Some(line) = &self.0.line else { return Some(success(self.0.remaining_ms)) };
        // The server ends with the runtime.
        let _ = line.send(Request { sent: Instant::now(), reply: reply() });
        None
    }

    /// The same, for the owner of many leases: `number` sends `attempt` at `sent`. The answer comes to `answers`, where there
    /// is a round trip.
    pub(crate) fn send_for_owner(
        &self,
        number: u32,
        reservation: &str,
        attempt: Attempt,
        sent: leasebeat::Instant,
        answers: &mpsc::UnboundedSender<Flight>,
    ) -> Option<Flight> {
        // It goes straight into the request: a fleet need not keep it, as a retry has the same generation.
        let mut place = [0; 40];
        let key = derived(&mut place, number, attempt.key_generation);
        let flight = Flight { number, attempt, sent, success: success(self.0.remaining_ms) };
        let reply = || Reply::Owner(flight, answers.clone());
        self.send(reservation, key, attempt.extend_by.into(), reply).map(|_| flight)
    }

    /// The same, for a task that waits for the answer.
    pub(crate) async fn extend(&self, reservation: &str, key: &str, extend_by: Duration) -> Success {
        let mut answer = None;
        let now = self.send(reservation, key, extend_by, || {
            let (reply, waiting) = oneshot::channel();
            answer = Some(waiting);
            Reply::Task(reply)
        });
        match (now, answer) {
            (Some(success), _) => success,
            (None, Some(waiting)) => waiting.await.expect("the server answers everything"),
            (None, None) => unreachable!("an answer that does not come now comes later"),
        }
    }
}

/// An idempotency key that is derived rather than drawn, written to where the request is made.
fn derived(place: &mut [u8; 40], number: u32, generation: u32) -> &str {
    let mut rest = &mut place[..];
    // The longest has 31 bytes.
    let _ = write!(rest, "gateway-1-{number}-{generation}");
    let length = 40 - rest.len();
    std::str::from_utf8(&place[..length]).unwrap_or_default()
}

/// The same, kept.
pub(crate) fn key(number: u32, generation: u32) -> String {
    derived(&mut [0; 40], number, generation).to_owned()
}

pub(crate) fn success(remaining_ms: u64) -> Success {
    Success { rtt_ns: None, remaining_ttl_ms: Some(remaining_ms), expires_at_ms: Some(1_785_585_600_000) }
}

/// Answers each request `rtt` after it was sent: a queue, as all take the same time.
async fn serve(mut requests: mpsc::UnboundedReceiver<Request>, rtt: Duration, success: Success) {
    let mut waiting: VecDeque<Request> = VecDeque::new();
    loop {
        let due = waiting.front().map(|request| request.sent + rtt);
        tokio::select! {
            biased;
            () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                let now = Instant::now();
                while let Some(request) = waiting.pop_front() {
                    if request.sent + rtt > now {
                        waiting.push_front(request);
                        break;
                    }
                    match request.reply {
                        Reply::Task(reply) => drop(reply.send(success)),
                        Reply::Owner(flight, reply) => drop(reply.send(flight)),
                    }
                }
            }
            request = requests.recv() => match request {
                Some(request) => waiting.push_back(request),
                None => return,
            },
        }
    }
}
