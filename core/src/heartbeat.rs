//! The state machine that composes the rules: the only file that moves between states.

use crate::budget::Budget;
use crate::config::Fallback;
use crate::decision::{Action, Attempt, AttemptId, Decision, Key, Misuse, Operation, Rule, StopReason};
use crate::event::{Event, Failure, Outcome, Success};
use crate::ledger::THROTTLE_MAX;
use crate::recovery::on_this_clock;
use crate::response::{Disposition, classify};
use crate::state::{Heartbeat, Mode, Phase};
use crate::time::{Instant, Millis, Nanos};

impl Heartbeat {
    /// Takes in one event that happened at `now`, and says what to do.
    ///
    /// # Errors
    /// [`Misuse`] where the event cannot happen now (L2). Nothing has changed then, the clock included; a host
    /// drops the event and goes on with the decision it had.
    #[inline]
    pub fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
        if matches!(event, Event::Tick) {
            return Ok(self.tick(now));
        }
        match &event {
            Event::Report { attempt, outcome } => self.report(*attempt, outcome, now),
            event => self.command(event, now),
        }
    }

    /// What is due at `now`: the same as [`Event::Tick`], which is never a misuse. Early and late calls are fine.
    #[inline(never)] // called in place, its two ends write their result where the caller wants it
    pub fn tick(&mut self, now: Instant) -> Decision {
        match self.rearm(now) {
            Some(left) => self.wait(left, Rule::T4),
            None => self.advance(now),
        }
    }

    /// T4: what is left of a wait that is not yet due at `now`. The commonest of all calls, so it comes first.
    #[inline]
    fn rearm(&mut self, now: Instant) -> Option<Millis> {
        if !matches!(self.phase, Phase::Beat | Phase::Recovery | Phase::Fallback) {
            return None;
        }
        let now = self.reading(now)?;
        let left = self.pending.left(now);
        if left.is_zero() {
            return None;
        }
        self.now = now;
        Some(left)
    }

    /// Any other tick: something is due, in flight, or lost.
    fn advance(&mut self, now: Instant) -> Decision {
        if let Phase::Stopped(reason) = self.phase {
            return self.stay_stopped(reason, false, now);
        }
        let lost = self.accept(now);
        self.proceed(lost)
    }

    /// What the host wants of the kernel, rather than what became of an attempt.
    fn command(&mut self, event: &Event, now: Instant) -> Result<Decision, Misuse> {
        match event {
            Event::TimingLost => Ok(self.timing_lost(now)),
            _ if self.stopped().is_some() => Ok(self.advance(now)), // L5
            Event::Begin if self.phase != Phase::Idle => Err(Misuse::UnexpectedEvent), // L1
            Event::Begin => {
                self.accept(now);
                Ok(self.send(Operation::Create, Key::Fresh, Rule::L1))
            }
            Event::Close => {
                self.accept(now);
                Ok(self.stop(StopReason::Closed, Rule::L5))
            }
            Event::Tick | Event::Report { .. } => Ok(self.advance(now)),
        }
    }

    /// L2: a report is taken in only if it answers what is in flight, or is the create to be adopted.
    fn report(
        &mut self,
        attempt: Option<AttemptId>,
        outcome: &Outcome,
        now: Instant,
    ) -> Result<Decision, Misuse> {
        if let Phase::Stopped(reason) = self.phase {
            return Ok(self.stay_stopped(reason, false, now));
        }
        let in_flight = matches!(self.phase, Phase::Creating | Phase::Extending);
        if in_flight && attempt.is_some_and(|id| id.get() != self.attempts) {
            return Err(Misuse::StaleAttempt);
        }
        match outcome {
            Outcome::Extended(success) if self.phase == Phase::Extending => Ok(self.extended(success, now)),
            Outcome::Created(success) if matches!(self.phase, Phase::Idle | Phase::Creating) => {
                Ok(self.created(success, now))
            }
            Outcome::Failed(failure) if in_flight => Ok(self.failed(failure, now)),
            Outcome::Denied if self.phase == Phase::Creating => {
                Ok(self.stop(StopReason::NotGranted, Rule::L4))
            }
            _ => Err(Misuse::UnexpectedEvent),
        }
    }

    // One function for each outcome, so that the commonest pays for no other's registers.

    #[inline(never)]
    fn extended(&mut self, success: &Success, now: Instant) -> Decision {
        if now < self.now {
            return self.overtaken(success, true, now);
        }
        self.now = now;
        if success.expires_at_ms.is_none() {
            return self.fail(&Failure::Ambiguous); // C1
        }
        self.extensions = self.extensions.saturating_add(1);
        self.succeed(success, true)
    }

    #[inline(never)]
    fn created(&mut self, success: &Success, now: Instant) -> Decision {
        if now < self.now {
            return self.overtaken(success, false, now);
        }
        self.now = now;
        self.succeed(success, false)
    }

    /// T5: a success whose `now` is read as the last one took that much longer, or its receipt would seem later than
    /// it was, and the fence with it.
    #[cold]
    fn overtaken(&mut self, success: &Success, extended: bool, now: Instant) -> Decision {
        if self.step_back(now) {
            return self.succeeded(success, extended); // T6
        }
        let behind = self.now.since(now);
        let success = Success { rtt_ns: success.rtt_ns.map(|ns| Nanos(ns).plus(behind).0), ..*success };
        let starts = self.ledger.latest().is_none();
        let decision = self.succeeded(&success, extended);
        if starts {
            self.ledger.backdate(behind);
        }
        decision
    }

    fn succeeded(&mut self, success: &Success, extended: bool) -> Decision {
        if extended { self.extended(success, self.now) } else { self.created(success, self.now) }
    }

    #[inline(never)]
    fn failed(&mut self, failure: &Failure, now: Instant) -> Decision {
        self.accept(now);
        self.fail(failure)
    }

    /// T6: the same as [`Event::TimingLost`].
    pub(crate) fn timing_lost(&mut self, now: Instant) -> Decision {
        if let Phase::Stopped(reason) = self.phase {
            return self.stay_stopped(reason, true, now);
        }
        self.accept(now);
        self.lose_timing(self.now);
        self.proceed(true)
    }

    /// L5: a stop is the last word. Lost timing takes only the proof that the stop had kept (V1).
    #[cold]
    fn stay_stopped(&mut self, reason: StopReason, lost: bool, now: Instant) -> Decision {
        if lost || self.jumps_back(now) {
            self.lead.void();
        }
        Decision::stop(reason, Rule::L5)
    }

    /// T5, T6: takes over `now`; whether timing is lost because the clock jumped back.
    #[inline]
    fn accept(&mut self, now: Instant) -> bool {
        if now >= self.now {
            self.now = now;
            return false;
        }
        self.step_back(now)
    }

    #[cold]
    fn step_back(&mut self, now: Instant) -> bool {
        let lost = self.jumps_back(now);
        if lost {
            self.lose_timing(now);
        }
        lost
    }

    /// T5: a step back of at most 1 ms, or one clock quantum, is read as no step.
    pub(crate) fn jumps_back(&self, now: Instant) -> bool {
        self.now.since(now) > Nanos::MILLI.max(self.config.resolution())
    }

    /// T6: no measured time can be trusted.
    #[cold]
    fn lose_timing(&mut self, now: Instant) {
        self.now = now;
        self.lead.void();
        self.ledger.void();
        self.tainted = true;
        if matches!(self.phase, Phase::Creating | Phase::Extending) {
            self.pending.deadline = self.timeout_from_now();
        }
    }

    /// A schema-valid success (P, F).
    fn succeed(&mut self, success: &Success, extended: bool) -> Decision {
        self.guards.clear();
        let resolution = self.config.resolution();
        let rtt = success.rtt_ns.filter(|_| !self.tainted).map(|ns| Nanos(ns).plus(resolution)); // P1, P2
        let Some(remaining) = success.remaining_ttl_ms else {
            return self.fall_back(success.expires_at_ms, rtt, extended);
        };
        self.mode = Mode::Primary;
        if let Some(expires_at) = success.expires_at_ms {
            self.ledger.enter(Millis::new(expires_at), self.now);
        }
        self.lead.receive(rtt, Millis::new(remaining), self.now);
        self.schedule()
    }

    /// P4, P5: the delay that a primary success allows.
    fn schedule(&mut self) -> Decision {
        let (deadline, delay) = self.now.deadline(self.budget().delay(self.lead.floor));
        if !delay.is_zero() {
            self.guards.zero_delay = false;
            self.hold(Phase::Beat, Key::Fresh, deadline, false);
            return self.wait(delay, Rule::P4);
        }
        if self.guards.zero_delay {
            return self.stop(StopReason::LeaseTooShort, Rule::P5);
        }
        self.guards.zero_delay = true;
        self.send(Operation::Extend, Key::Fresh, Rule::P5)
    }

    /// A success that does not say what remains (F1, F3, F4).
    #[inline(never)] // keeps the primary path short
    fn fall_back(&mut self, expires_at_ms: Option<u64>, rtt: Option<Nanos>, extended: bool) -> Decision {
        self.mode = Mode::Fallback;
        self.guards.zero_delay = false; // F7
        let (now, extend_by) = (self.now, self.config.extend_by());
        let elapsed = now.since(self.lead.receipt).plus(self.config.resolution()).ceil();
        let before = self.ledger.latest();
        if let Some(expires_at) = expires_at_ms {
            self.ledger.enter(Millis::new(expires_at), now);
        }
        self.lead.receive(rtt, Millis::ZERO, now);
        if self.config.fallback() == Fallback::Refuse {
            return self.stop(StopReason::RemainingTtlAbsent, Rule::F1);
        }
        if !extended {
            self.ledger.hold(extend_by);
            return self.send(Operation::Extend, Key::Fresh, Rule::F3);
        }
        self.ledger.measure(before, elapsed, extend_by);
        self.wait_or_send(Phase::Fallback, Key::Fresh, self.ledger.cadence(), false, Rule::F4)
    }

    /// Whatever failed in flight (C, L4, R, F6).
    fn fail(&mut self, failure: &Failure) -> Decision {
        self.guards.failures = self.guards.failures.saturating_add(1);
        let operation = if self.phase == Phase::Creating { Operation::Create } else { Operation::Extend };
        let disposition = classify(operation, failure);
        match disposition {
            Disposition::Permanent(reason) => self.stop(reason, Rule::C3),
            _ if operation == Operation::Extend && self.mode == Mode::Fallback => {
                self.fail_in_fallback(disposition)
            }
            Disposition::Rejected => self.stop(StopReason::Rejected, Rule::C4),
            Disposition::UnexpectedStatus => self.stop(StopReason::UnexpectedStatus, Rule::C4),
            _ if operation == Operation::Extend => self.recover(disposition),
            // L4: one immediate retry with the same key.
            Disposition::Throttled(_) => self.stop(StopReason::Throttled, Rule::L4),
            Disposition::Transient if self.key == Key::Fresh => {
                self.send(Operation::Create, Key::Same, Rule::L4)
            }
            Disposition::Transient => self.stop(StopReason::CreateAmbiguous, Rule::L4),
        }
    }

    /// R1–R7.
    fn recover(&mut self, disposition: Disposition) -> Decision {
        let (now, lead, budget) = (self.now, self.lead_now(), self.budget());
        match self.guards.retry(lead, &budget, disposition, self.config.resolution_ceil(), now) {
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
            Disposition::Throttled(Some(retry_after)) => {
                (cadence.max(on_this_clock(retry_after, self.config.resolution_ceil())), true)
            }
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
            Phase::Idle => Decision::wait_for_event(Rule::L1),
            Phase::Creating | Phase::Extending => self.proceed_in_flight(),
            _ if lost => self.resume(),
            _ => {
                let left = self.pending.left(self.now);
                if left.is_zero() { self.due() } else { self.wait(left, Rule::T4) }
            }
        }
    }

    /// L3: the kernel enforces the timeout it budgets for.
    fn proceed_in_flight(&mut self) -> Decision {
        if self.config.request_timeout().is_none() {
            return Decision::wait_for_event(Rule::L3);
        }
        let left = self.pending.deadline.since(self.now).ceil();
        if left.is_zero() { self.fail(&Failure::Timeout) } else { self.wait(left, Rule::L3) }
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
        if delay.is_zero() {
            return self.send(Operation::Extend, key, rule);
        }
        let (deadline, cut) = self.now.deadline(delay);
        if cut.is_zero() {
            return self.send(Operation::Extend, key, rule);
        }
        self.pending.length_ms = delay.within_days();
        self.hold(phase, key, deadline, throttled);
        self.wait(cut, rule)
    }

    fn hold(&mut self, phase: Phase, key: Key, deadline: Instant, throttled: bool) {
        self.phase = phase;
        self.key = key;
        self.pending.deadline = deadline;
        self.pending.throttled = throttled;
    }

    fn wait(&self, left: Millis, rule: Rule) -> Decision {
        Decision { action: Action::Wait(Some(self.config.cap(left))), rule }
    }

    #[inline(never)] // one of many ends: once is enough
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
        Decision { action: Action::Send(attempt), rule }
    }

    #[inline(never)] // one of many ends: once is enough
    fn stop(&mut self, reason: StopReason, rule: Rule) -> Decision {
        self.phase = Phase::Stopped(reason);
        if reason.disproves_the_lease() {
            self.lead.void();
        }
        Decision::stop(reason, rule)
    }

    fn timeout_from_now(&self) -> Instant {
        self.now.plus(self.config.timeout_or_infinity())
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.config.timeout_or_infinity(), self.lead.margin)
    }

    pub(crate) fn lead_now(&self) -> Millis {
        self.lead.at(self.now, self.config.resolution())
    }
}
