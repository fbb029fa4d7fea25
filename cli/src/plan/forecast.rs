//! The numbers of a plan.
//!
//! Time is counted from the send of the create. Write T for the TTL, r for the slowest round trip, R for the
//! retry reserve (P3) and n for the extension budget. An answer that took x and leaves `remaining` is waited on
//! for `remaining - x - R` after its receipt (P2, P4), so the next send is `remaining - R` after the last one:
//! the round trip cancels out, and all that follows is sent-to-sent.
//!
//! **A server that caps the lead at T** answers each extension with `remaining = T`.
//! - beat k is sent at `k (T - R)`: the period is `T - R`
//! - the n-th extension is proved from its send, so the lease lasts until `n (T - R) + T`
//!
//! **A server that adds T to the current expiry** has it at `(k + 1) T` after k extensions.
//! - beat k + 1 is sent R before that expiry, at `(k + 1) T - R`: the first after `T - R`, then one each T
//! - the lease lasts until `(n + 1) T`
//!
//! **In the dead zone** (`T - r <= R`, so a slow answer leaves no delay) the first extension follows at once.
//! A capping server leaves no delay again, and the kernel stops (P5). An adding server has put the expiry at 2T;
//! the lead then proved is at least `2T - 3r`: create and extension may each take r and may each lie at
//! the worse end of it, and the receipt takes off r once more. If that exceeds R the lease lives on: the
//! second beat is sent at `2T - R`, the others and the end are as above.

use leasebeat::{Config, ConfigError, Millis, Plan, Settings};
use serde::Serialize;

const HOUR_MS: u64 = 3_600_000;

/// What is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) ttl: Millis,
    pub(super) timeout: Option<Millis>,
    pub(super) rtt: Millis,
    pub(super) max_extensions: Option<u64>,
}

/// What is answered. Serialized as it is: the names are part of the command's interface.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Forecast {
    pub(super) ttl_ms: u64,
    pub(super) timeout_ms: Option<u64>,
    pub(super) rtt_ms: u64,
    pub(super) max_extensions: Option<u64>,
    /// `None`: unbounded, as the timeout is unknown.
    pub(super) attempt_budget_ms: Option<u64>,
    pub(super) safety_margin_ms: u64,
    pub(super) retry_reserve_ms: Option<u64>,
    /// Whether the slowest answer leaves no delay.
    pub(super) dead_zone: bool,
    /// The lead and the delay that a quick answer leaves.
    pub(super) lead_quickest_ms: u64,
    pub(super) delay_quickest_ms: Option<u64>,
    /// The lead and the delay that the slowest answer leaves.
    pub(super) lead_slowest_ms: u64,
    pub(super) delay_slowest_ms: Option<u64>,
    /// A timeout below this is safe for this TTL and round trip; `None`: none is.
    pub(super) timeout_below_ms: Option<u64>,
    /// A TTL above this is long enough for this timeout and round trip; `None`: none is.
    pub(super) ttl_above_ms: Option<u64>,
    /// A TTL above this is long enough for this round trip, with a short enough timeout.
    pub(super) ttl_above_at_any_timeout_ms: u64,
    pub(super) capping_server: Service,
    pub(super) adding_server: Service,
}

/// How a lease fares with one kind of server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Service {
    pub(super) keeps_alive: bool,
    /// Send of the first extension after the send of the create. 0: at once.
    pub(super) first_beat_ms: u64,
    /// Between the sends of later extensions; `None` where the kernel stops instead.
    pub(super) beat_period_ms: Option<u64>,
    pub(super) extensions_per_hour: Option<f64>,
    /// When the lease ends once the extension budget is spent; `None` without a budget, or where the kernel
    /// stops before.
    pub(super) budget_lasts_ms: Option<u64>,
}

