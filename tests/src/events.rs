//! Bytes as a run of a lease: what the fuzzer changes. Kernel and reference must agree on each event, and where the host is
//! honest the invariants must hold.
//!
//! The first byte chooses the kind of host, three more the configuration; then each event takes two bytes, one for
//! what happened and one for when, and a success two more. Bytes that are lacking are 0.

use leasebeat::{Heartbeat, Instant};
use leasebeat_lab::invariants::{Monitor, Truth};

use crate::both::{Both, to_kernel};
use crate::reference::{RefConfig, RefDecision, RefEvent, RefFailure, RefKind, RefSuccess};

const MS: u64 = 1_000_000;
const EPOCH_MS: u64 = 1_785_585_600_000;
const LEASES_MS: [u64; 16] = [
    0, 1, 999, 1_000, 2_000, 2_001, 3_000, 3_001, 3_002, 5_000, 6_001, 10_000, 33_000, 60_000, 120_000,
    86_400_000,
];
/// Seconds, as a Retry-After may be written.
const RETRY_AFTER: [&str; 8] = ["0", "1", "2", " 5\t", "60", "86401", "-1", ""];
const CODES: [&str; 6] = [
    "RESERVATION_EXPIRED",
    "RESERVATION_FINALIZED",
    "MAX_EXTENSIONS_EXCEEDED",
    "TENANT_CLOSED",
    "NOT_FOUND",
    "LIMIT_EXCEEDED",
];
const STATUSES: [u16; 8] = [202, 302, 404, 409, 410, 429, 500, 503];

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::from(self.next()) % from.len()]
    }
}

/// One lease, told what the bytes say.
struct Run {
    both: Both,
    /// The same kernel, watched; none with a host that says what is not so.
    watched: Option<(Heartbeat, Monitor<Heartbeat>)>,
    now_ns: u64,
    sent_ns: u64,
    attempt: u32,
    expires_at_ns: Option<u64>,
}

/// Runs `data`.
///
/// # Panics
/// Where kernel and reference part, or an invariant is broken.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let honest = bytes.next() % 4 != 0;
    let config = RefConfig {
        extend_by_ms: bytes.pick(&LEASES_MS).max(1),
        request_timeout_ms: bytes.pick(&[
            Some(1_000),
            Some(1),
            Some(2_500),
            Some(30_000),
            Some(u64::MAX),
            None,
        ]),
        clock_resolution_ns: 0,
        max_wait_ms: None,
        refuse: false,
    };
    let last = bytes.next();
    let config = RefConfig {
        clock_resolution_ns: [0, 1, 16 * MS, 2_500 * MS][usize::from(last & 3)],
        max_wait_ms: if last & 4 == 0 { None } else { Some(700) },
        refuse: last & 8 != 0,
        ..config
    };
    let both = Both::new(&config);
    let kernel = both.kernel;
    let watched = honest.then(|| (kernel, Monitor::new(kernel.config(), 0).at_every_call()));
    let start_ns = if last & 16 == 0 { 1_000 * MS } else { u64::MAX / 4 };
    let mut run = Run { both, watched, now_ns: start_ns, sent_ns: start_ns, attempt: 0, expires_at_ns: None };
    while !bytes.0.is_empty() {
        run.step(&mut bytes);
    }
}

impl Run {
    fn step(&mut self, bytes: &mut Bytes<'_>) {
        let (what, when) = (bytes.next(), bytes.next());
        let at_ns = self.time(when);
        let event = self.event(what, at_ns, bytes);
        let (answer, kernel, reference) = self.both.handle(&event, at_ns);
        assert_eq!(kernel, reference, "{event:?} at {at_ns}");
        if let Some((watched, monitor)) = &mut self.watched {
            let truth = Truth { at_ns, expires_at_ns: self.expires_at_ns };
            let same = monitor.call(watched, to_kernel(&event), Instant::from_nanos(at_ns), &truth);
            assert_eq!(same, Ok(answer), "{event:?} at {at_ns}");
        }
        self.views_agree(at_ns);
        if !matches!(kernel, RefDecision::Error(_)) {
            self.now_ns = at_ns;
        }
        if let RefDecision::Send { attempt, .. } = kernel {
            (self.sent_ns, self.attempt) = (at_ns, attempt);
        }
    }

