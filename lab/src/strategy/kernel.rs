//! leasebeat as a host loop runs it: the kernel, watched by the monitor at every call.

use leasebeat::{Action, AttemptId, Config, Decision, Event, Failure, Instant, Outcome, StopReason, Success};

use super::{Answer, End, Held, Send, Step, Strategy, after};
use crate::Kernel;
use crate::invariants::{Monitor, Truth, Violation};
use crate::record::{Recording, Told};

/// A host loop around a kernel.
#[derive(Debug, Clone)]
pub struct KernelStrategy<K> {
    config: Config,
    drift_ppm: u32,
    give_up_pct: u8,
    kernel: K,
    monitor: Monitor<K>,
    /// The attempt in flight, and when the host gives it up.
    in_flight: Option<(AttemptId, Option<Instant>)>,
    /// The wait that the kernel chose last ends here.
    wake: Option<Instant>,
    stopped: Option<End>,
    granted: bool,
    fieldless: bool,
    violation: Option<Violation>,
    recording: Option<Recording>,
    /// To be told to the monitor of a recording before the next call.
    distrust_ns: Option<u64>,
}

impl<K: Kernel> KernelStrategy<K> {
    /// For kernels made with `config` on clocks that drift by at most `drift_ppm`; the host gives an attempt up after
    /// `give_up_pct` of its timeout, or leaves that to the kernel where that is 0.
    #[must_use]
    pub fn new(config: Config, drift_ppm: u32, give_up_pct: u8) -> Self {
        Self {
            config,
            drift_ppm,
            give_up_pct,
            kernel: K::new(config),
            monitor: Monitor::new(&config, drift_ppm),
            in_flight: None,
            wake: None,
            stopped: None,
            granted: false,
            fieldless: false,
            violation: None,
            recording: None,
            distrust_ns: None,
        }
    }

    /// The same, and every lease is recorded from its beginning.
    #[must_use]
    pub fn recorded(mut self) -> Self {
        self.recording = Some(Recording { config: self.config, drift_ppm: self.drift_ppm, told: Vec::new() });
        self
    }

    /// What happened to the current lease so far, where it is recorded.
    #[must_use]
    pub fn recording(&self) -> Option<&Recording> {
        self.recording.as_ref()
    }

    /// What did not hold.
    #[must_use]
    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The configuration of every kernel.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    #[inline]
    fn call(&mut self, event: Event, now: Instant, truth: &Truth) -> Step {
        if let Some(recording) = &mut self.recording {
            let distrust_ns = self.distrust_ns.take();
            recording.told.push(Told { event, now, truth: *truth, distrust_ns });
        }
        self.kernel.told(&event, now);
        let result = match self.monitor.call(&mut self.kernel, event, now, truth) {
            Ok(result) => result,
            Err(violation) => {
                self.violation = Some(violation);
                return Step::end(End::GaveUp);
            }
        };
        match result {
            Ok(decision) => {
                if let Event::Report {
                    outcome: Outcome::Created(success) | Outcome::Extended(success), ..
                } = event
                {
                    self.granted = true;
                    self.fieldless = success.remaining_ttl_ms.is_none();
                }
                self.follow(&decision, now)
            }
            // A late answer is dropped; the decision before stands (L2).
            Err(_) => self.go_on(),
        }
    }

    #[inline]
    fn follow(&mut self, decision: &Decision, now: Instant) -> Step {
        match decision.action {
            Action::Send(attempt) => {
                let timeout = attempt.timeout.map(leasebeat::Millis::get);
                let give_up = timeout
                    .filter(|_| self.give_up_pct > 0)
                    .map(|ms| after(now, (ms * u64::from(self.give_up_pct) / 100).max(1)));
                self.in_flight = Some((attempt.id, give_up));
                self.wake = self.kernel.next_deadline();
                let send = Send {
                    id: attempt.id.get(),
                    key_generation: attempt.key_generation,
                    operation: attempt.operation,
                    extend_by: attempt.extend_by,
                };
                Step { send: Some(send), ..self.go_on() }
            }
            Action::Wait(wait) => {
                self.wake = self.kernel.wakes(wait.map(|ms| after(now, ms.get())));
                self.go_on()
            }
            Action::Stop(reason) => {
                let end = end_of(reason);
                self.stopped = Some(end);
                Step::end(end)
            }
        }
    }