impl Forecast {
    pub(super) fn new(question: &Question) -> Result<Self, ConfigError> {
        let Question { ttl, timeout, rtt, max_extensions } = *question;
        let config = |timeout: Option<Millis>| {
            Config::new(Settings { request_timeout_ms: timeout.map(Millis::get), ..Settings::new(ttl.get()) })
        };
        let asked = config(timeout)?;
        let slowest = Millis::new(ttl.get().saturating_sub(rtt.get()));
        let quick = Plan::new(&asked, ttl, rtt);
        let slow = Plan::new(&asked, slowest, rtt);
        let shortest = Plan::new(&config(Some(Millis::new(1)))?, slowest, rtt);
        // An exclusive bound: the reserve itself leaves no delay.
        let above = |reserve: u64| reserve.saturating_add(rtt.get());
        let reserve = slow.retry_reserve().map(Millis::get);
        Ok(Self {
            ttl_ms: ttl.get(),
            timeout_ms: timeout.map(Millis::get),
            rtt_ms: rtt.get(),
            max_extensions,
            attempt_budget_ms: slow.attempt_budget().map(Millis::get),
            safety_margin_ms: slow.safety_margin().get(),
            retry_reserve_ms: reserve,
            dead_zone: slow.delay().is_none(),
            lead_quickest_ms: ttl.get(),
            delay_quickest_ms: quick.delay().map(Millis::get),
            lead_slowest_ms: slowest.get(),
            delay_slowest_ms: slow.delay().map(Millis::get),
            timeout_below_ms: slow.largest_timeout().map(|largest| largest.get().saturating_add(1)),
            ttl_above_ms: reserve.map(above),
            ttl_above_at_any_timeout_ms: above(shortest.retry_reserve().map_or(u64::MAX, Millis::get)),
            capping_server: Service::capping(question, &slow),
            adding_server: Service::adding(question, &asked, &slow),
        })
    }
}

impl Service {
    fn capping(question: &Question, slow: &Plan) -> Self {
        let Some(period) = period(question, slow) else { return Self::STOPS };
        let ttl = question.ttl.get();
        Self {
            keeps_alive: true,
            first_beat_ms: period,
            beat_period_ms: Some(period),
            extensions_per_hour: Some(per_hour(period)),
            budget_lasts_ms: question.max_extensions.map(|n| n.saturating_mul(period).saturating_add(ttl)),
        }
    }

    fn adding(question: &Question, config: &Config, slow: &Plan) -> Self {
        let ttl = question.ttl.get();
        let first = period(question, slow);
        let second_lead = ttl.saturating_mul(2).saturating_sub(question.rtt.get().saturating_mul(3));
        let second = Plan::new(config, Millis::new(second_lead), question.rtt);
        if first.is_none() && second.delay().is_none() {
            return Self::STOPS;
        }
        Self {
            keeps_alive: true,
            first_beat_ms: first.unwrap_or(0),
            beat_period_ms: Some(ttl),
            extensions_per_hour: Some(per_hour(ttl)),
            budget_lasts_ms: question.max_extensions.map(|n| n.saturating_add(1).saturating_mul(ttl)),
        }
    }

    /// One immediate extension, then P5 stops.
    const STOPS: Self = Self {
        keeps_alive: false,
        first_beat_ms: 0,
        beat_period_ms: None,
        extensions_per_hour: None,
        budget_lasts_ms: None,
    };
}

/// `T - R`, where even the slowest answer leaves a delay.
fn period(question: &Question, slow: &Plan) -> Option<u64> {
    slow.delay().map(|delay| delay.get().saturating_add(question.rtt.get()))
}

