//! Plans: what a timeout, a lead and a round trip come to.

use leasebeat::{Config, Millis, Plan, Settings};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::number::{optional, round_down, whole};
use crate::out::put;

/// P3, P4: attempt budget, safety margin, retry reserve, delay, largest timeout and shortest lead to `out`, -1 where
/// there is none.
#[wasm_bindgen]
pub fn plan(timeout: f64, timeout_low: f64, lead: f64, lead_low: f64, max_rtt: f64, max_rtt_low: f64) {
    let settings = Settings { request_timeout_ms: optional(timeout, timeout_low), ..Settings::new(1) };
    let Ok(config) = Config::new(settings) else { return };
    let plan = Plan::new(&config, Millis::new(whole(lead, lead_low)), Millis::new(whole(max_rtt, max_rtt_low)));
    let all = [
        plan.attempt_budget(),
        Some(plan.safety_margin()),
        plan.retry_reserve(),
        plan.delay(),
        plan.largest_timeout(),
        plan.shortest_lead(),
    ];
    for (index, millis) in all.into_iter().enumerate() {
        put(index, millis.map_or(-1.0, |millis| round_down(millis.get())));
    }
}