    /// What was decided last still holds.
    #[inline]
    fn go_on(&self) -> Step {
        let give_up = self.in_flight.and_then(|(_, give_up)| give_up);
        let wake = match (self.wake, give_up) {
            (Some(wake), Some(give_up)) => Some(wake.min(give_up)),
            (wake, give_up) => wake.or(give_up),
        };
        Step { send: None, wake, end: None }
    }
}

impl<K: Kernel> Strategy for KernelStrategy<K> {
    fn fresh(&self, _lease: u64) -> Self {
        let fresh = Self::new(self.config, self.drift_ppm, self.give_up_pct);
        if self.recording.is_some() { fresh.recorded() } else { fresh }
    }

    fn begin(&mut self, now: Instant, truth: &Truth) -> Option<Step> {
        Some(self.call(Event::Begin, now, truth))
    }

    fn adopt(&mut self, success: Success, sent: Instant, sent_ns: u64, now: Instant, truth: &Truth) -> Step {
        self.monitor.host_sends(sent_ns);
        self.call(Event::from(Outcome::Created(success).timed(sent, now)), now, truth)
    }

    #[inline]
    fn tick(&mut self, now: Instant, truth: &Truth) -> Step {
        if let Some((id, Some(give_up))) = self.in_flight {
            if now >= give_up {
                self.in_flight = None;
                return self.call(Outcome::Failed(Failure::Timeout).of(id), now, truth);
            }
        }
        self.call(Event::Tick, now, truth)
    }

    #[inline]
    fn answer(&mut self, answer: &Answer, now: Instant, truth: &Truth) -> Step {
        let current = self.in_flight.is_some_and(|(id, _)| id.get() == answer.id);
        if current {
            self.in_flight = None;
        }
        let outcome = answer.outcome.timed(answer.sent, now);
        self.call(outcome.of(AttemptId::new(answer.id)), now, truth)
    }

    fn timing_lost(&mut self, now: Instant, truth: &Truth) -> Step {
        // The enforced timeout of an attempt in flight starts over, for the host as for the kernel (T6).
        if let (Some((_, give_up @ Some(_))), Some(ms)) = (&mut self.in_flight, self.config.request_timeout())
        {
            *give_up = Some(after(now, (ms.get() * u64::from(self.give_up_pct) / 100).max(1)));
        }
        self.call(Event::TimingLost, now, truth)
    }

    fn close(&mut self, now: Instant, truth: &Truth) {
        self.call(Event::Close, now, truth);
    }

    fn held(&self) -> Held {
        match self.kernel.fence() {
            Some(fence) => Held::Until(fence),
            None if self.fieldless && self.granted && self.stopped.is_none() => Held::UntilItEnds,
            None => Held::No,
        }
    }

    fn distrust(&mut self, at_ns: u64) {
        self.monitor.distrust(at_ns);
        self.distrust_ns = Some(at_ns);
    }

    fn has_failed(&self) -> bool {
        self.violation.is_some()
    }
}

fn end_of(reason: StopReason) -> End {
    match reason {
        StopReason::Closed => End::Closed,
        StopReason::NotGranted | StopReason::CreateAmbiguous => End::NotGranted,
        StopReason::ReservationExpired | StopReason::NotFound => End::Expired,
        StopReason::ReservationFinalized | StopReason::MaxExtensionsExceeded | StopReason::TenantClosed => {
            End::Refused
        }
        _ => End::GaveUp,
    }
}