/// To three decimals: more would be noise in a plan.
#[allow(clippy::cast_precision_loss)] // a period is at most a day
fn per_hour(period_ms: u64) -> f64 {
    (HOUR_MS as f64 / period_ms as f64 * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forecast(ttl: u64, timeout: Option<u64>, rtt: u64, max_extensions: Option<u64>) -> Forecast {
        let question = Question {
            ttl: Millis::new(ttl),
            timeout: timeout.map(Millis::new),
            rtt: Millis::new(rtt),
            max_extensions,
        };
        Forecast::new(&question).expect("in range")
    }

    #[test]
    fn the_worked_example() {
        let plan = forecast(60_000, Some(10_000), 1_500, Some(10));
        assert_eq!(plan.attempt_budget_ms, Some(10_000));
        assert_eq!(plan.safety_margin_ms, 3_000);
        assert_eq!(plan.retry_reserve_ms, Some(23_000));
        assert_eq!((plan.lead_quickest_ms, plan.delay_quickest_ms), (60_000, Some(37_000)));
        assert_eq!((plan.lead_slowest_ms, plan.delay_slowest_ms), (58_500, Some(35_500)));
        assert_eq!((plan.dead_zone, plan.timeout_below_ms), (false, Some(27_750)));
        assert_eq!((plan.ttl_above_ms, plan.ttl_above_at_any_timeout_ms), (Some(24_500), 10_500));
        let capping = Service {
            keeps_alive: true,
            first_beat_ms: 37_000,
            beat_period_ms: Some(37_000),
            extensions_per_hour: Some(97.297),
            budget_lasts_ms: Some(430_000),
        };
        assert_eq!(plan.capping_server, capping);
        let adding = Service {
            keeps_alive: true,
            first_beat_ms: 37_000,
            beat_period_ms: Some(60_000),
            extensions_per_hour: Some(60.0),
            budget_lasts_ms: Some(660_000),
        };
        assert_eq!(plan.adding_server, adding);
    }

    #[test]
    fn a_timeout_of_half_the_ttl_is_the_dead_zone() {
        let plan = forecast(60_000, Some(30_000), 0, Some(10));
        assert_eq!((plan.dead_zone, plan.delay_quickest_ms, plan.delay_slowest_ms), (true, None, None));
        assert_eq!((plan.timeout_below_ms, plan.ttl_above_ms), (Some(29_500), Some(61_000)));
        assert_eq!(plan.capping_server, Service::STOPS);
        assert!(plan.adding_server.keeps_alive, "2 x 60 s exceeds the reserve of 61 s");
        assert_eq!(
            (plan.adding_server.first_beat_ms, plan.adding_server.budget_lasts_ms),
            (0, Some(660_000))
        );
    }

    #[test]
    fn each_bound_is_exclusive_and_exact() {
        for (ttl, rtt) in [(60_000, 0), (60_000, 1_500), (60_001, 0), (8_000, 3), (4_000, 499)] {
            let below = forecast(ttl, None, rtt, None).timeout_below_ms.expect("some timeout is safe");
            assert!(!forecast(ttl, Some(below - 1), rtt, None).dead_zone, "{ttl} {rtt}");
            assert!(forecast(ttl, Some(below), rtt, None).dead_zone, "{ttl} {rtt}");
        }
        for (timeout, rtt) in [(10_000, 1_500), (30_000, 0), (1, 0), (1_000, 501)] {
            let above = forecast(1, Some(timeout), rtt, None).ttl_above_ms.expect("some TTL is enough");
            assert!(forecast(above, Some(timeout), rtt, None).dead_zone, "{timeout} {rtt}");
            assert!(!forecast(above + 1, Some(timeout), rtt, None).dead_zone, "{timeout} {rtt}");
        }
    }

    #[test]
    fn an_unknown_timeout_leaves_nothing_bounded() {
        let plan = forecast(60_000, None, 0, Some(10));
        assert_eq!((plan.attempt_budget_ms, plan.retry_reserve_ms, plan.ttl_above_ms), (None, None, None));
        assert_eq!((plan.dead_zone, plan.timeout_below_ms), (true, Some(29_500)));
        assert_eq!((plan.capping_server, plan.adding_server), (Service::STOPS, Service::STOPS));
    }

    #[test]
    fn a_round_trip_alone_can_forbid_every_timeout() {
        let plan = forecast(8_000, Some(500), 2_000, None);
        assert_eq!((plan.dead_zone, plan.timeout_below_ms), (true, None));
        assert_eq!(plan.ttl_above_at_any_timeout_ms, 14_000);
    }

    #[test]
    fn an_adding_server_does_not_help_a_lease_that_is_too_short_twice() {
        // The reserve is 61 s: two leases of 30.5 s are not above it, two of 30.501 s are.
        assert!(!forecast(30_500, Some(30_000), 0, None).adding_server.keeps_alive);
        assert!(forecast(30_501, Some(30_000), 0, None).adding_server.keeps_alive);
        // Slow answers take off three round trips: reserve 63 s, 2 x 33.75 s - 3 x 1.5 s.
        assert!(!forecast(33_750, Some(30_000), 1_500, None).adding_server.keeps_alive);
        assert!(forecast(33_751, Some(30_000), 1_500, None).adding_server.keeps_alive);
    }

    #[test]
    fn the_budget_without_an_extension_is_the_ttl_and_a_huge_one_saturates() {
        let none = forecast(60_000, Some(10_000), 0, Some(0));
        assert_eq!(none.capping_server.budget_lasts_ms, Some(60_000));
        assert_eq!(none.adding_server.budget_lasts_ms, Some(60_000));
        let huge = forecast(60_000, Some(10_000), 0, Some(u64::MAX));
        assert_eq!(huge.capping_server.budget_lasts_ms, Some(u64::MAX));
        assert_eq!(huge.adding_server.budget_lasts_ms, Some(u64::MAX));
    }
}
