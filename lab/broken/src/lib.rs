//! Kernels that are broken on purpose, each in one spot (`faults.rs`), to see that the lab notices. They are copies of the kernel's own source,
//! made by the build script, and speak the kernel's own types through an adapter.

/// Makes the broken kernel of a module a [`leasebeat_lab::Kernel`].
macro_rules! adapt {
    ($fault:ident) => {
        impl leasebeat_lab::Kernel for $fault::Heartbeat {
            fn new(config: leasebeat::Config) -> Self {
                let leasebeat::Settings {
                    extend_by_ms,
                    request_timeout_ms,
                    clock_resolution_ns,
                    max_wait_ms,
                    fallback,
                } = config.into();
                let fallback = match fallback {
                    leasebeat::Fallback::Band => $fault::Fallback::Band,
                    leasebeat::Fallback::Refuse => $fault::Fallback::Refuse,
                };
                let settings = $fault::Settings {
                    extend_by_ms,
                    request_timeout_ms,
                    clock_resolution_ns,
                    max_wait_ms,
                    fallback,
                };
                Self::new($fault::Config::new(settings).expect("in range, as it was before"))
            }

            fn handle(
                &mut self,
                event: leasebeat::Event,
                now: leasebeat::Instant,
            ) -> Result<leasebeat::Decision, leasebeat::Misuse> {
                let success = |success: leasebeat::Success| {
                    let leasebeat::Success { rtt_ns, remaining_ttl_ms, expires_at_ms } = success;
                    $fault::Success { rtt_ns, remaining_ttl_ms, expires_at_ms }
                };
                let failure = |failure| match failure {
                    leasebeat::Failure::Timeout => $fault::Failure::Timeout,
                    leasebeat::Failure::Connection => $fault::Failure::Connection,
                    leasebeat::Failure::Ambiguous => $fault::Failure::Ambiguous,
                    leasebeat::Failure::Http(leasebeat::HttpFailure { status, code, retry_after }) => {
                        $fault::Failure::Http($fault::HttpFailure {
                            status,
                            code: code.and_then(|code| $fault::ErrorCode::from_name(code.as_str())),
                            retry_after: retry_after.map(|after| $fault::Millis::new(after.get())),
                        })
                    }
                };
                let event = match event {
                    leasebeat::Event::Begin => $fault::Event::Begin,
                    leasebeat::Event::Tick => $fault::Event::Tick,
                    leasebeat::Event::TimingLost => $fault::Event::TimingLost,
                    leasebeat::Event::Close => $fault::Event::Close,
                    leasebeat::Event::Report { attempt, outcome } => $fault::Event::Report {
                        attempt: attempt.map(|id| $fault::AttemptId::new(id.get())),
                        outcome: match outcome {
                            leasebeat::Outcome::Created(it) => $fault::Outcome::Created(success(it)),
                            leasebeat::Outcome::Extended(it) => $fault::Outcome::Extended(success(it)),
                            leasebeat::Outcome::Denied => $fault::Outcome::Denied,
                            leasebeat::Outcome::Failed(it) => $fault::Outcome::Failed(failure(it)),
                        },
                    },
                };
                match self.handle(event, $fault::Instant::from_nanos(now.as_nanos())) {
                    Ok(decision) => Ok(Adapted::from(decision).0),
                    Err(misuse) => Err(named(misuse.as_str(), leasebeat::Misuse::from_name)),
                }
            }

            fn lead(&self, now: leasebeat::Instant) -> leasebeat::Millis {
                leasebeat::Millis::new(self.lead($fault::Instant::from_nanos(now.as_nanos())).get())
            }

            fn fence(&self) -> Option<leasebeat::Instant> {
                self.fence().map(|at| leasebeat::Instant::from_nanos(at.as_nanos()))
            }

            fn danger(&self) -> Option<leasebeat::Instant> {
                self.danger().map(|at| leasebeat::Instant::from_nanos(at.as_nanos()))
            }

            fn next_deadline(&self) -> Option<leasebeat::Instant> {
                self.next_deadline().map(|at| leasebeat::Instant::from_nanos(at.as_nanos()))
            }

            fn restored(&self, now: leasebeat::Instant) -> (Self, leasebeat::Decision) {
                let (kernel, decision) = self.snapshot().restore($fault::Instant::from_nanos(now.as_nanos()));
                (kernel, Adapted::from(decision).0)
            }
        }

        impl From<$fault::Decision> for Adapted {
            fn from(decision: $fault::Decision) -> Self {
                let action = match decision.action {
                    $fault::Action::Send(attempt) => leasebeat::Action::Send(leasebeat::Attempt {
                        id: leasebeat::AttemptId::new(attempt.id.get()),
                        key_generation: attempt.key_generation,
                        operation: named(attempt.operation.as_str(), leasebeat::Operation::from_name),
                        key: named(attempt.key.as_str(), leasebeat::Key::from_name),
                        extend_by: leasebeat::Millis::new(attempt.extend_by.get()),
                        timeout: attempt.timeout.map(|timeout| leasebeat::Millis::new(timeout.get())),
                    }),
                    $fault::Action::Wait(wait) => {
                        leasebeat::Action::Wait(wait.map(|wait| leasebeat::Millis::new(wait.get())))
                    }
                    $fault::Action::Stop(reason) => {
                        leasebeat::Action::Stop(named(reason.as_str(), leasebeat::StopReason::from_name))
                    }
                };
                let rule = named(decision.rule.id(), leasebeat::Rule::from_name);
                Self(leasebeat::Decision { action, rule })
            }
        }
    };
}

/// A decision in the kernel's own words.
struct Adapted(leasebeat::Decision);

/// What has the same name there and here.
fn named<T>(name: &str, find: impl Fn(&str) -> Option<T>) -> T {
    find(name).expect("the copy has the names of the kernel")
}

include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
