//! Explanations: the numbers behind a decision, in words, computed only when asked for and without allocation.

use core::fmt::Write;

use crate::budget::{Budget, Plan};
use crate::decision::{Action, Attempt, Decision, Rule, StopReason};
use crate::names;
use crate::state::{Heartbeat, Mode};
use crate::time::Millis;
use crate::words::{Line, Words};

/// Why a decision was made. `{}` prints it as one sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Explanation {
    /// The rule that decided.
    pub rule: Rule,
    /// The numbers it decided by, where it decided by numbers.
    pub numbers: Option<Numbers>,
    /// What the host's owner can do about a stop or a zero delay, where anything can be done.
    pub remedy: Option<Remedy>,
}

/// The numbers of the path the lease is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// The server says what remains (P, R).
    Primary {
        /// The lead proved at that instant; of a success, its `lead_floor` (P2).
        lead: Millis,
        /// `None`: unbounded, as the request timeout is unknown (P3).
        attempt_budget: Option<Millis>,
        /// P3.
        safety_margin: Millis,
        /// `None`: unbounded (P3).
        retry_reserve: Option<Millis>,
        /// `lead - attempt_budget - safety_margin`, cut to 64 bits; `None`: unboundedly negative (R1).
        window_ms: Option<i64>,
    },
    /// The server does not (F).
    Fallback {
        /// The last measured grant; 0 where it was not measured or not positive (F2).
        grant: Millis,
        /// Whether the server was found to clamp (F4).
        clamped: bool,
    },
}

/// What can be done about it, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Remedy {
    /// No lead was proved: the round trip was not measured, or took all that remained.
    MeasureRoundTrip,
    /// The request timeout is unknown; below this one a lease like this is safe, where any is.
    SetRequestTimeout {
        /// Exclusive bound.
        below: Option<Millis>,
    },
    /// The request timeout is too long for the lease.
    ShortenRequestTimeout {
        /// The timeout it is.
        timeout: Millis,
        /// It needs a lease above this.
        needs: Millis,
        /// For this lease it must be below this.
        below: Millis,
    },
    /// The lease is too short for any timeout, with the round trips there were.
    LengthenLease {
        /// A lease above this would do.
        needs: Millis,
    },
    /// A plain sentence.
    Advice(&'static str),
}

impl Heartbeat {
    /// Why `decision` was made: the numbers, and what can be done about it. Nothing of it is computed before,
    /// so a decision costs the same whether or not it is explained.
    ///
    /// `decision` is the last one this kernel made: the numbers are read back from it. To explain later, copy
    /// the kernel, or keep the [`Explanation`].
    #[must_use]
    pub fn explain(&self, decision: &Decision) -> Explanation {
        Explanation { rule: decision.rule, numbers: self.numbers(decision), remedy: self.remedy(decision) }
    }

    fn numbers(&self, decision: &Decision) -> Option<Numbers> {
        if matches!(decision.rule, Rule::L1 | Rule::L4 | Rule::F1 | Rule::F3) {
            return None;
        }
        if self.mode == Mode::Fallback {
            return Some(Numbers::Fallback { grant: self.ledger.grant(), clamped: self.ledger.clamped() });
        }
        let at_receipt = decision.rule == Rule::P5
            || decision.rule == Rule::P4 && matches!(decision.action, Action::Wait(_));
        let lead = if at_receipt { self.lead.floor } else { self.lead_now() };
        let plan = Plan::new(&self.config, lead, self.lead.margin.half());
        Some(Numbers::Primary {
            lead,
            attempt_budget: plan.attempt_budget(),
            safety_margin: plan.safety_margin(),
            retry_reserve: plan.retry_reserve(),
            window_ms: plan.attempt_budget().map(|budget| signed_window(lead, budget, plan.safety_margin())),
        })
    }

    fn remedy(&self, decision: &Decision) -> Option<Remedy> {
        match decision.action {
            Action::Stop(StopReason::NoSafeRetry) | Action::Send(_) if decision.rule == Rule::T6 => {
                Some(Remedy::Advice("use a clock that counts time asleep, so that a resume is no jump"))
            }
            Action::Send(_) if decision.rule == Rule::P5 => Some(self.dead_zone()),
            Action::Stop(StopReason::LeaseTooShort) => Some(self.dead_zone()),
            Action::Stop(reason) => advice(reason).map(Remedy::Advice),
            _ => None,
        }
    }

    /// P5: why a success leaves no delay, and what would.
    fn dead_zone(&self) -> Remedy {
        if self.lead.floor.is_zero() {
            return Remedy::MeasureRoundTrip;
        }
        let plan = self.plan();
        let below = plan.largest_timeout().map(|largest| largest.plus(Millis::new(1)));
        match (self.config.request_timeout(), below) {
            (None, below) => Remedy::SetRequestTimeout { below },
            (Some(timeout), Some(below)) => {
                Remedy::ShortenRequestTimeout { timeout, needs: self.budget().reserve(), below }
            }
            (Some(_), None) => {
                Remedy::LengthenLease { needs: Budget::new(Millis::ZERO, self.lead.margin).reserve() }
            }
        }
    }
}

