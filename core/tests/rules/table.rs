//! A timeline as a table: at an instant an event, and what is expected of the kernel then.
//!
//! Every event is held to the law of progress, and every error to L2, whatever else a test expects.

use leasebeat::{
    Action, AttemptId, Config, Decision, ErrorCode, Event, Failure, Heartbeat, HttpFailure, Instant, Key,
    Millis, Misuse, Operation, Outcome, Rule, Settings, StopReason, Success,
};

pub(crate) use Key::{Fresh, Same};

pub(crate) const MS: u64 = 1_000_000;
/// The server's clock says this at the create; expiries count from it.
pub(crate) const E: u64 = 1_785_585_660_000;
pub(crate) const UNTIMED: Option<u64> = None;
pub(crate) const END_NS: u64 = u64::MAX;

#[allow(clippy::unnecessary_wraps)] // UNTIMED is the other one there is
pub(crate) const fn rtt_ms(ms: u64) -> Option<u64> {
    Some(ms * MS)
}

#[allow(clippy::unnecessary_wraps)] // as above
pub(crate) const fn rtt_ns(ns: u64) -> Option<u64> {
    Some(ns)
}

/// A day-to-day lease: 60 s by 60 s, attempts bounded by 10 s. With no round trip its attempt budget is
/// 10,000 ms, its margin 1,000 ms and its reserve 21,000 ms.
pub(crate) const fn minute() -> Settings {
    Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) }
}

pub(crate) const fn timeout_ms(ms: u64) -> Settings {
    Settings { request_timeout_ms: Some(ms), ..minute() }
}

pub(crate) const fn resolution_ms(ms: u64) -> Settings {
    Settings { clock_resolution_ns: ms * MS, ..minute() }
}

pub(crate) const fn http(status: u16) -> Failure {
    Failure::Http(HttpFailure { status, code: None, retry_after: None })
}

pub(crate) const fn coded(status: u16, code: ErrorCode) -> Failure {
    Failure::Http(HttpFailure { status, code: Some(code), retry_after: None })
}

pub(crate) const fn retry_after_ms(ms: u64) -> Failure {
    Failure::Http(HttpFailure { status: 429, code: None, retry_after: Some(Millis::new(ms)) })
}

/// A timeline as far as it has come. Copy it where it forks.
#[derive(Clone, Copy)]
pub(crate) struct Table {
    pub(crate) kernel: Heartbeat,
    now: Instant,
    answering: Option<AttemptId>,
    result: Option<Result<Decision, Misuse>>,
}

pub(crate) fn table(settings: Settings) -> Table {
    let kernel = Heartbeat::new(Config::new(settings).unwrap());
    Table { kernel, now: Instant::ORIGIN, answering: None, result: None }
}

/// The day-to-day lease with its first beat in flight since 39,000 ms, and 60,000 ms proved at 0.
#[track_caller]
pub(crate) fn beating() -> Table {
    table(minute()).at(0).created(rtt_ms(0), 60_000).waits(39_000).at(39_000).tick().sends(Fresh, 1)
}

/// When.
impl Table {
    pub(crate) fn at(self, ms: u64) -> Self {
        self.at_ns(ms * MS)
    }

    pub(crate) fn at_ns(mut self, ns: u64) -> Self {
        self.now = Instant::from_nanos(ns);
        self
    }

    pub(crate) fn later(self, ms: u64) -> Self {
        self.later_ns(ms * MS)
    }

    pub(crate) fn later_ns(self, ns: u64) -> Self {
        self.at_ns(self.now.as_nanos() + ns)
    }

    pub(crate) fn earlier_ns(self, ns: u64) -> Self {
        self.at_ns(self.now.as_nanos() - ns)
    }
}

/// What happens.
impl Table {
    /// The next report names this attempt.
    pub(crate) fn answering(mut self, attempt: u32) -> Self {
        self.answering = Some(AttemptId::new(attempt));
        self
    }

    #[track_caller]
    pub(crate) fn begin(self) -> Self {
        self.event(Event::Begin)
    }

    #[track_caller]
    pub(crate) fn tick(self) -> Self {
        self.event(Event::Tick)
    }

    #[track_caller]
    pub(crate) fn timing_lost(self) -> Self {
        self.event(Event::TimingLost)
    }

    #[track_caller]
    pub(crate) fn close(self) -> Self {
        self.event(Event::Close)
    }

    /// A create that says what remains.
    #[track_caller]
    pub(crate) fn created(self, rtt_ns: Option<u64>, remaining_ms: u64) -> Self {
        self.report(Outcome::Created(success(rtt_ns, Some(remaining_ms), Some(E))))
    }