    /// An honest host's clock only goes on; the other's does what it likes.
    fn time(&self, when: u8) -> u64 {
        let deadline_ns = self.both.kernel.next_deadline().map_or(self.now_ns, Instant::as_nanos);
        let honest = self.watched.is_some();
        let at_ns = match when {
            0..=15 => self.now_ns,
            16..=79 => deadline_ns,
            80..=95 => deadline_ns.saturating_sub(1),
            96..=111 => deadline_ns.saturating_sub(MS - 1),
            112..=127 => deadline_ns.saturating_add(u64::from(when - 112) * 100 * MS),
            128..=191 => self.now_ns.saturating_add(u64::from(when - 127) * 31 * MS + 7),
            192..=223 => self.now_ns.saturating_add(u64::from(when - 191) * 333),
            224..=247 => self.now_ns.saturating_add(u64::from(when - 223) * 1_717 * MS),
            248..=251 if !honest => self.now_ns.saturating_sub(u64::from(when - 247) * 400_000),
            252..=254 if !honest => self.now_ns.saturating_sub(u64::from(when - 251) * 5_000 * MS),
            255 if !honest => u64::MAX,
            _ => self.now_ns.saturating_add(MS),
        };
        // Far enough from the end of the clock for the truth, which has none.
        if honest { at_ns.clamp(self.now_ns, self.now_ns.max(u64::MAX / 2)) } else { at_ns }
    }

    fn event(&mut self, what: u8, at_ns: u64, bytes: &mut Bytes<'_>) -> RefEvent {
        let attempt = match what >> 6 {
            0 => None,
            1 => Some(self.attempt.wrapping_sub(1)),
            _ => Some(self.attempt),
        };
        let failed = |kind| RefEvent::Failed(RefFailure { kind, attempt });
        match what & 63 {
            0 => RefEvent::Begin,
            1..=15 => RefEvent::Tick,
            16 => RefEvent::TimingLost,
            17 => RefEvent::Close,
            18 => RefEvent::Denied(attempt),
            19..=23 => RefEvent::Created(self.success(at_ns, attempt, bytes)),
            24..=39 => RefEvent::Extended(self.success(at_ns, attempt, bytes)),
            40..=43 => failed(RefKind::Timeout),
            44..=47 => failed(RefKind::Connection),
            48..=49 => failed(RefKind::Ambiguous),
            50..=58 => {
                let retry_after = Some(bytes.pick(&RETRY_AFTER).to_owned());
                failed(RefKind::Http { status: 429, code: None, retry_after })
            }
            _ => {
                let code = Some(bytes.next()).filter(|choice| choice & 1 == 0);
                let code = code.map(|choice| CODES[usize::from(choice >> 1) % CODES.len()].to_owned());
                failed(RefKind::Http { status: bytes.pick(&STATUSES), code, retry_after: None })
            }
        }
    }

    /// An honest host measures from the send to the report, and the server answered in between.
    fn success(&mut self, at_ns: u64, attempt: Option<u32>, bytes: &mut Bytes<'_>) -> RefSuccess {
        let (lease, how) = (bytes.next(), bytes.next());
        let remaining_ms = LEASES_MS[usize::from(lease & 15)] + u64::from(lease >> 4) * 7;
        let took_ns = at_ns.saturating_sub(self.sent_ns);
        let answered_ns = self.sent_ns + took_ns / 16 * u64::from(how >> 4);
        let rtt_ns = match how & 15 {
            0 => None,
            1 if self.watched.is_none() => Some(u64::from(lease) << 56),
            _ => Some(at_ns.saturating_sub(self.sent_ns)),
        };
        let remaining_ttl_ms = Some(remaining_ms).filter(|_| how & 3 != 3);
        let expires_at_ms = (how & 7 != 6).then(|| EPOCH_MS + answered_ns / MS + remaining_ms);
        let ends_ns = answered_ns.saturating_add(remaining_ms * MS);
        self.expires_at_ns = self.expires_at_ns.max(Some(ends_ns));
        RefSuccess { rtt_ns, remaining_ttl_ms, expires_at_ms, attempt }
    }

    fn views_agree(&self, at_ns: u64) {
        let (kernel, reference) = (&self.both.kernel, &self.both.reference);
        let fence = reference.fence_ns().filter(|_| reference.lead_floor_ms() > 0);
        assert_eq!(kernel.fence().map(Instant::as_nanos), fence);
        let danger = reference.danger_ns().filter(|_| fence.is_some());
        assert_eq!(kernel.danger().map(Instant::as_nanos), danger);
        let then_ns = at_ns.max(self.now_ns);
        assert_eq!(kernel.lead(Instant::from_nanos(then_ns)).get(), reference.lead_ms(then_ns));
    }
}
