//! The state machine that composes the rules: the only file that knows states.

use crate::budget::Budget;
use crate::config::{Config, Fallback};
use crate::decision::{Action, Attempt, AttemptId, Decision, Key, Misuse, Operation, Rule, StopReason};
use crate::event::{Event, Failure, Outcome, Success};
use crate::explain::Basis;
use crate::lead::Lead;
use crate::ledger::{Ledger, THROTTLE_MAX};
use crate::recovery::{Guards, Throttle};
use crate::response::{Disposition, classify};
use crate::time::{Instant, Millis, Nanos};

/// One lease's kernel: plain data of 160 bytes, its [`Config`] included. Copy it to ask "what if".
///
/// A copy goes on in the same process and boot; to carry a lease elsewhere take a
/// [`Snapshot`](crate::Snapshot). The crate's page shows a complete host loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heartbeat {
    pub(crate) config: Config,
    /// T5: the last accepted reading.
    pub(crate) now: Instant,
    pub(crate) lead: Lead,
    pub(crate) ledger: Ledger,
    pub(crate) guards: Guards,
    pub(crate) pending: Pending,
    pub(crate) attempts: u32,
    pub(crate) key_generations: u32,
    pub(crate) extensions: u32,
    pub(crate) phase: Phase,
    /// The key in flight, or the one the wait is holding.
    pub(crate) key: Key,
    pub(crate) mode: Mode,
    /// T6: the RTT of the attempt in flight, or of a create to be adopted, cannot be trusted.
    pub(crate) tainted: bool,
}

const _: () =
    assert!(size_of::<Heartbeat>() <= 160, "the state of a lease has grown: budget 192 bytes, reached 160");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Nothing sent and nothing adopted.
    Idle,
    /// A create is in flight.
    Creating,
    /// An extend is in flight.
    Extending,
    /// Primary path: waiting for the next beat.
    Beat,
    /// Primary path: waiting to retry.
    Recovery,
    /// Fallback: waiting for a beat or a retry.
    Fallback,
    Stopped(StopReason),
}

/// F1: the latest success decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Primary,
    Fallback,
}

/// What the kernel waits for: the end of a wait, or the timeout of the attempt in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pending {
    pub(crate) deadline: Instant,
    /// The wait at its full length, at most a day where it matters (T6).
    pub(crate) length_ms: u32,
    /// T4: the wait honours a Retry-After, so it is never cut short.
    pub(crate) throttled: bool,
}

impl Pending {
    pub(crate) const NONE: Self = Self { deadline: Instant::ORIGIN, length_ms: 0, throttled: false };

    /// T4: what is left, 0 when it is due.
    fn left(&self, now: Instant) -> Millis {
        let left = self.deadline.since(now);
        if self.throttled { left.ceil() } else { left.floor() }
    }
}

/// Counts since the kernel was made. Each sticks at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stats {
    /// Sends, creates included.
    pub attempts: u32,
    /// Sends that repeated a key.
    pub retries: u32,
    /// Extensions that a schema-valid answer proved.
    pub extensions: u32,
    /// Attempts that failed, timed out or proved nothing.
    pub failures: u32,
}

