//! Plans: what a timeout, a lead and a round trip come to.

use leasebeat::{Config, Millis, Plan, Settings};

use crate::words::{number, optional, put_rounded};

/// P3, P4, for the request timeout in word 0, the lead in 2 and the slowest round trip in 4: attempt budget, safety margin,
/// retry reserve, delay, largest timeout and shortest lead from word 0, -1 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn plan() {
    let settings = Settings { request_timeout_ms: optional(0), ..Settings::new(1) };
    let Ok(config) = Config::new(settings) else { return };
    let plan = Plan::new(&config, Millis::new(number(2)), Millis::new(number(4)));
    put_rounded(0, plan.attempt_budget());
    put_rounded(1, Some(plan.safety_margin()));
    put_rounded(2, plan.retry_reserve());
    put_rounded(3, plan.delay());
    put_rounded(4, plan.largest_timeout());
    put_rounded(5, plan.shortest_lead());
}
