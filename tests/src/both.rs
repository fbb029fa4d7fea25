//! One event for both: the kernel and the reference side by side.

use leasebeat::{
    Action, AttemptId, Config, Decision, Event, Failure, Fallback, Heartbeat, HttpFailure, Instant, Key,
    Millis, Misuse, Operation, Outcome, Settings, Success, parse_retry_after,
};

use crate::reference::{RefConfig, RefDecision, RefEvent, RefFailure, RefKind, RefSuccess, Reference};

/// A kernel and a reference that are told the same.
pub struct Both {
    pub kernel: Heartbeat,
    pub reference: Reference,
}

impl Both {
    /// # Panics
    /// Where `config` is out of range.
    #[must_use]
    pub fn new(config: &RefConfig) -> Self {
        let settings = Settings {
            extend_by_ms: config.extend_by_ms,
            request_timeout_ms: config.request_timeout_ms,
            clock_resolution_ns: config.clock_resolution_ns,
            max_wait_ms: config.max_wait_ms,
            fallback: if config.refuse { Fallback::Refuse } else { Fallback::Band },
        };
        let parsed = Config::new(settings).expect("a valid configuration");
        Self { kernel: Heartbeat::new(parsed), reference: Reference::new(config.clone()) }
    }

    /// Tells both, and gives both answers: the kernel's, and the same in the reference's words.
    pub fn handle(
        &mut self,
        event: &RefEvent,
        at: u64,
    ) -> (Result<Decision, Misuse>, RefDecision, RefDecision) {
        let answer = self.kernel.handle(to_kernel(event), Instant::from_nanos(at));
        (answer, in_reference_words(&answer), self.reference.handle(event, at))
    }
}

/// An event in the kernel's words.
#[must_use]
pub fn to_kernel(event: &RefEvent) -> Event {
    match event {
        RefEvent::Begin => Event::Begin,
        RefEvent::Tick => Event::Tick,
        RefEvent::TimingLost => Event::TimingLost,
        RefEvent::Close => Event::Close,
        RefEvent::Created(success) => report(success.attempt, Outcome::Created(to_success(success))),
        RefEvent::Extended(success) => report(success.attempt, Outcome::Extended(to_success(success))),
        RefEvent::Denied(attempt) => report(*attempt, Outcome::Denied),
        RefEvent::Failed(failure) => report(failure.attempt, Outcome::Failed(to_failure(failure))),
    }
}

fn report(attempt: Option<u32>, outcome: Outcome) -> Event {
    Event::Report { attempt: attempt.map(AttemptId::new), outcome }
}

fn to_success(success: &RefSuccess) -> Success {
    Success {
        rtt_ns: success.rtt_ns,
        remaining_ttl_ms: success.remaining_ttl_ms,
        expires_at_ms: success.expires_at_ms,
    }
}

fn to_failure(failure: &RefFailure) -> Failure {
    match &failure.kind {
        RefKind::Timeout => Failure::Timeout,
        RefKind::Connection => Failure::Connection,
        RefKind::Ambiguous => Failure::Ambiguous,
        RefKind::Http { status, code, retry_after } => Failure::Http(HttpFailure {
            status: *status,
            code: code.as_deref().and_then(leasebeat::ErrorCode::from_name),
            retry_after: retry_after.as_deref().and_then(|header| parse_retry_after(header.as_bytes())),
        }),
    }
}

fn in_reference_words(answer: &Result<Decision, Misuse>) -> RefDecision {
    match answer {
        Err(misuse) => RefDecision::Error(misuse.as_str()),
        Ok(decision) => match decision.action {
            Action::Send(attempt) => RefDecision::Send {
                create: attempt.operation == Operation::Create,
                fresh: attempt.key == Key::Fresh,
                attempt: attempt.id.get(),
                timeout_ms: attempt.timeout.map(Millis::get),
            },
            Action::Wait(wait) => RefDecision::Wait(wait.map(Millis::get)),
            Action::Stop(reason) => RefDecision::Stop(reason.as_str()),
        },
    }
}