    /// A create that does not, and may not even carry an expiry.
    #[track_caller]
    pub(crate) fn created_bare(self, rtt_ns: Option<u64>, expires_at_ms: Option<u64>) -> Self {
        self.report(Outcome::Created(success(rtt_ns, None, expires_at_ms)))
    }

    #[track_caller]
    pub(crate) fn denied(self) -> Self {
        self.report(Outcome::Denied)
    }

    /// An extend that says what remains.
    #[track_caller]
    pub(crate) fn extended(self, rtt_ns: Option<u64>, remaining_ms: u64) -> Self {
        self.extended_until(rtt_ns, remaining_ms, E)
    }

    /// The same, where its expiry matters.
    #[track_caller]
    pub(crate) fn extended_until(self, rtt_ns: Option<u64>, remaining_ms: u64, expires_at_ms: u64) -> Self {
        self.report(Outcome::Extended(success(rtt_ns, Some(remaining_ms), Some(expires_at_ms))))
    }

    /// An extend that does not.
    #[track_caller]
    pub(crate) fn extended_bare(self, rtt_ns: Option<u64>, expires_at_ms: u64) -> Self {
        self.report(Outcome::Extended(success(rtt_ns, None, Some(expires_at_ms))))
    }

    #[track_caller]
    pub(crate) fn failed(self, failure: Failure) -> Self {
        self.report(Outcome::Failed(failure))
    }

    #[track_caller]
    pub(crate) fn report(mut self, outcome: Outcome) -> Self {
        let attempt = self.answering.take();
        self.event(Event::Report { attempt, outcome })
    }

    #[track_caller]
    pub(crate) fn event(mut self, event: Event) -> Self {
        let before = self.kernel;
        let result = self.kernel.handle(event, self.now);
        match result {
            Err(_) => assert_eq!(self.kernel, before, "L2: an error changes nothing"),
            Ok(decision) => {
                assert_ne!(decision.action, Action::Wait(Some(Millis::ZERO)), "T4: never a wait of 0");
                let ahead = self.kernel.next_deadline().is_none_or(|deadline| deadline > self.now);
                assert!(ahead || self.now.as_nanos() == END_NS, "the law of progress: {decision:?}");
            }
        }
        self.result = Some(result);
        self
    }
}

const fn success(rtt_ns: Option<u64>, remaining_ttl_ms: Option<u64>, expires_at_ms: Option<u64>) -> Success {
    Success { rtt_ns, remaining_ttl_ms, expires_at_ms }
}

/// What is expected of the last event.
impl Table {
    #[track_caller]
    pub(crate) fn decision(&self) -> Decision {
        self.result.expect("an event before an expectation").expect("no misuse")
    }

    #[track_caller]
    fn acts(self, action: Action) -> Self {
        let decision = self.decision();
        assert_eq!(decision.action, action, "at {} ns, by {}", self.now.as_nanos(), decision.rule);
        self
    }

    #[track_caller]
    pub(crate) fn waits(self, ms: u64) -> Self {
        self.acts(Action::Wait(Some(Millis::new(ms))))
    }

    #[track_caller]
    pub(crate) fn waits_for_an_event(self) -> Self {
        self.acts(Action::Wait(None))
    }

    #[track_caller]
    pub(crate) fn stops(self, reason: StopReason) -> Self {
        assert_eq!(self.acts(Action::Stop(reason)).kernel.stopped(), Some(reason));
        self
    }

    /// An extend, the `attempt`th of all sends.
    #[track_caller]
    pub(crate) fn sends(self, key: Key, attempt: u32) -> Self {
        self.sends_the(Operation::Extend, key, attempt)
    }

    #[track_caller]
    pub(crate) fn sends_a_create(self, key: Key, attempt: u32) -> Self {
        self.sends_the(Operation::Create, key, attempt)
    }

    #[track_caller]
    fn sends_the(self, operation: Operation, key: Key, attempt: u32) -> Self {
        let decision = self.decision();
        let Action::Send(sent) = decision.action else { panic!("no send: {decision:?}") };
        let config = self.kernel.config();
        assert_eq!((sent.operation, sent.key, sent.id.get()), (operation, key, attempt), "{decision:?}");
        assert_eq!((sent.timeout, sent.extend_by), (config.request_timeout(), config.extend_by()));
        self
    }

    #[track_caller]
    pub(crate) fn by(self, rule: Rule) -> Self {
        assert_eq!(self.decision().rule, rule);
        self
    }

    #[track_caller]
    pub(crate) fn is_a_misuse(self, misuse: Misuse) -> Self {
        assert_eq!(self.result, Some(Err(misuse)));
        self
    }
}