impl Heartbeat {
    /// A kernel that has sent nothing. Next: [`Event::Begin`], or [`Outcome::Created`] for a reservation that
    /// the host created itself (L1).
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            now: Instant::ORIGIN,
            lead: Lead::default(),
            ledger: Ledger::with_cadence(Ledger::held(config.extend_by())),
            guards: Guards::default(),
            pending: Pending::NONE,
            attempts: 0,
            key_generations: 0,
            extensions: 0,
            phase: Phase::Idle,
            key: Key::Fresh,
            mode: Mode::Primary,
            tainted: false,
        }
    }

    /// Takes in one event that happened at `now`, and says what to do.
    ///
    /// # Errors
    /// [`Misuse`] where the event cannot happen now (L2). Nothing has changed then, the clock included; a host
    /// drops the event and goes on with the decision it had.
    pub fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
        if let Phase::Stopped(reason) = self.phase {
            return Ok(self.decide(Action::Stop(reason), Rule::L5));
        }
        let outcome = match event {
            Event::Tick => return Ok(self.tick(now)),
            Event::TimingLost => return Ok(self.timing_lost(now)),
            Event::Begin if self.phase != Phase::Idle => return Err(Misuse::UnexpectedEvent), // L1
            Event::Begin => None,
            Event::Close => {
                self.accept(now);
                return Ok(self.stop(StopReason::Closed, Rule::L5));
            }
            Event::Report { attempt, outcome } => {
                self.admit(attempt, &outcome)?;
                Some(outcome)
            }
        };
        self.accept(now);
        Ok(match outcome {
            None => self.send(Operation::Create, Key::Fresh, Rule::L1),
            Some(Outcome::Created(success)) => self.succeed(&success),
            Some(Outcome::Extended(success)) if success.expires_at_ms.is_some() => self.succeed(&success),
            Some(Outcome::Extended(_)) => self.fail(&Failure::Ambiguous), // C1
            Some(Outcome::Denied) => self.stop(StopReason::NotGranted, Rule::L4),
            Some(Outcome::Failed(failure)) => self.fail(&failure),
        })
    }

    /// What is due at `now`: the same as [`Event::Tick`], which is never a misuse. Early and late calls are fine.
    pub fn tick(&mut self, now: Instant) -> Decision {
        if let Phase::Stopped(reason) = self.phase {
            return self.decide(Action::Stop(reason), Rule::L5);
        }
        let lost = self.accept(now);
        self.proceed(lost)
    }

    /// T6: the same as [`Event::TimingLost`].
    pub(crate) fn timing_lost(&mut self, now: Instant) -> Decision {
        self.advance(now);
        self.lose_timing();
        self.proceed(true)
    }

    /// L2: whether a report answers what is in flight.
    fn admit(&self, attempt: Option<AttemptId>, outcome: &Outcome) -> Result<(), Misuse> {
        let in_flight = matches!(self.phase, Phase::Creating | Phase::Extending);
        if in_flight && attempt.is_some_and(|id| id.get() != self.attempts) {
            return Err(Misuse::StaleAttempt);
        }
        let fits = match outcome {
            Outcome::Created(_) => matches!(self.phase, Phase::Idle | Phase::Creating),
            Outcome::Denied => self.phase == Phase::Creating,
            Outcome::Extended(_) => self.phase == Phase::Extending,
            Outcome::Failed(_) => in_flight,
        };
        if fits { Ok(()) } else { Err(Misuse::UnexpectedEvent) }
    }

    /// Takes over `now`, and voids what a jump back makes unreliable; whether it did.
    fn accept(&mut self, now: Instant) -> bool {
        let lost = self.advance(now);
        if lost {
            self.lose_timing();
        }
        lost
    }

    /// T5, T6: takes over `now`; whether the clock jumped back.
    fn advance(&mut self, now: Instant) -> bool {
        let steps_back = now < self.now;
        let jumps_back = steps_back && self.jumps_back(now);
        if !steps_back || jumps_back {
            self.now = now;
        }
        jumps_back
    }

    /// T5: a step back of at most 1 ms, or one clock quantum, is read as no step.
    pub(crate) fn jumps_back(&self, now: Instant) -> bool {
        self.now.since(now) > Nanos::MILLI.max(self.config.resolution())
    }

    /// T6: no measured time can be trusted.
    #[cold]
    fn lose_timing(&mut self) {
        self.lead.void();
        self.ledger.void();
        self.tainted = true;
        if matches!(self.phase, Phase::Creating | Phase::Extending) {
            self.pending.deadline = self.timeout_from_now();
        }
    }

    /// A schema-valid success (P, F).
    fn succeed(&mut self, success: &Success) -> Decision {
        let (now, resolution) = (self.now, self.config.resolution());
        let extended = self.phase == Phase::Extending;
        if extended {
            self.extensions = self.extensions.saturating_add(1);
        }
        self.guards.clear();
        let rtt = success.rtt_ns.filter(|_| !self.tainted).map(|ns| Nanos(ns).plus(resolution)); // P1, P2
        self.tainted = false;
        let previous_receipt = self.lead.receipt;
        let before = success.expires_at_ms.and_then(|at| self.ledger.enter(Millis::new(at), now));
        let remaining = success.remaining_ttl_ms.map(Millis::new);
        self.lead.receive(rtt, remaining, now);
        if remaining.is_some() {
            self.mode = Mode::Primary;
            return self.schedule();
        }
        self.mode = Mode::Fallback;
        self.guards.zero_delay = false; // F7
        if self.config.fallback() == Fallback::Refuse {
            return self.stop(StopReason::RemainingTtlAbsent, Rule::F1);
        }
        if !extended {
            self.ledger.hold(self.config.extend_by());
            return self.send(Operation::Extend, Key::Fresh, Rule::F3);
        }
        let elapsed = now.since(previous_receipt).plus(resolution).ceil();
        self.ledger.measure(before, elapsed, self.config.extend_by());
        self.wait_or_send(Phase::Fallback, Key::Fresh, self.ledger.cadence(), false, Rule::F4)
    }

    /// P4, P5: the delay that the last primary success allows.
    fn schedule(&mut self) -> Decision {
        let delay = self.budget().delay(self.lead.floor);
        let zero_before = self.guards.zero_delay;
        self.guards.zero_delay = self.now.deadline(delay).1.is_zero();
        if !self.guards.zero_delay {
            return self.wait_or_send(Phase::Beat, Key::Fresh, delay, false, Rule::P4);
        }
        if zero_before {
            return self.stop(StopReason::LeaseTooShort, Rule::P5);
        }
        self.send(Operation::Extend, Key::Fresh, Rule::P5)
    }

    /// Whatever failed in flight (C, L4, R, F6).
    fn fail(&mut self, failure: &Failure) -> Decision {
        self.guards.failures = self.guards.failures.saturating_add(1);
        let operation = self.in_flight();
        let disposition = classify(operation, failure);
        if let Disposition::Permanent(reason) = disposition {
            return self.stop(reason, Rule::C3);
        }
        if operation == Operation::Extend && self.mode == Mode::Fallback {
            return self.fail_in_fallback(disposition);
        }
        let throttle = match disposition {
            Disposition::Transient | Disposition::Permanent(_) => Throttle::None,
            Disposition::Throttled(retry_after) => Throttle::RetryAfter(retry_after),
            Disposition::Rejected => return self.stop(StopReason::Rejected, Rule::C4),
            Disposition::UnexpectedStatus => return self.stop(StopReason::UnexpectedStatus, Rule::C4),
        };
        if operation == Operation::Create { self.fail_create(throttle) } else { self.recover(throttle) }
    }

    /// L4: one immediate retry with the same key.
    fn fail_create(&mut self, throttle: Throttle) -> Decision {
        match (throttle, self.key) {
            (Throttle::RetryAfter(_), _) => self.stop(StopReason::Throttled, Rule::L4),
            (Throttle::None, Key::Fresh) => self.send(Operation::Create, Key::Same, Rule::L4),
            (Throttle::None, Key::Same) => self.stop(StopReason::CreateAmbiguous, Rule::L4),
        }
    }

    /// R1–R7.
    fn recover(&mut self, throttle: Throttle) -> Decision {
        let (now, lead, budget) = (self.now, self.lead_now(), self.budget());
        match self.guards.retry(lead, &budget, throttle, now) {
            Ok(retry) => {
                self.wait_or_send(Phase::Recovery, Key::Same, retry.delay, retry.throttled, retry.rule)
            }
            Err((reason, rule)) => self.stop(reason, rule),
        }
    }

    /// F6: nothing is proved here, so liveness wins.
    fn fail_in_fallback(&mut self, disposition: Disposition) -> Decision {
        let cadence = self.ledger.cadence();
        let (delay, throttled) = match disposition {
            Disposition::Throttled(Some(retry_after)) => (cadence.max(retry_after), true),
            _ => (cadence, false),
        };
        if delay > THROTTLE_MAX {
            return self.stop(StopReason::Throttled, Rule::F6);
        }
        self.wait_or_send(Phase::Fallback, Key::Same, delay, throttled, Rule::F6)
    }

    /// Time passed; `lost` says that nobody knows how much (T6).
    fn proceed(&mut self, lost: bool) -> Decision {
        match self.phase {
            Phase::Idle => self.decide(Action::Wait(None), Rule::L1),
            Phase::Creating | Phase::Extending => self.proceed_in_flight(),
            Phase::Beat | Phase::Recovery | Phase::Fallback if lost => self.resume(),
            Phase::Beat | Phase::Recovery | Phase::Fallback => {
                let left = self.pending.left(self.now);
                if left.is_zero() { self.due() } else { self.decide_wait(left, Rule::T4) }
            }
            Phase::Stopped(reason) => self.decide(Action::Stop(reason), Rule::L5),
        }
    }

    /// L3: the kernel enforces the timeout it budgets for.
    fn proceed_in_flight(&mut self) -> Decision {
        if self.config.request_timeout().is_none() {
            return self.decide(Action::Wait(None), Rule::L3);
        }
        let left = self.pending.deadline.since(self.now).ceil();
        if left.is_zero() { self.fail(&Failure::Timeout) } else { self.decide_wait(left, Rule::L3) }
    }

    /// A wait has ended.
    fn due(&mut self) -> Decision {
        match self.phase {
            // R8: the margin absorbs a late timer, the attempt does not.
            Phase::Recovery if self.lead_now() < self.budget().attempt => {
                self.stop(StopReason::NoSafeRetry, Rule::R8)
            }
            Phase::Recovery => {
                let rule = if self.pending.throttled { Rule::R6 } else { Rule::R5 };
                self.send(Operation::Extend, Key::Same, rule)
            }
            Phase::Fallback if self.key == Key::Same => self.send(Operation::Extend, Key::Same, Rule::F6),
            Phase::Fallback if self.ledger.skips(self.now, self.config.resolution()) => {
                self.wait_or_send(Phase::Fallback, Key::Fresh, self.ledger.cadence(), false, Rule::F5)
            }
            Phase::Fallback => self.send(Operation::Extend, Key::Fresh, Rule::F4),
            _ => self.send(Operation::Extend, Key::Fresh, Rule::P4),
        }
    }

    /// T6: a wait of which nobody knows how much is left.
    fn resume(&mut self) -> Decision {
        match self.phase {
            Phase::Recovery => self.stop(StopReason::NoSafeRetry, Rule::T6),
            Phase::Fallback if self.pending.throttled => {
                let whole = Millis::new(u64::from(self.pending.length_ms));
                self.wait_or_send(Phase::Fallback, self.key, whole, true, Rule::T6)
            }
            Phase::Fallback => self.send(Operation::Extend, self.key, Rule::T6),
            _ => {
                self.guards.zero_delay = true; // it counts as a zero-delay success
                self.send(Operation::Extend, Key::Fresh, Rule::T6)
            }
        }
    }

    /// T4: waits `delay`, or sends at once where it is, or has become, zero.
    fn wait_or_send(
        &mut self,
        phase: Phase,
        key: Key,
        delay: Millis,
        throttled: bool,
        rule: Rule,
    ) -> Decision {
        let (deadline, cut) = self.now.deadline(delay);
        if cut.is_zero() {
            return self.send(Operation::Extend, key, rule);
        }
        self.phase = phase;
        self.key = key;
        self.pending = Pending { deadline, length_ms: delay.saturating_u32(), throttled };
        self.decide_wait(cut, rule)
    }

    fn decide_wait(&self, left: Millis, rule: Rule) -> Decision {
        let capped = self.config.max_wait().map_or(left, |most| most.min(left));
        self.decide(Action::Wait(Some(capped)), rule)
    }

    fn send(&mut self, operation: Operation, key: Key, rule: Rule) -> Decision {
        self.attempts = self.attempts.saturating_add(1);
        if key == Key::Fresh {
            self.key_generations = self.key_generations.saturating_add(1);
        }
        self.phase = if operation == Operation::Create { Phase::Creating } else { Phase::Extending };
        self.key = key;
        self.tainted = false;
        self.pending.deadline = self.timeout_from_now();
        let attempt = Attempt {
            id: AttemptId::new(self.attempts),
            key_generation: self.key_generations,
            operation,
            key,
            extend_by: self.config.extend_by(),
            timeout: self.config.request_timeout(),
        };
        self.decide(Action::Send(attempt), rule)
    }

    fn stop(&mut self, reason: StopReason, rule: Rule) -> Decision {
        if reason.disproves_the_lease() {
            self.lead.void();
        }
        self.phase = Phase::Stopped(reason);
        self.decide(Action::Stop(reason), rule)
    }

    fn decide(&self, action: Action, rule: Rule) -> Decision {
        let basis = match self.mode {
            Mode::Primary => Basis::Lead {
                floor: self.lead.floor,
                aged_ns: self.now.since(self.lead.receipt).plus(self.config.resolution()).0,
                max_rtt: self.lead.max_rtt,
                request_timeout: self.config.request_timeout(),
                timed: self.lead.fence().is_some(),
            },
            Mode::Fallback => Basis::Ledger { grant: self.ledger.grant(), clamped: self.ledger.clamped() },
        };
        Decision { action, rule, basis }
    }

    fn timeout_from_now(&self) -> Instant {
        self.now.plus(self.config.request_timeout().unwrap_or(Millis::MAX))
    }

    fn in_flight(&self) -> Operation {
        if self.phase == Phase::Creating { Operation::Create } else { Operation::Extend }
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.config.request_timeout(), self.lead.max_rtt)
    }

    fn lead_now(&self) -> Millis {
        self.lead.at(self.now, self.config.resolution())
    }
}
