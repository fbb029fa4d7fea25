//! The kernel against `leasebeat serve` over real sockets, once for every fault: it keeps the lease through those that
//! it can outlive, stops for the right reason at the others, and never claims more than the server holds.

mod serving;

use std::time::{Duration, Instant as Clock, SystemTime, UNIX_EPOCH};

use leasebeat::{
    Action, Attempt, Config, Decision, ErrorCode, Event, Failure, Heartbeat, HttpFailure, Instant, Operation,
    Outcome, Rule, Settings, StopReason, Success, parse_retry_after,
};
use reqwest::{Client, Response};
use serde_json::{Value, json};
use serving::Server;

/// A reserve of 5 s in a lease of 8 s: a beat each 3 s, room for a Retry-After of a second, and for a busy machine.
const TTL_MS: u64 = 8_000;
const TIMEOUT: Duration = Duration::from_millis(1_500);
const SETTINGS: Settings = Settings { request_timeout_ms: Some(2_000), ..Settings::new(TTL_MS) };
/// The beat that meets the fault, and the one after which the lease is given up.
const FAULTY_BEAT: u32 = 2;
const LAST_BEAT: u32 = 3;

struct Host {
    client: Client,
    server: Server,
    started: Clock,
    fault: &'static str,
    reservation: Option<String>,
    /// The server's last word on the expiry, in ms since the epoch.
    expires_at_ms: u64,
    /// How far the server's clock was set back by the fault.
    set_back_ms: u64,
}

impl Host {
    fn new(fault: &'static str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .tls_certs_only(std::iter::empty())
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .build()
            .expect("a client");
        let lead = format!("{TTL_MS}ms");
        let server = Server::start(&["--max-lead", &lead]);
        Self {
            client,
            server,
            started: Clock::now(),
            fault,
            reservation: None,
            expires_at_ms: 0,
            set_back_ms: 0,
        }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(u64::try_from(self.started.elapsed().as_nanos()).expect("a short test"))
    }

    async fn attempt(&mut self, attempt: Attempt, beat: u32, first: bool) -> Event {
        if beat == FAULTY_BEAT && self.fault == "clock=-1s" {
            self.set_back_ms = 1_000;
        }
        let sent = self.now();
        let exchange = tokio::time::timeout(TIMEOUT, self.exchange(attempt, beat, first)).await;
        let rtt_ns = self.now().as_nanos() - sent.as_nanos();
        let outcome = match exchange {
            Err(_) => Outcome::Failed(Failure::Timeout),
            Ok(Err(_)) => Outcome::Failed(Failure::Connection),
            Ok(Ok((status, retry_after, body))) => {
                self.read(attempt.operation, status, retry_after.as_deref(), &body, rtt_ns)
            }
        };
        outcome.of(attempt.id)
    }

    async fn exchange(
        &self,
        attempt: Attempt,
        beat: u32,
        first: bool,
    ) -> reqwest::Result<(u16, Option<String>, Vec<u8>)> {
        let key = format!("key-{}", attempt.key_generation);
        let mut body = json!({"idempotency_key": key});
        let path = if attempt.operation == Operation::Create {
            body["subject"] = json!({"tenant": "demo"});
            body["action"] = json!({"kind": "test", "name": "test"});
            body["estimate"] = json!({"unit": "TOKENS", "amount": 1});
            body["ttl_ms"] = json!(TTL_MS);
            "/v1/reservations".to_owned()
        } else {
            body["extend_by_ms"] = json!(attempt.extend_by.get());
            format!("/v1/reservations/{}/extend", self.reservation.as_deref().unwrap_or_default())
        };
        let mut request =
            self.client.post(self.server.url.clone() + &path).header("X-Cycles-API-Key", "demo-key");
        if beat == FAULTY_BEAT && first {
            request = request.header("X-Leasebeat-Fault", self.fault);
        }
        let request = request.header("Content-Type", "application/json").body(body.to_string());
        let response: Response = request.send().await?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").and_then(|text| text.to_str().ok());
        let retry_after = retry_after.map(str::to_owned);
        Ok((status, retry_after, response.bytes().await?.to_vec()))
    }

    /// As strict as the bodies of this server need it.
    fn read(
        &mut self,
        operation: Operation,
        status: u16,
        retry_after: Option<&str>,
        body: &[u8],
        rtt_ns: u64,
    ) -> Outcome {
        let body: Value = serde_json::from_slice(body).unwrap_or(Value::Null);
        match status {
            200 => {
                let (Some(expires), Some(remaining)) =
                    (body["expires_at_ms"].as_u64(), body["remaining_ttl_ms"].as_u64())
                else {
                    return Outcome::Failed(Failure::Ambiguous);
                };
                self.expires_at_ms = expires;
                let success = Success {
                    rtt_ns: Some(rtt_ns),
                    remaining_ttl_ms: Some(remaining),
                    expires_at_ms: Some(expires),
                };
                if operation == Operation::Extend {
                    return Outcome::Extended(success);
                }
                self.reservation = body["reservation_id"].as_str().map(str::to_owned);
                Outcome::Created(success)
            }
            201..=299 => Outcome::Failed(Failure::Ambiguous),
            _ => Outcome::Failed(Failure::Http(HttpFailure {
                status,
                code: body["error"].as_str().and_then(ErrorCode::from_name),
                retry_after: retry_after.and_then(|text| parse_retry_after(text.as_bytes())),
            })),
        }
    }

