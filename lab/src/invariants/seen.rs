//! What every invariant needs to know of a lease, read from what the kernel was told and what it decided: a naive
//! reading of rules T5, T6, P1–P3 and R1 that shares no code with the kernel.

use leasebeat::{
    Action, Config, Decision, Disposition, Event, Failure, Instant, Key, Operation, Outcome, StopReason,
    Success, classify,
};

use super::Truth;

pub(super) const MS: u64 = 1_000_000;

/// The attempt in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Flight {
    /// True time of the decision to send: the request left no earlier.
    pub(super) sent_at_ns: u64,
    /// The reading from which its timeout counts (L3, T6).
    pub(super) issued_ns: u64,
}

/// What the last success proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Proof {
    pub(super) sent_at_ns: u64,
    receipt_ns: u64,
    floor_ms: u64,
}

/// What a call brought of the attempt in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Nothing,
    /// A proven success, on the primary path or not.
    Success {
        primary: bool,
    },
    Failed(Disposition),
}

/// One accepted call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) action: Action,
    pub(super) came: Came,
    /// The reading as it was given, which was true at `at_ns`.
    pub(super) reading_ns: u64,
    /// The reading as it is taken (T5).
    pub(super) now_ns: u64,
    pub(super) at_ns: u64,
    /// Timing was lost in this call (T6).
    pub(super) lost: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Seen {
    pub(super) quantum_ns: u64,
    timeout_ms: Option<u64>,
    drift_ppm: u32,
    pub(super) now_ns: u64,
    pub(super) flight: Option<Flight>,
    pub(super) proof: Option<Proof>,
    max_rtt_ms: u64,
    tainted: bool,
    /// F1: the latest success decides.
    pub(super) primary: bool,
    /// What the last attempt came to: proven, failed, or there was none.
    pub(super) proven: Option<bool>,
    /// Of the last attempt.
    pub(super) operation: Operation,
    pub(super) attempts: u32,
    pub(super) generations: u32,
    pub(super) stopped: bool,
    pub(super) host_sent_at_ns: u64,
    pub(super) trusted_from_ns: u64,
}

impl Seen {
    pub(super) fn new(config: &Config, drift_ppm: u32) -> Self {
        Self {
            quantum_ns: config.clock_resolution_ns(),
            timeout_ms: config.request_timeout().map(leasebeat::Millis::get),
            drift_ppm,
            now_ns: 0,
            flight: None,
            proof: None,
            max_rtt_ms: 0,
            tainted: false,
            primary: true,
            proven: None,
            operation: Operation::Create,
            attempts: 0,
            generations: 0,
            stopped: false,
            host_sent_at_ns: 0,
            trusted_from_ns: 0,
        }
    }

    /// Everything of an accepted call but what its decision changes.
    pub(super) fn take_in(
        &mut self,
        event: &Event,
        now: Instant,
        truth: &Truth,
        decision: &Decision,
    ) -> Step {
        let (reading_ns, action) = (now.as_nanos(), decision.action);
        let mut step = Step {
            action,
            came: Came::Nothing,
            reading_ns,
            now_ns: self.now_ns,
            at_ns: truth.at_ns,
            lost: false,
        };
        // L4: a denial only stops.
        if !self.stopped && matches!(event, Event::Report { outcome: Outcome::Denied, .. }) {
            return step;
        }
        let behind_ns = self.now_ns.saturating_sub(reading_ns);
        let jumped = behind_ns > MS.max(self.quantum_ns);
        // L5: a stopped kernel takes in no reading.
        if !self.stopped && (jumped || reading_ns > self.now_ns) {
            self.now_ns = reading_ns;
        }
        step.now_ns = self.now_ns;
        step.lost = jumped || matches!(event, Event::TimingLost);
        if step.lost {
            self.lose_timing();
        }
        // L5
        if self.stopped {
            return step;
        }
        step.came = match event {
            // C1
            Event::Report { outcome: Outcome::Extended(Success { expires_at_ms: None, .. }), .. } => {
                Came::Failed(Disposition::Transient)
            }
            Event::Report { outcome: Outcome::Created(success) | Outcome::Extended(success), .. } => {
                self.succeed(success, if jumped { 0 } else { behind_ns })
            }
            Event::Report { outcome: Outcome::Failed(failure), .. } => self.fail(failure),
            Event::Tick | Event::TimingLost if self.gives_up(action) => self.fail(&Failure::Timeout),
            _ => Came::Nothing,
        };
        step
    }

    /// T6
    fn lose_timing(&mut self) {
        self.proof = None;
        self.tainted = true;
        if let Some(flight) = &mut self.flight {
            flight.issued_ns = self.now_ns;
        }
    }

