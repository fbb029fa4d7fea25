//! What one attempt may cost and what a retry needs (P3), and what follows from it for a lease of a given length.

use crate::time::Millis;

/// P3. An unknown request timeout is an attempt budget of [`Millis::MAX`]: no lead outlasts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Budget {
    /// `attempt_budget`: how long one attempt may take until its failure is known.
    pub(crate) attempt: Millis,
    /// `safety_margin`: what timers and the network may steal besides.
    pub(crate) margin: Millis,
}

impl Budget {
    /// The least an attempt and a margin are counted as, however fast the network.
    pub(crate) const FLOOR: Millis = Millis::new(1_000);

    /// With the request timeout, infinite where it is unknown, and the `safety_margin` as the RTTs so far have made it: at least [`FLOOR`](Self::FLOOR).
    pub(crate) fn new(request_timeout: Millis, margin: Millis) -> Self {
        let attempt = request_timeout.max(margin);
        Self { attempt, margin }
    }

    /// `retry_reserve`: one failed attempt, one retry and the margin.
    pub(crate) fn reserve(&self) -> Millis {
        self.attempt.doubled().plus(self.margin)
    }

    /// P4: how long after its receipt a success lets the host wait.
    pub(crate) fn delay(&self, lead_floor: Millis) -> Millis {
        lead_floor.minus(self.reserve())
    }

    /// R1: what a lead leaves for waiting before one attempt and the margin; `None` is a negative window.
    pub(crate) fn window(&self, lead: Millis) -> Option<Millis> {
        lead.checked_minus(self.attempt)?.checked_minus(self.margin)
    }
}

/// What a timeout, a lead and a round trip come to, before anything is sent.
///
/// ```
/// use leasebeat::{Config, Millis, Plan, Settings};
///
/// let config = Config::new(Settings { request_timeout_ms: Some(30_000), ..Settings::new(60_000) })?;
/// let plan = Plan::new(&config, Millis::new(60_000), Millis::ZERO);
/// assert_eq!(plan.delay(), None); // the dead zone: a 30 s timeout needs 61 s
/// assert_eq!(plan.largest_timeout(), Some(Millis::new(29_499)));
/// # Ok::<(), leasebeat::ConfigError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Plan {
    lead: Millis,
    max_rtt: Millis,
    request_timeout: Option<Millis>,
}

impl Plan {
    /// The plan for answers that leave `lead` (the least `remaining_ttl_ms` to expect, less the round trip)
    /// on a network whose slowest round trip is `max_rtt`.
    #[must_use]
    pub fn new(config: &crate::Config, lead: Millis, max_rtt: Millis) -> Self {
        Self { lead, max_rtt, request_timeout: config.request_timeout() }
    }

    fn budget(&self) -> Budget {
        Budget::new(self.request_timeout.unwrap_or(Millis::MAX), Budget::FLOOR.max(self.max_rtt.doubled()))
    }

    /// How long one attempt may take until its failure is known (P3); `None`: unbounded.
    #[must_use]
    pub fn attempt_budget(&self) -> Option<Millis> {
        bounded(self.budget().attempt)
    }

    /// What timers and the network may steal besides (P3).
    #[must_use]
    pub fn safety_margin(&self) -> Millis {
        self.budget().margin
    }

    /// What the delay keeps in reserve: two attempts and the margin (P3); `None`: unbounded.
    #[must_use]
    pub fn retry_reserve(&self) -> Option<Millis> {
        bounded(self.budget().reserve())
    }

    /// How long after an answer the next beat follows (P4); `None` is the dead zone, where two such answers in
    /// a row stop the kernel (P5).
    #[must_use]
    pub fn delay(&self) -> Option<Millis> {
        Some(self.budget().delay(self.lead)).filter(|delay| !delay.is_zero())
    }

    /// The largest request timeout that leaves a positive delay; `None` where the round trip alone forbids it.
    #[must_use]
    pub fn largest_timeout(&self) -> Option<Millis> {
        let margin = self.budget().margin;
        let attempt = self.lead.checked_minus(margin)?.checked_minus(Millis::new(1))?.half();
        Some(attempt).filter(|attempt| *attempt >= margin)
    }