    /// Holds the kernel's claim against the expiry that the server said last.
    fn compare(&self, heartbeat: &Heartbeat) {
        let claim = heartbeat.lead(self.now()).get();
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).expect("after the epoch").as_millis();
        let server = u64::try_from(wall).expect("in range") - self.set_back_ms;
        let truth = self.expires_at_ms.saturating_sub(server);
        // The server's clock counts in whole ms, and was read from the wall's once.
        assert!(claim <= truth + 2, "{}: {claim} ms were proved when {truth} ms remained", self.fault);
    }

    /// Keeps a lease until its last beat, and says why it ended.
    async fn keep(&mut self) -> StopReason {
        let mut heartbeat = Heartbeat::new(Config::new(SETTINGS).expect("a valid config"));
        let (mut event, mut beat, mut last_generation) = (Event::Begin, 0, None);
        loop {
            let decision = heartbeat.handle(event, self.now()).expect("no misuse");
            self.compare(&heartbeat);
            event = match decision {
                Decision { action: Action::Stop(reason), .. } => return reason,
                Decision { action: Action::Send(attempt), .. } => {
                    let first =
                        last_generation.replace(attempt.key_generation) != Some(attempt.key_generation);
                    beat += u32::from(first && attempt.operation == Operation::Extend);
                    if beat > LAST_BEAT { Event::Close } else { self.attempt(attempt, beat, first).await }
                }
                Decision { rule: Rule::L3, .. } => panic!("an attempt is awaited to its end here"),
                _ => {
                    let deadline = heartbeat.next_deadline().expect("a wait ends").as_nanos();
                    tokio::time::sleep(Duration::from_nanos(deadline.saturating_sub(self.now().as_nanos())))
                        .await;
                    Event::Tick
                }
            };
        }
    }
}

/// Through this fault the lease is kept, or lost for this reason.
async fn through(fault: &'static str, expected: StopReason) {
    let mut host = Host::new(fault);
    let reason = host.keep().await;
    assert_eq!(reason, expected, "{fault}");
    // Every extension that was applied was in time, and each key was applied at most once.
    let log = host.server.log(3);
    let applied: Vec<&Value> =
        log.iter().filter(|line| line["operation"] == "extend" && line["applied"] == true).collect();
    assert!(applied.iter().all(|line| line["remaining_before_ms"].as_u64() > Some(0)), "{fault}: {log:?}");
    let mut keys: Vec<&str> = applied.iter().filter_map(|line| line["key"].as_str()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), applied.len(), "{fault}: {log:?}");
    let faults = log.iter().filter(|line| line["fault"] == fault).count();
    assert_eq!(faults, 1, "{fault} was met: {log:?}");
    if expected == StopReason::Closed {
        assert!(keys.len() >= 3, "{fault}: {log:?}");
    }
}

/// Faults the kernel keeps its lease through.
const OUTLIVED: [&str; 16] = [
    "lost-response",
    "reset",
    "delay=300ms",
    "delay=1700ms",
    "delay-before=1700ms",
    "status=503",
    "status-after=500",
    "throttle=0",
    "throttle=1",
    "malformed",
    "wrong-schema",
    "body={}",
    "accepted",
    "truncated",
    "stall",
    // A server that holds the lead at most so far puts the expiry where it belongs by the next beat.
    "clock=-1s",
];

/// Faults the kernel cannot outlive, and why it stops.
const FATAL: [(&str, StopReason); 10] = [
    ("throttle", StopReason::Throttled),
    ("throttle=3", StopReason::Throttled),
    ("throttle=Wed, 21 Oct 2026 07:28:00 GMT", StopReason::Throttled),
    ("close-tenant", StopReason::TenantClosed),
    ("clock=+1h", StopReason::ReservationExpired),
    ("status=404", StopReason::NotFound),
    ("status=409:MAX_EXTENSIONS_EXCEEDED", StopReason::MaxExtensionsExceeded),
    ("status=409:RESERVATION_FINALIZED", StopReason::ReservationFinalized),
    ("status=401", StopReason::Rejected),
    ("status=302", StopReason::UnexpectedStatus),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_kernel_keeps_its_lease_through_what_it_can_and_stops_at_the_rest() {
    let outlived = OUTLIVED.into_iter().map(|fault| (fault, StopReason::Closed));
    let all: Vec<_> = outlived.chain(FATAL).collect();
    // Not all at once: the time that faults take is what is tested, and not how busy the machine is.
    for some in all.chunks(9) {
        let mut leases = tokio::task::JoinSet::new();
        for (fault, reason) in some {
            leases.spawn(through(fault, *reason));
        }
        while let Some(lease) = leases.join_next().await {
            lease.expect("no lease panics");
        }
    }
}