    fn succeed(&mut self, success: &Success, behind_ns: u64) -> Came {
        let sent_at_ns = self.flight.map_or(self.host_sent_at_ns, |flight| flight.sent_at_ns);
        let measured = success.rtt_ns.filter(|_| !self.tainted);
        let rtt_ms =
            measured.map(|rtt| ceil_ms(rtt.saturating_add(behind_ns).saturating_add(self.quantum_ns)));
        self.max_rtt_ms = self.max_rtt_ms.max(rtt_ms.unwrap_or(0));
        self.primary = success.remaining_ttl_ms.is_some();
        let floor_ms = match (success.remaining_ttl_ms, rtt_ms) {
            (Some(remaining), Some(rtt)) => remaining.saturating_sub(rtt),
            _ => 0,
        };
        let proof = Proof { sent_at_ns, receipt_ns: self.now_ns, floor_ms };
        self.proof = Some(proof).filter(|proof| proof.floor_ms > 0);
        Came::Success { primary: self.primary }
    }

    /// L3: whether what is in flight has, or is, timed out in this call.
    fn gives_up(&self, action: Action) -> bool {
        self.flight.is_some_and(|flight| {
            self.now_ns >= self.timeout_ns(&flight) || !matches!(action, Action::Wait(_))
        })
    }

    fn fail(&self, failure: &Failure) -> Came {
        Came::Failed(classify(self.operation, failure))
    }

    /// What the decision changes.
    pub(super) fn settle(&mut self, step: &Step) {
        match step.came {
            Came::Nothing => {}
            Came::Success { .. } => (self.flight, self.proven) = (None, Some(true)),
            Came::Failed(_) => (self.flight, self.proven) = (None, Some(false)),
        }
        match step.action {
            Action::Send(attempt) => {
                (self.attempts, self.generations) = (attempt.id.get(), attempt.key_generation);
                self.operation = attempt.operation;
                self.tainted = false;
                self.flight = Some(Flight { sent_at_ns: step.at_ns, issued_ns: step.now_ns });
            }
            Action::Wait(_) => {}
            Action::Stop(reason) => {
                self.stopped = true;
                self.flight = None;
                if disproves(reason) {
                    self.proof = None;
                }
            }
        }
    }

    /// The proof, if the clock kept true time and the server its word ever since the request left.
    pub(super) fn trusted_proof(&self) -> Option<&Proof> {
        self.proof.as_ref().filter(|proof| proof.sent_at_ns >= self.trusted_from_ns)
    }

    /// By how much the clock can be wrong over so long a true time.
    pub(super) fn drift_ns(&self, elapsed_ns: u64) -> i128 {
        if self.drift_ppm == 0 {
            return 0;
        }
        (i128::from(elapsed_ns) * i128::from(self.drift_ppm)) / 1_000_000 + 1
    }

    /// R1
    pub(super) fn lead_ms(&self, now_ns: u64) -> u64 {
        self.proof.as_ref().map_or(0, |proof| {
            let passed_ns = now_ns.saturating_sub(proof.receipt_ns).saturating_add(self.quantum_ns);
            proof.floor_ms.saturating_sub(ceil_ms(passed_ns))
        })
    }

    /// P3, where the timeout is known.
    pub(super) fn budget_ms(&self) -> Option<u64> {
        self.timeout_ms.map(|timeout| timeout.max(1_000).max(self.max_rtt_ms.saturating_mul(2)))
    }

    /// P3
    pub(super) fn margin_ms(&self) -> u64 {
        self.max_rtt_ms.saturating_mul(2).max(1_000)
    }

    /// L3: the reading from which an attempt may be given up.
    pub(super) fn timeout_ns(&self, flight: &Flight) -> u64 {
        let timeout_ns = self.timeout_ms.map_or(u64::MAX, |timeout| timeout.saturating_mul(MS));
        flight.issued_ns.saturating_add(timeout_ns)
    }
}

pub(super) fn ceil_ms(ns: u64) -> u64 {
    ns.div_ceil(MS)
}

/// What an attempt is sent with.
pub(super) fn sent(action: Action) -> Option<(Operation, Key)> {
    match action {
        Action::Send(attempt) => Some((attempt.operation, attempt.key)),
        _ => None,
    }
}

/// V1: the server says that there is no such lease.
const fn disproves(reason: StopReason) -> bool {
    matches!(
        reason,
        StopReason::NotGranted
            | StopReason::ReservationExpired
            | StopReason::ReservationFinalized
            | StopReason::TenantClosed
            | StopReason::NotFound
    )
}
