//! Explanations: why the last decision was made, in words and in numbers.

use core::fmt::Write;

use leasebeat::{Explanation, Numbers};

use crate::lease::Lease;
use crate::text::Text;
use crate::words::{put, put_rounded};

/// Explains the last decision: the text to words 0 and 1, and to 2 where in it the remedy starts, -1 for none. Gives
/// `numbers | rule << 2`: which numbers are from word 3 on, none (0), lead, attempt budget, margin, reserve and window (1), a grant (2), or one of a
/// server that clamps (3).
///
/// # Safety
/// `lease` is from `create`.
#[unsafe(no_mangle)]
#[allow(clippy::cast_precision_loss)] // memory ends at 2^26
pub unsafe extern "C" fn explain(lease: *const Lease) -> u32 {
    // SAFETY: the caller's word.
    let lease = unsafe { &*lease };
    let explanation = lease.heartbeat.explain(&lease.last);
    let mut text = Text::new();
    // No sentence is too long.
    let _ = Explanation { remedy: None, ..explanation }.write_to(&mut text);
    put(2, -1.0);
    if let Some(remedy) = explanation.remedy {
        let _ = text.write_str("; ");
        put(2, text.length() as f64);
        let _ = remedy.write_to(&mut text);
    }
    text.put(0);
    explanation.numbers.map_or(0, put_numbers) | (explanation.rule as u32) << 2
}

#[allow(clippy::cast_precision_loss)] // a window so long is rounded
fn put_numbers(numbers: Numbers) -> u32 {
    match numbers {
        Numbers::Primary { lead, attempt_budget, safety_margin, retry_reserve, window_ms } => {
            put_rounded(3, Some(lead));
            put_rounded(4, attempt_budget);
            put_rounded(5, Some(safety_margin));
            put_rounded(6, retry_reserve);
            put(7, window_ms.map_or(f64::NAN, |ms| ms as f64));
            1
        }
        Numbers::Fallback { grant, clamped } => {
            put_rounded(3, Some(grant));
            2 + u32::from(clamped)
        }
    }
}
