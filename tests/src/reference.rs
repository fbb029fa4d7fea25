//! A second, deliberately naive reading of rules T, L, C, P, R and F of `docs/RULES.md`, written
//! from the prose alone and sharing no code with the kernel. All arithmetic is in i128, so nothing
//! saturates but where a rule says so.

/// Nanoseconds in a millisecond.
const MS: i128 = 1_000_000;
/// The last instant the clock can express (T1, T4), and the largest protocol duration (T2).
const TOP: i128 = u64::MAX as i128;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefConfig {
    pub extend_by_ms: u64,
    pub request_timeout_ms: Option<u64>,
    pub clock_resolution_ns: u64,
    pub max_wait_ms: Option<u64>,
    pub refuse: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefEvent {
    Begin,
    Created(RefSuccess),
    Denied(Option<u32>),
    Extended(RefSuccess),
    Failed(RefFailure),
    Tick,
    TimingLost,
    Close,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefSuccess {
    pub rtt_ns: Option<u64>,
    pub remaining_ttl_ms: Option<u64>,
    pub expires_at_ms: Option<u64>,
    pub attempt: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefFailure {
    pub kind: RefKind,
    pub attempt: Option<u32>,
}

/// `retry_after` is the raw header text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefKind {
    Timeout,
    Connection,
    Ambiguous,
    Http { status: u16, code: Option<String>, retry_after: Option<String> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefDecision {
    Send { create: bool, fresh: bool, attempt: u32, timeout_ms: Option<u64> },
    Wait(Option<u64>),
    Stop(&'static str),
    Error(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    New,
    Flight(Flight),
    Wait(Wait),
    Stopped(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Flight {
    create: bool,
    fresh: bool,
    /// L3's; none without a known timeout.
    deadline: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Wait {
    deadline: i128,
    /// The delay before T4's cut.
    length: i128,
    fresh: bool,
    /// It honours a Retry-After (T4).
    honours: bool,
}

/// F1: which path the latest success chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Primary,
    Fallback(Beat),
}

/// F4: the current cadence, and whether it is held because the grant was no good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Beat {
    cadence: i128,
    clamped: bool,
}

/// What the latest success proved, if it proved anything (P2).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Proof {
    receipt: i128,
    rtt_ns: i128,
    remaining: i128,
    lead_floor: i128,
}

/// F2. `expiry` and `receipt` are those of the latest success.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Ledger {
    base: i128,
    anchor: i128,
    expiry: i128,
    receipt: i128,
    grant: Option<i128>,
}

/// F2's grant and elapsed, if this success measured a grant.
type Measured = Option<(i128, i128)>;

/// The memory of R3, R4 and R6 (R7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Recovery {
    last_failure: Option<i128>,
    zero_window: bool,
    zero_retry_after: bool,
}

/// C2, C3 and C4: what a failure is.
enum Class {
    Permanent(&'static str),
    /// 429, with its valid Retry-After in ms.
    Throttled(Option<i128>),
    Transient,
    /// C4.
    Other(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    config: RefConfig,
    phase: Phase,
    mode: Mode,
    last: Option<i128>,
    attempt: u32,
    tainted: bool,
    max_rtt: i128,
    zero_before: bool,
    proof: Option<Proof>,
    ledger: Option<Ledger>,
    recovery: Recovery,
}

/// T2: what is consumed rounds up.
fn ceil_ms(ns: i128) -> i128 {
    (ns + MS - 1).div_euclid(MS)
}

fn to_u64(value: i128) -> u64 {
    u64::try_from(value.clamp(0, TOP)).unwrap_or(u64::MAX)
}

fn ms(value: Option<u64>) -> Option<i128> {
    value.map(i128::from)
}

/// T4: the delay, cut to the whole milliseconds that the clock can still express after `start`.
fn cut(start: i128, delay: i128) -> i128 {
    delay.min((TOP - start) / MS)
}

/// C5, in milliseconds.
#[must_use]
pub fn parse_retry_after(header: &str) -> Option<i128> {
    let digits = header.trim_matches([' ', '\t']);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let millis = i128::from(digits.parse::<u64>().ok()?) * 1000;
    (millis <= TOP).then_some(millis)
}

/// C3: the stop that a code asks for.
fn permanent(code: &str) -> Option<&'static str> {
    match code {
        "RESERVATION_EXPIRED" => Some("reservation-expired"),
        "RESERVATION_FINALIZED" => Some("reservation-finalized"),
        "MAX_EXTENSIONS_EXCEEDED" => Some("max-extensions-exceeded"),
        "TENANT_CLOSED" => Some("tenant-closed"),
        "NOT_FOUND" => Some("not-found"),
        _ => None,
    }
}

fn classify(kind: &RefKind, create: bool) -> Class {
    let (status, code, retry_after) = match kind {
        RefKind::Timeout | RefKind::Connection | RefKind::Ambiguous => return Class::Transient, // C2
        RefKind::Http { status, code, retry_after } => (*status, code.as_deref(), retry_after),
    };
    // C3: a 4xx, or a 5xx answering an extend.
    let listened_to = (400..=499).contains(&status) || ((500..=599).contains(&status) && !create);
    if let Some(reason) = code.filter(|_| listened_to).and_then(permanent) {
        return Class::Permanent(reason);
    }
    match status {
        410 => Class::Permanent("reservation-expired"), // C3
        404 => Class::Permanent("not-found"),           // C3
        429 => Class::Throttled(retry_after.as_deref().and_then(parse_retry_after)), // C2, C5
        200..=299 | 500..=599 => Class::Transient,      // C1, C2
        400..=499 => Class::Other("rejected"),          // C4
        _ => Class::Other("unexpected-status"),         // C4
    }
}

impl Reference {
    #[must_use]
    pub fn new(config: RefConfig) -> Self {
        Self {
            config,
            phase: Phase::New,
            mode: Mode::Primary,
            last: None,
            attempt: 0,
            tainted: false,
            max_rtt: 0,
            zero_before: false,
            proof: None,
            ledger: None,
            recovery: Recovery::default(),
        }
    }

    pub fn handle(&mut self, event: &RefEvent, at: u64) -> RefDecision {
        if let Phase::Stopped(reason) = self.phase {
            let back = self.last.map_or(0, |last| last - i128::from(at));
            if *event == RefEvent::TimingLost || back > MS.max(self.quantum()) {
                self.proof = None; // V1
            }
            return RefDecision::Stop(reason); // L5
        }
        if let Some(error) = self.misuse(event) {
            return RefDecision::Error(error); // L2: nothing changes, the clock included
        }
        let mut now = i128::from(at);
        let mut lost = *event == RefEvent::TimingLost; // T6
        if let Some(last) = self.last.filter(|last| now < *last) {
            if last - now <= MS.max(self.quantum()) {
                now = last; // T5
            } else {
                lost = true; // T6
            }
        }
        self.last = Some(now);
        if lost {
            self.lose_timing(now);
        }
        match event {
            RefEvent::Close => self.stop("closed"),          // L5
            RefEvent::Begin => self.send(now, true, true),   // L1
            RefEvent::Denied(_) => self.stop("not-granted"), // L4
            RefEvent::Created(success) => self.success(now, now - i128::from(at), success, true), // L1: adopted too
            RefEvent::Extended(success) if success.expires_at_ms.is_none() => {
                self.failure(now, &RefKind::Ambiguous) // C1
            }
            RefEvent::Extended(success) => self.success(now, now - i128::from(at), success, false),
            RefEvent::Failed(failure) => self.failure(now, &failure.kind),
            RefEvent::Tick | RefEvent::TimingLost => self.tick(now, lost),
        }
    }

    /// R1's lead, 0 when void. A `now` earlier than the last accepted one is read as that one.
    #[must_use]
    pub fn lead_ms(&self, now: u64) -> u64 {
        to_u64(self.lead(i128::from(now).max(self.last.unwrap_or(0))))
    }

    /// P2's `lead_floor` of the latest success, 0 when void.
    #[must_use]
    pub fn lead_floor_ms(&self) -> u64 {
        to_u64(self.proof.as_ref().map_or(0, |proof| proof.lead_floor))
    }

    /// The instant at which the proven lease may end: nothing is proven from there on.
    #[must_use]
    pub fn fence_ns(&self) -> Option<u64> {
        let proof = self.proof.as_ref()?;
        let ttl_ns = (proof.remaining * MS).min(TOP);
        Some(to_u64(proof.receipt - proof.rtt_ns + ttl_ns))
    }

    /// The last instant at which R1's window is not negative, or the receipt if there is none.
    #[must_use]
    pub fn danger_ns(&self) -> Option<u64> {
        let proof = self.proof.as_ref()?;
        let last = self
            .budget()
            .map(|budget| (proof.lead_floor - budget - self.margin()) * MS)
            .map(|window_ns| proof.receipt + window_ns.min(TOP) - self.quantum());
        Some(to_u64(last.unwrap_or(proof.receipt).max(proof.receipt)))
    }

    /// L1 and L2: the error that this event is, if it is one.
    fn misuse(&self, event: &RefEvent) -> Option<&'static str> {
        let named = match event {
            RefEvent::Created(success) | RefEvent::Extended(success) => success.attempt,
            RefEvent::Denied(attempt) => *attempt,
            RefEvent::Failed(failure) => failure.attempt,
            _ => None,
        };
        let (creating, extending) = match self.phase {
            Phase::Flight(flight) => (flight.create, !flight.create),
            _ => (false, false),
        };
        if (creating || extending) && named.is_some_and(|number| number != self.attempt) {
            return Some("stale-attempt"); // checked first
        }
        let expected = match event {
            RefEvent::Begin => self.phase == Phase::New,
            RefEvent::Created(_) => self.phase == Phase::New || creating,
            RefEvent::Denied(_) => creating,
            RefEvent::Extended(_) => extending,
            RefEvent::Failed(_) => creating || extending,
            RefEvent::Tick | RefEvent::TimingLost | RefEvent::Close => true,
        };
        (!expected).then_some("unexpected-event")
    }

    /// T6, but for what a wait does (see `tick`).
    fn lose_timing(&mut self, now: i128) {
        self.proof = None;
        self.ledger = None; // F2
        self.tainted = true; // the attempt in flight, or a create yet to be adopted
        let restarted = self.timeout_from(now);
        if let Phase::Flight(flight) = &mut self.phase {
            flight.deadline = restarted;
        }
    }

    fn tick(&mut self, now: i128, lost: bool) -> RefDecision {
        match self.phase {
            Phase::New => RefDecision::Wait(None), // L1
            Phase::Flight(flight) => match flight.deadline {
                // L3
                Some(deadline) if now >= deadline => self.failure(now, &RefKind::Timeout),
                Some(deadline) => self.bounded(ceil_ms(deadline - now)),
                None => RefDecision::Wait(None),
            },
            Phase::Wait(wait) if lost => match self.mode {
                // T6
                Mode::Primary if wait.fresh => {
                    self.zero_before = true;
                    self.send(now, false, true)
                }
                Mode::Primary => self.stop("no-safe-retry"),
                Mode::Fallback(_) if wait.honours => self.wait(now, wait.length, wait.fresh, true),
                Mode::Fallback(_) => self.send(now, false, wait.fresh),
            },
            Phase::Wait(wait) => {
                // T4
                let left_ns = (wait.deadline - now).max(0);
                let up = if wait.honours { MS - 1 } else { 0 };
                match (left_ns + up) / MS {
                    0 => self.due(now, wait.fresh),
                    left => self.bounded(left),
                }
            }
            Phase::Stopped(reason) => RefDecision::Stop(reason), // L5
        }
    }

    /// A wait has ended.
    fn due(&mut self, now: i128, fresh: bool) -> RefDecision {
        match self.mode {
            // R8
            Mode::Primary if !fresh && self.budget().is_none_or(|b| self.lead(now) < b) => {
                self.stop("no-safe-retry")
            }
            // F5; `wait` sends, with a fresh key, if T4 leaves nothing of the cadence.
            Mode::Fallback(beat) if fresh && !beat.clamped && self.proves_a_skip(now) => {
                self.wait(now, beat.cadence, true, false)
            }
            _ => self.send(now, false, fresh), // P4, R5, R6, F4, F6
        }
    }

    /// F5, with F2's lead_min.
    fn proves_a_skip(&self, now: i128) -> bool {
        self.ledger.as_ref().is_some_and(|ledger| {
            let lead_min = (ledger.expiry - ledger.base) - self.consumed(ledger.anchor, now);
            ledger.grant.is_some_and(|grant| 2 * lead_min >= 3 * grant)
        })
    }

    /// `behind` is how far T5 moved the receipt: the round trip took that much longer.
    fn success(&mut self, now: i128, behind: i128, success: &RefSuccess, create: bool) -> RefDecision {
        self.recovery = Recovery::default(); // R7
        // P1, with the quantum of T3; P2 and T6: unknown if not reported, or if tainted.
        let reported = if self.tainted { None } else { success.rtt_ns };
        let rtt_ns = reported.map(|rtt| (i128::from(rtt) + behind + self.quantum()).min(TOP));
        if let Some(rtt_ns) = rtt_ns {
            self.max_rtt = self.max_rtt.max(ceil_ms(rtt_ns));
        }
        let measured = self.keep_ledger(now, now - behind, success.expires_at_ms);
        let Some(remaining) = ms(success.remaining_ttl_ms) else {
            return self.fieldless(now, create, measured);
        };
        self.mode = Mode::Primary; // F1
        // P2: with the RTT unknown the floor is 0, which is no proof.
        let lead_floor = rtt_ns.map_or(0, |rtt_ns| (remaining - ceil_ms(rtt_ns)).max(0));
        self.proof = rtt_ns.map(|rtt_ns| Proof { receipt: now, rtt_ns, remaining, lead_floor });
        // P3, P4; an infinite budget makes the reserve infinite.
        let reserve = self.budget().map(|budget| 2 * budget + self.margin());
        let delay = reserve.map_or(0, |reserve| (lead_floor - reserve).max(0));
        // P5; T4: a delay cut to nothing is a zero delay.
        let zero = cut(now, delay) == 0;
        if zero && self.zero_before {
            return self.stop("lease-too-short");
        }
        self.zero_before = zero;
        self.wait(now, delay, true, false)
    }

    /// F2.
    fn keep_ledger(&mut self, now: i128, at: i128, expires_at_ms: Option<u64>) -> Measured {
        let expiry = ms(expires_at_ms)?;
        if self.tainted {
            self.ledger = None; // a tainted success starts it over
        }
        let before = self.ledger.take();
        let measured = before.as_ref().map(|before| {
            let elapsed = self.consumed(before.receipt, now);
            (expiry - before.expiry, elapsed)
        });
        self.ledger = Some(Ledger {
            base: before.as_ref().map_or(expiry, |before| before.base),
            anchor: before.as_ref().map_or(at, |before| before.anchor),
            expiry,
            receipt: now,
            grant: measured.map(|(grant, _)| grant),
        });
        measured
    }

    /// F1, F3, F4 and F7: a success without `remaining_ttl_ms`.
    fn fieldless(&mut self, now: i128, create: bool, measured: Measured) -> RefDecision {
        self.proof = None; // F1: the latest success decides
        self.zero_before = false; // F7
        if self.config.refuse {
            return self.stop("remaining-ttl-absent"); // F1
        }
        let extend_by = i128::from(self.config.extend_by_ms);
        let held = (extend_by / 2).clamp(500, 30_000); // F3
        // F4
        let trusted = measured.filter(|&(grant, elapsed)| {
            let short = 10 * grant < 9 * extend_by;
            let echoes = 3 * elapsed <= 4 * grant && 4 * grant <= 5 * elapsed;
            grant > 0 && !(short && echoes)
        });
        let most = (extend_by / 2).max(500);
        let cadence = trusted.map_or(held, |(grant, _)| (grant / 2).clamp(500, most));
        let clamped = trusted.is_none();
        self.mode = Mode::Fallback(Beat { cadence, clamped });
        if create {
            return self.send(now, false, true); // F3; a create measures no grant
        }
        self.wait(now, cadence, true, false)
    }

    fn failure(&mut self, now: i128, kind: &RefKind) -> RefDecision {
        let Phase::Flight(flight) = self.phase else {
            return RefDecision::Error("unexpected-event"); // L2, seen to before
        };
        let class = match classify(kind, flight.create) {
            // T3: such a wait may seem a quantum longer than it was.
            Class::Throttled(Some(after)) if after > 0 => {
                Class::Throttled(Some(after + ceil_ms(self.quantum())))
            }
            class => class,
        };
        match (class, self.mode) {
            (Class::Permanent(reason), _) => self.stop(reason), // C3
            // L4
            (Class::Other(reason), _) if flight.create => self.stop(reason),
            (Class::Throttled(_), _) if flight.create => self.stop("throttled"),
            (Class::Transient, _) if flight.create && flight.fresh => self.send(now, true, false),
            (Class::Transient, _) if flight.create => self.stop("create-ambiguous"),
            // F6
            (Class::Throttled(Some(after)), Mode::Fallback(beat)) => match after.max(beat.cadence) {
                longer if longer > 86_400_000 => self.stop("throttled"),
                longer => self.wait(now, longer, false, true),
            },
            (_, Mode::Fallback(beat)) => self.wait(now, beat.cadence, false, false),
            (Class::Other(reason), Mode::Primary) => self.stop(reason), // C4
            (class, Mode::Primary) => self.recover(now, &class),
        }
    }

    /// R1 to R7, for a class that is transient (C2).
    fn recover(&mut self, now: i128, class: &Class) -> RefDecision {
        let lead = self.lead(now);
        // R1, R2; an infinite budget leaves no window.
        let window = self.budget().map(|budget| lead - budget - self.margin());
        let Some(window) = window.filter(|window| *window >= 0) else {
            return self.stop("no-safe-retry");
        };
        // R3: the one retry is at once because R5's delay in a zero window is 0, as is the only
        // Retry-After that fits in it.
        if window == 0 && self.recovery.zero_window {
            return self.stop("zero-window-spent");
        }
        self.recovery.zero_window |= window == 0;
        // R4
        let before = self.recovery.last_failure.replace(now);
        if before.is_some_and(|before| now <= before) {
            return self.stop("no-progress");
        }
        let ordinary = (lead / 4).min(30_000).min(window); // R5
        match class {
            // R6
            Class::Throttled(Some(0)) if self.recovery.zero_retry_after => {
                self.wait(now, ordinary, false, false)
            }
            Class::Throttled(Some(after)) if *after <= window => {
                self.recovery.zero_retry_after |= *after == 0;
                self.wait(now, *after, false, true)
            }
            Class::Throttled(_) => self.stop("throttled"),
            _ => self.wait(now, ordinary, false, false), // R5
        }
    }

    /// T4: waits, or sends at once if the cut delay is zero.
    fn wait(&mut self, now: i128, length: i128, fresh: bool, honours: bool) -> RefDecision {
        let delay = cut(now, length);
        if delay == 0 {
            return self.send(now, false, fresh);
        }
        let deadline = now + delay * MS;
        self.phase = Phase::Wait(Wait { deadline, length, fresh, honours });
        self.bounded(delay)
    }

    fn send(&mut self, now: i128, create: bool, fresh: bool) -> RefDecision {
        let deadline = self.timeout_from(now); // L3
        self.phase = Phase::Flight(Flight { create, fresh, deadline });
        self.attempt = self.attempt.saturating_add(1); // L2
        self.tainted = false; // T6: this attempt is measured anew
        let (attempt, timeout_ms) = (self.attempt, self.config.request_timeout_ms);
        RefDecision::Send { create, fresh, attempt, timeout_ms }
    }

    fn stop(&mut self, reason: &'static str) -> RefDecision {
        self.phase = Phase::Stopped(reason);
        match reason {
            // The server says that there is no such lease; any other stop keeps what was proven.
            "reservation-expired"
            | "reservation-finalized"
            | "tenant-closed"
            | "not-found"
            | "not-granted" => self.proof = None,
            _ => {}
        }
        RefDecision::Stop(reason)
    }

    /// The trace format's `max_wait_ms`.
    fn bounded(&self, wait: i128) -> RefDecision {
        let cap = ms(self.config.max_wait_ms).unwrap_or(TOP);
        RefDecision::Wait(Some(to_u64(wait.min(cap))))
    }

    /// L3.
    fn timeout_from(&self, now: i128) -> Option<i128> {
        ms(self.config.request_timeout_ms).map(|timeout| (now + timeout * MS).min(TOP))
    }

    /// T3.
    fn quantum(&self) -> i128 {
        i128::from(self.config.clock_resolution_ns)
    }

    /// T3, whose ⊕ saturates at the clock's maximum.
    fn consumed(&self, from: i128, to: i128) -> i128 {
        ceil_ms((to - from + self.quantum()).min(TOP))
    }

    /// R1's lead.
    fn lead(&self, now: i128) -> i128 {
        let left = |proof: &Proof| (proof.lead_floor - self.consumed(proof.receipt, now)).max(0);
        self.proof.as_ref().map_or(0, left)
    }

    /// P3; none is infinite.
    fn budget(&self) -> Option<i128> {
        ms(self.config.request_timeout_ms).map(|timeout| timeout.max(1000).max(2 * self.max_rtt))
    }

    /// P3.
    fn margin(&self) -> i128 {
        (2 * self.max_rtt).max(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::{fs, path::Path};

    fn config(header: &Value) -> Option<RefConfig> {
        let value = &header["config"];
        let word = |key: &str| value.get(key).and_then(Value::as_u64);
        let config = RefConfig {
            extend_by_ms: word("extend_by_ms")?,
            request_timeout_ms: word("request_timeout_ms"),
            clock_resolution_ns: word("clock_resolution_ns").unwrap_or(0),
            max_wait_ms: word("max_wait_ms"),
            refuse: value["fallback"] == "refuse",
        };
        let in_range = (1..=86_400_000).contains(&config.extend_by_ms)
            && config.request_timeout_ms != Some(0)
            && config.clock_resolution_ns <= 10_000_000_000
            && config.max_wait_ms != Some(0);
        in_range.then_some(config)
    }

    fn event(line: &Value) -> RefEvent {
        let word = |key: &str| line.get(key).and_then(Value::as_u64);
        let text = |key: &str| line.get(key).and_then(Value::as_str).map(str::to_owned);
        let attempt = word("attempt").map(|number| u32::try_from(number).unwrap());
        let success = RefSuccess {
            rtt_ns: word("rtt_ns"),
            remaining_ttl_ms: word("remaining_ttl_ms"),
            expires_at_ms: word("expires_at_ms"),
            attempt,
        };
        let kind = || match line["kind"].as_str().unwrap() {
            "timeout" => RefKind::Timeout,
            "connection" => RefKind::Connection,
            "ambiguous" => RefKind::Ambiguous,
            "http" => RefKind::Http {
                status: u16::try_from(word("status").unwrap()).unwrap(),
                code: text("code"),
                retry_after: text("retry_after"),
            },
            other => panic!("kind {other}"),
        };
        match line["in"].as_str().unwrap() {
            "begin" => RefEvent::Begin,
            "created" => RefEvent::Created(success),
            "denied" => RefEvent::Denied(attempt),
            "extended" => RefEvent::Extended(success),
            "failed" => RefEvent::Failed(RefFailure { kind: kind(), attempt }),
            "tick" => RefEvent::Tick,
            "timing-lost" => RefEvent::TimingLost,
            "close" => RefEvent::Close,
            other => panic!("event {other}"),
        }
    }

    fn decision(decision: &RefDecision) -> Value {
        match decision {
            RefDecision::Send { create, fresh, attempt, timeout_ms } => json!({
                "do": "send", "op": if *create { "create" } else { "extend" },
                "key": if *fresh { "fresh" } else { "same" },
                "attempt": attempt, "timeout_ms": timeout_ms,
            }),
            RefDecision::Wait(wait) => json!({ "do": "wait", "ms": wait }),
            RefDecision::Stop(reason) => json!({ "do": "stop", "reason": reason }),
            RefDecision::Error(error) => json!({ "error": error }),
        }
    }

    fn replay(lines: &[Value]) -> Vec<Value> {
        let Some(config) = config(&lines[0]) else {
            return vec![json!({ "error": "invalid-config" })];
        };
        let mut reference = Reference::new(config);
        let step = |line| decision(&reference.handle(&event(line), line["at"].as_u64().unwrap()));
        lines[1..].iter().map(step).collect()
    }

    fn read(path: &Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn every_vector() {
        let mut seen = 0;
        for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/vectors")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(name) = name.strip_suffix(".jsonl").filter(|name| !name.ends_with(".expected")) else {
                continue;
            };
            let expected = read(&path.with_file_name(format!("{name}.expected.jsonl")));
            let got = replay(&read(&path));
            assert_eq!(got.len(), expected.len(), "{name}: decisions");
            for (index, (got, mut expected)) in got.into_iter().zip(expected).enumerate() {
                // Extra keys are welcome in an output.
                expected.as_object_mut().unwrap().retain(|key, _| got.get(key).is_some());
                assert_eq!(got, expected, "{name}: decision {}", index + 1);
            }
            seen += 1;
        }
        assert_eq!(seen, crate::vectors::COUNT);
    }
}