    /// The shortest lead that leaves a positive delay with this timeout; `None`: no lead does.
    #[must_use]
    pub fn shortest_lead(&self) -> Option<Millis> {
        self.retry_reserve().map(|reserve| reserve.plus(Millis::new(1)))
    }
}

/// T2: the largest number is infinity.
fn bounded(millis: Millis) -> Option<Millis> {
    Some(millis).filter(|millis| *millis < Millis::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Millis {
        Millis::new(ms)
    }

    #[track_caller]
    fn budget(timeout: Option<u64>, max_rtt: u64, attempt: u64, margin: u64, reserve: u64) {
        let budget = plan(0, max_rtt, timeout).budget();
        assert_eq!((budget.attempt, budget.margin, budget.reserve()), (ms(attempt), ms(margin), ms(reserve)));
    }

    #[test]
    fn p3_the_largest_of_timeout_floor_and_twice_the_rtt() {
        budget(Some(10_000), 1_500, 10_000, 3_000, 23_000);
        budget(Some(1), 0, 1_000, 1_000, 3_000);
        budget(Some(1_000), 500, 1_000, 1_000, 3_000);
        budget(Some(1_000), 501, 1_002, 1_002, 3_006);
        budget(None, 0, u64::MAX, 1_000, u64::MAX);
        budget(Some(1 << 63), 0, 1 << 63, 1_000, u64::MAX);
    }

    #[test]
    fn r1_the_window_is_exact_at_zero_and_at_the_end_of_u64() {
        let budget = plan(0, 0, Some(10_000)).budget();
        assert_eq!(budget.window(ms(10_999)), None);
        assert_eq!(budget.window(ms(11_000)), Some(ms(0)));
        assert_eq!(budget.window(ms(11_001)), Some(ms(1)));
        assert_eq!(plan(0, 0, Some(u64::MAX)).budget().window(Millis::MAX), None);
        assert_eq!(plan(0, 0, None).budget().window(Millis::MAX), None);
    }

    fn plan(lead: u64, max_rtt: u64, timeout: Option<u64>) -> Plan {
        Plan { lead: ms(lead), max_rtt: ms(max_rtt), request_timeout: timeout.map(ms) }
    }

    #[test]
    fn p4_the_plan_of_the_worked_example() {
        let worked = plan(60_000, 1_500, Some(10_000));
        assert_eq!(worked.attempt_budget(), Some(ms(10_000)));
        assert_eq!(worked.safety_margin(), ms(3_000));
        assert_eq!(worked.retry_reserve(), Some(ms(23_000)));
        assert_eq!(worked.delay(), Some(ms(37_000)));
        assert_eq!(worked.shortest_lead(), Some(ms(23_001)));
        assert_eq!(worked.largest_timeout(), Some(ms(28_499)));
    }

    #[test]
    fn p4_the_largest_timeout_is_the_last_with_a_delay() {
        for (lead, max_rtt) in [(60_000, 0), (60_001, 0), (60_000, 1_500), (3_001, 0), (6_007, 1_001)] {
            let largest = plan(lead, max_rtt, None).largest_timeout().map(Millis::get);
            assert!(plan(lead, max_rtt, largest).delay().is_some(), "{lead} {max_rtt}");
            assert_eq!(plan(lead, max_rtt, largest.map(|ms| ms + 1)).delay(), None, "{lead} {max_rtt}");
        }
        for (lead, max_rtt) in [(0, 0), (1_000, 0), (1_001, 0), (3_000, 0), (6_006, 1_001)] {
            assert_eq!(plan(lead, max_rtt, Some(1)).largest_timeout(), None);
            assert_eq!(plan(lead, max_rtt, Some(1)).delay(), None);
        }
    }

    #[test]
    fn p4_without_a_timeout_nothing_is_bounded() {
        let unknown = plan(60_000, 0, None);
        assert_eq!(
            (unknown.attempt_budget(), unknown.retry_reserve(), unknown.shortest_lead()),
            (None, None, None)
        );
        assert_eq!((unknown.delay(), unknown.largest_timeout()), (None, Some(ms(29_499))));
    }
}