const fn advice(reason: StopReason) -> Option<&'static str> {
    Some(match reason {
        StopReason::NoSafeRetry | StopReason::ZeroWindowSpent => {
            "a shorter request timeout or a longer lease leaves room for more retries"
        }
        StopReason::CreateAmbiguous => {
            "the reservation may exist: find out by the same idempotency key before creating another"
        }
        StopReason::NoProgress => "use a finer clock, or declare its clock_resolution_ns",
        StopReason::Throttled => {
            "have the server allow more requests, or ask for a longer lease so that its Retry-After fits"
        }
        StopReason::Rejected => "read the error code and message of the answer",
        StopReason::UnexpectedStatus => "check the URL: an extend is answered by 200, 4xx or 5xx",
        StopReason::MaxExtensionsExceeded => {
            "ask for longer extensions, or have the tenant's limit of extensions raised"
        }
        StopReason::RemainingTtlAbsent => "use a server that returns remaining_ttl_ms, or allow the fallback",
        _ => return None,
    })
}

fn signed_window(lead: Millis, budget: Millis, margin: Millis) -> i64 {
    let needed = i128::from(budget.get()).saturating_add(i128::from(margin.get()));
    let window = i128::from(lead.get()).saturating_sub(needed);
    i64::try_from(window).unwrap_or(if window.is_negative() { i64::MIN } else { i64::MAX })
}

/// What each rule says, in the order of the rules.
macro_rules! meanings {
    ($($rule:ident = $meaning:literal,)*) => {
        const MEANINGS: &str = concat!($($meaning, "\0"),*);
        #[allow(clippy::indexing_slicing)] // by the compiler
        const _: () = {
            let (all, mut at) = ([$(Rule::$rule),*], 0);
            while at < all.len() {
                assert!(all[at] as usize == at);
                at += 1;
            }
        };
    };
}

meanings! {
    T4 = "not due yet",
    T6 = "timing was lost, and unknown time is never read as zero",
    L1 = "a lease begins with its create",
    L3 = "an attempt is in flight",
    L4 = "a create may be retried once, with the same key",
    L5 = "closed, or stopped before",
    C3 = "the server's answer is permanent",
    C4 = "the answer proves neither success nor a passing failure",
    P4 = "a beat is due when the lead has shrunk to the retry reserve",
    P5 = "the lead does not exceed the retry reserve; one such success is followed at once, two stop",
    R2 = "no complete retry plus margin fits",
    R3 = "the window is exactly zero: one retry",
    R4 = "no time has passed since the last failure",
    R5 = "the failure may pass: retry with the same key",
    R6 = "the server throttles: retry exactly when it allows, if that fits",
    R8 = "the wait ended with less than an attempt left",
    F1 = "the server does not say what remains",
    F3 = "an unknown lease is extended at once",
    F4 = "beat by what the last extension granted",
    F5 = "enough lead is proved to skip a beat",
    F6 = "retry with the same key at the cadence",
}

impl Rule {
    /// What the rule says, in a few words.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        static STARTS: [u16; Rule::ALL.len() + 1] = names::starts(MEANINGS);
        names::without_nul(names::nth(MEANINGS, &STARTS, self as usize))
    }
}

written!(Decision, Explanation, Remedy);
printed!(Action, Numbers);

impl Words for Rule {
    #[inline(never)]
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        line.text(self.meaning()).text(" (").text(self.id()).text(")");
    }
}

impl Words for Decision {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        line.then(&self.action).text(": ").then(&self.rule);
    }
}

impl Words for Action {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        match self {
            Self::Send(Attempt { id, operation, key, .. }) => {
                line.text("send ").text(operation.as_str()).text(" #").number(id.get().into());
                line.text(" with the ").text(key.as_str()).text(" key")
            }
            Self::Wait(Some(wait)) => line.text("wait ").then(wait),
            Self::Wait(None) => line.text("wait for the next event"),
            Self::Stop(reason) => line.text("stop, ").text(reason.as_str()),
        };
    }
}

impl Words for Explanation {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        line.then(&self.rule);
        if let Some(numbers) = &self.numbers {
            line.text("; ").then(numbers);
        }
        if let Some(remedy) = &self.remedy {
            line.text("; ").then(remedy);
        }
    }
}

impl Words for Numbers {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        match self {
            Self::Primary { lead, attempt_budget, safety_margin, retry_reserve, window_ms } => {
                line.text("lead ").then(lead).text(", attempt budget ");
                let Some(budget) = attempt_budget else {
                    line.text("unbounded: the request timeout is unknown");
                    return;
                };
                line.then(budget).text(", margin ").then(safety_margin);
                if let (Some(reserve), Some(window)) = (retry_reserve, window_ms) {
                    line.text(", reserve ").then(reserve).text(", window ").signed(*window).text(" ms");
                }
            }
            Self::Fallback { grant, clamped } => {
                line.text("grant ").then(grant);
                if *clamped {
                    line.text(": unmeasured, or an echo of the time between beats");
                }
            }
        }
    }
}

impl Words for Remedy {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        const KEEP_BELOW: &str = "; for this lease keep it below ";
        match self {
            Self::MeasureRoundTrip => line.text(
                "no lead is proved: measure each round trip on a monotonic clock, and see that the lease outlasts it",
            ),
            Self::SetRequestTimeout { below } => {
                line.text("enforce a request timeout");
                match below {
                    Some(below) => line.text(KEEP_BELOW).then(below),
                    None => line.text(", and ask for a longer lease"),
                }
            }
            Self::ShortenRequestTimeout { timeout, needs, below } => {
                line.text("request timeout ").then(timeout).text(" needs a lease above ").then(needs);
                line.text(KEEP_BELOW).then(below)
            }
            Self::LengthenLease { needs } => line
                .text("no request timeout is short enough: with these round trips the lease must exceed ")
                .then(needs),
            Self::Advice(advice) => line.text(advice),
        };
    }
}
