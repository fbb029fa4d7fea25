//! The state machine that composes the rules: the only file that moves between states.
//!
//! Where a function says `inline`, it was measured (`cargo xtask budgets`): on 64-bit hosts a rare path apart keeps its
//! registers out of the common one, on 32-bit targets one copy of it is what keeps the kernel within its flash.

use crate::budget::Budget;
use crate::config::Fallback;
use crate::decision::{Action, Attempt, AttemptId, Decision, Key, Misuse, Operation, Rule, StopReason};
use crate::event::{Event, Failure, Outcome, Success};
use crate::recovery::{Retry, on_this_clock};
use crate::response::{Disposition, classify};
use crate::state::{Heartbeat, Mode, Phase};
use crate::time::{Instant, Millis, Nanos};

/// C2: what an extend without its expiry (C1) and a timeout (L3) come to.
const NOTHING_PROVED: &Failure = &Failure::Ambiguous;

impl Heartbeat {
    /// Takes in one event that happened at `now`, and says what to do.
    ///
    /// # Errors
    /// [`Misuse`] where the event cannot happen now (L2). Nothing has changed then, the clock included; a host
    /// drops the event and goes on with the decision it had.
    pub fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
        match &event {
            Event::Tick => Ok(self.tick(now)),
            Event::Report { attempt, outcome } if self.stopped().is_none() => {
                self.report(*attempt, outcome, now)
            }
            Event::TimingLost => Ok(self.command(&event, now)),
            _ if self.stopped().is_some() => Ok(self.tick(now)), // L5
            Event::Begin if self.phase != Phase::Idle => Err(Misuse::UnexpectedEvent), // L1
            event => Ok(self.command(event, now)),
        }
    }

    /// What the host wants of the kernel, rather than what became of an attempt.
    #[inline(never)] // keeps the commonest events short
    fn command(&mut self, event: &Event, now: Instant) -> Decision {
        let lost = self.accept(now);
        match event {
            Event::Begin => self.send(Operation::Create, Key::Fresh, Rule::L1),
            Event::TimingLost => self.timing_lost(self.now),
            Event::Close => self.stop(StopReason::Closed, Rule::L5),
            Event::Tick | Event::Report { .. } => self.proceed(lost),
        }
    }

    /// What is due at `now`: the same as [`Event::Tick`], which is never a misuse. Early and late calls are fine.
    #[inline(never)] // called in place, its two ends write their result where the caller wants it
    pub fn tick(&mut self, now: Instant) -> Decision {
        let lost = self.accept(now);
        self.proceed(lost)
    }

    /// L2: a report is taken in only if it answers what is in flight, or is the create to be adopted.
    fn report(
        &mut self,
        attempt: Option<AttemptId>,
        outcome: &Outcome,
        now: Instant,
    ) -> Result<Decision, Misuse> {
        let in_flight = matches!(self.phase, Phase::Creating | Phase::Extending);
        if in_flight && attempt.is_some_and(|id| id.get() != self.attempts) {
            return Err(Misuse::StaleAttempt);
        }
        match outcome {
            Outcome::Extended(success) if self.phase == Phase::Extending => Ok(self.succeed(success, now)),
            Outcome::Created(success) if matches!(self.phase, Phase::Idle | Phase::Creating) => {
                Ok(self.succeed(success, now))
            }
            Outcome::Failed(failure) if in_flight => Ok(self.failed(failure, now)),
            Outcome::Denied if self.phase == Phase::Creating => {
                Ok(self.stop(StopReason::NotGranted, Rule::L4))
            }
            _ => Err(Misuse::UnexpectedEvent),
        }
    }

    /// T6: the same as [`Event::TimingLost`].
    #[cold]
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    pub(crate) fn timing_lost(&mut self, now: Instant) -> Decision {
        self.lose_timing(now);
        self.proceed(true)
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
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn step_back(&mut self, now: Instant) -> bool {
        let lost = self.jumps_back(now);
        if lost {
            self.lose_timing(now);
        }
        lost
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

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn succeed(&mut self, success: &Success, now: Instant) -> Decision {
        if now < self.now {
            return self.overtaken(success, now);
        }
        self.now = now;
        self.receive(success, Nanos(0))
    }

    /// T5: a success whose `now` is read as the last one took that much longer, or its receipt would seem later than
    /// it was, and the fence with it.
    #[cold]
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn overtaken(&mut self, success: &Success, now: Instant) -> Decision {
        self.accept(now);
        self.receive(success, self.now.since(now))
    }

    /// A schema-valid success (P, F), received so long `ago`.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn receive(&mut self, success: &Success, ago: Nanos) -> Decision {
        let extended = self.phase == Phase::Extending;
        if extended {
            if success.expires_at_ms.is_none() {
                return self.fail(NOTHING_PROVED); // C1
            }
            self.extensions = self.extensions.saturating_add(1);
        }
        self.guards.clear();
        let taken = |ns| Nanos(ns).plus(ago).plus(self.config.resolution());
        let rtt = success.rtt_ns.filter(|_| !self.tainted).map(taken); // P1, P2
        if let Some(expires_at) = success.expires_at_ms {
            self.ledger.enter(Millis::new(expires_at), self.now.minus(ago));
        }
        let remaining = Millis::new(success.remaining_ttl_ms.unwrap_or(0));
        let last_receipt = self.lead.receive(rtt, remaining, self.now);
        if success.remaining_ttl_ms.is_none() {
            return self.fall_back(last_receipt, extended);
        }
        self.mode = Mode::Primary;
        self.schedule()
    }

    /// P4, P5: the delay that a primary success allows.
    fn schedule(&mut self) -> Decision {
        let delay = self.now.cut(self.budget().delay(self.lead.floor));
        if !delay.is_zero() {
            self.guards.zero_delay = false;
            return self.wait_as(Phase::Beat, Key::Fresh, delay, Rule::P4);
        }
        if self.guards.zero_delay {
            return self.stop(StopReason::LeaseTooShort, Rule::P5);
        }
        self.guards.zero_delay = true;
        self.send(Operation::Extend, Key::Fresh, Rule::P5)
    }

    /// A success that does not say what remains (F1, F3, F4).
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn fall_back(&mut self, last_receipt: Instant, extended: bool) -> Decision {
        self.mode = Mode::Fallback;
        self.guards.zero_delay = false; // F7
        if self.config.fallback() == Fallback::Refuse {
            return self.stop(StopReason::RemainingTtlAbsent, Rule::F1);
        }
        let elapsed = self.consumed(last_receipt, self.now);
        self.ledger.measure(elapsed, self.config.extend_by_ms());
        if !extended {
            return self.send(Operation::Extend, Key::Fresh, Rule::F3);
        }
        self.wait_or_send(Key::Fresh, self.ledger.cadence(), Rule::F4)
    }

    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn failed(&mut self, failure: &Failure, now: Instant) -> Decision {
        self.accept(now);
        self.fail(failure)
    }

    /// Whatever failed in flight (C, L4, R, F6).
    fn fail(&mut self, failure: &Failure) -> Decision {
        self.guards.failures = self.guards.failures.saturating_add(1);
        let creating = self.phase == Phase::Creating;
        let operation = if creating { Operation::Create } else { Operation::Extend };
        let disposition = match classify(operation, failure) {
            Disposition::Throttled(Some(retry_after)) => {
                Disposition::Throttled(Some(on_this_clock(retry_after, self.config.resolution_ceil())))
            }
            other => other,
        };
        let retry = match disposition {
            Disposition::Permanent(reason) => Err((reason, Rule::C3)),
            _ if self.mode == Mode::Fallback => self.ledger.retry(disposition),
            Disposition::Rejected => Err((StopReason::Rejected, Rule::C4)),
            Disposition::UnexpectedStatus => Err((StopReason::UnexpectedStatus, Rule::C4)),
            // L4: one immediate retry with the same key.
            Disposition::Transient if creating && self.key == Key::Fresh => {
                return self.send(Operation::Create, Key::Same, Rule::L4);
            }
            Disposition::Transient if creating => Err((StopReason::CreateAmbiguous, Rule::L4)),
            Disposition::Throttled(_) if creating => Err((StopReason::Throttled, Rule::L4)),
            _ => self.guards.retry(self.lead_now(), &self.budget(), disposition, self.now),
        };
        match retry {
            Ok(Retry { delay, throttled, rule }) => {
                self.pending.throttled = throttled;
                self.wait_or_send(Key::Same, delay, rule)
            }
            Err((reason, rule)) => self.stop(reason, rule),
        }
    }

    /// Time passed; `lost` says that nobody knows how much (T6).
    #[inline]
    fn proceed(&mut self, lost: bool) -> Decision {
        let (rule, bounded) = match self.phase {
            Phase::Idle => (Rule::L1, false),
            Phase::Stopped(reason) => return Decision::stop(reason, Rule::L5),
            // L3: the kernel enforces the timeout it budgets for.
            Phase::Creating | Phase::Extending => (Rule::L3, self.config.request_timeout().is_some()),
            _ if lost => return self.resume(),
            _ => (Rule::T4, true),
        };
        if !bounded {
            return Decision::wait_for_event(rule);
        }
        // A wait for a retry and a timeout are never cut short: the lead is read by the millisecond, so each must cost one.
        let left = self.pending.left(self.now, rule == Rule::L3 || self.key == Key::Same);
        if !left.is_zero() {
            return self.wait(left, rule);
        }
        if rule == Rule::L3 { self.fail(NOTHING_PROVED) } else { self.due() }
    }

    /// A wait has ended: sends with the key it was holding, where nothing speaks against it.
    #[cfg_attr(target_pointer_width = "64", inline(never))]
    fn due(&mut self) -> Decision {
        let rule = match self.phase {
            // R8: the margin absorbs a late timer, the attempt does not.
            Phase::Recovery if self.lead_now() < self.budget().attempt => {
                return self.stop(StopReason::NoSafeRetry, Rule::R8);
            }
            Phase::Recovery if self.pending.throttled => Rule::R6,
            Phase::Recovery => Rule::R5,
            Phase::Fallback if self.key == Key::Same => Rule::F6,
            Phase::Fallback if self.ledger.skips(self.consumed(self.ledger.anchor(), self.now)) => {
                return self.wait_or_send(Key::Fresh, self.ledger.cadence(), Rule::F5);
            }
            Phase::Fallback => Rule::F4,
            _ => Rule::P4,
        };
        self.send(Operation::Extend, self.key, rule)
    }

    /// T4: the wait is a Retry-After's.
    pub(crate) fn retries_when_allowed(&self) -> bool {
        self.key == Key::Same && self.pending.throttled
    }

    /// T6: a wait of which nobody knows how much is left.
    #[cold]
    fn resume(&mut self) -> Decision {
        match self.phase {
            Phase::Recovery => return self.stop(StopReason::NoSafeRetry, Rule::T6),
            Phase::Fallback if self.retries_when_allowed() => {
                let whole = Millis::new(u64::from(self.pending.length_ms));
                return self.wait_or_send(self.key, whole, Rule::T6);
            }
            Phase::Fallback => {}
            _ => self.guards.zero_delay = true, // it counts as a zero-delay success
        }
        self.send(Operation::Extend, self.key, Rule::T6)
    }

    /// T4: waits `delay`, or sends at once where it is, or has become, zero.
    fn wait_or_send(&mut self, key: Key, delay: Millis, rule: Rule) -> Decision {
        let cut = self.now.cut(delay);
        if cut.is_zero() {
            return self.send(Operation::Extend, key, rule);
        }
        self.pending.length_ms = delay.within_days();
        let phase = if self.mode == Mode::Fallback { Phase::Fallback } else { Phase::Recovery };
        self.wait_as(phase, key, cut, rule)
    }

    fn wait_as(&mut self, phase: Phase, key: Key, delay: Millis, rule: Rule) -> Decision {
        self.phase = phase;
        self.key = key;
        self.pending.deadline = self.now.plus(delay);
        self.wait(delay, rule)
    }

    #[cfg_attr(target_pointer_width = "32", inline(never))]
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
        self.lead(self.now)
    }
}
