//! Plans: what a timeout, a lead and a round trip come to.

use leasebeat::{Config, Millis, Plan, Settings};

use crate::words::{optional, put_rounded, whole};

/// P3, P4, for the request timeout in word 0, the lead in 2 and the slowest round trip in 4: attempt budget, safety margin,
/// retry reserve, delay, largest timeout and shortest lead from word 0, -1 where there is none.
#[unsafe(no_mangle)]
pub extern "C" fn plan() {
    let settings = Settings { request_timeout_ms: optional(0), ..Settings::new(1) };
    let Ok(config) = Config::new(settings) else { return };
    let plan = Plan::new(&config, Millis::new(whole(2)), Millis::new(whole(4)));
    let all = [
        plan.attempt_budget(),
        Some(plan.safety_margin()),
        plan.retry_reserve(),
        plan.delay(),
        plan.largest_timeout(),
        plan.shortest_lead(),
    ];
    for (index, millis) in all.into_iter().enumerate() {
        put_rounded(index, millis.map(Millis::get));
    }
}
