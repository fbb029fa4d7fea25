//! Explanations: why the last decision was made.

use leasebeat::{Millis, Numbers};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::lease::Lease;
use crate::number::round_down;
use crate::out::put;
use crate::text::Writer;

/// Explains the last decision: its line for a log, what the rule says and by which numbers, and the remedy as texts in
/// the buffer (words 0 to 5 of `out`), and the numbers from word 6: lead, attempt budget, margin, reserve, window. Gives
/// which numbers they are, none (0), primary (1) or fallback (2: grant, and whether clamped), with the rule as
/// `number | rule << 2`.
///
/// # Safety
/// `lease` is from `lease_new`, and not freed.
#[wasm_bindgen]
#[must_use]
pub unsafe fn explain(lease: *const Lease) -> u32 {
    // SAFETY: the caller's word.
    let lease = unsafe { &*lease };
    let explanation = lease.heartbeat.explain(&lease.last);
    let mut writer = Writer::behind(0);
    writer.write(0, format_args!("{}", lease.last));
    writer.write(2, format_args!("{explanation}"));
    put(4, -1.0);
    if let Some(remedy) = &explanation.remedy {
        writer.write(4, format_args!("{remedy}"));
    }
    let bounded = |millis: Option<Millis>| millis.map_or(-1.0, |millis| round_down(millis.get()));
    let numbers = match explanation.numbers {
        None => 0,
        Some(Numbers::Primary { lead, attempt_budget, safety_margin, retry_reserve, window_ms }) => {
            let all = [Some(lead), attempt_budget, Some(safety_margin), retry_reserve];
            for (index, millis) in (6..).zip(all) {
                put(index, bounded(millis));
            }
            #[allow(clippy::cast_precision_loss)] // a window so long is rounded
            put(10, window_ms.map_or(f64::NAN, |ms| ms as f64));
            1
        }
        Some(Numbers::Fallback { grant, clamped }) => {
            put(6, round_down(grant.get()));
            put(7, f64::from(u8::from(clamped)));
            2
        }
    };
    numbers | (explanation.rule as u32) << 2
}
