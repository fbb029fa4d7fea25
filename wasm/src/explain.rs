//! Explanations: why the last decision was made. JavaScript puts the numbers into sentences.

use leasebeat::{Millis, Numbers, Remedy};

use crate::lease::Lease;
use crate::words::{put, put_rounded, put_text};

/// Explains the last decision: its rule's meaning as a text in words 0 and 1, and the numbers from word 6: lead, attempt
/// budget, margin, reserve, window (primary), or the grant (fallback). A remedy has its three numbers, or its text, from
/// word 2.
///
/// Gives `numbers | rule << 3 | remedy << 8`: numbers are none (0), primary (1), fallback (2) or clamped (3); a remedy is
/// none (0), `MeasureRoundTrip` (1), `SetRequestTimeout` (2, or 3 where it is hopeless), `ShortenRequestTimeout` (4),
/// `LengthenLease` (5), or advice (6).
///
/// # Safety
/// `lease` is from `lease_new`, and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn explain(lease: *const Lease) -> u32 {
    // SAFETY: the caller's word.
    let lease = unsafe { &*lease };
    let explanation = lease.heartbeat.explain(&lease.last);
    put_text(0, Some(explanation.rule.meaning().as_bytes()));
    let numbers = explanation.numbers.map_or(0, put_numbers);
    let remedy = explanation.remedy.map_or(0, put_remedy);
    numbers | (explanation.rule as u32) << 3 | remedy << 8
}

fn put_all<const N: usize>(from: usize, all: [Option<Millis>; N]) {
    for (index, millis) in (from..).zip(all) {
        put_rounded(index, millis.map(Millis::get));
    }
}

#[allow(clippy::cast_precision_loss)] // a window so long is rounded
fn put_numbers(numbers: Numbers) -> u32 {
    match numbers {
        Numbers::Primary { lead, attempt_budget, safety_margin, retry_reserve, window_ms } => {
            put_all(6, [Some(lead), attempt_budget, Some(safety_margin), retry_reserve]);
            put(10, window_ms.map_or(f64::NAN, |ms| ms as f64));
            1
        }
        Numbers::Fallback { grant, clamped } => {
            put_all(6, [Some(grant)]);
            2 + u32::from(clamped)
        }
    }
}

fn put_remedy(remedy: Remedy) -> u32 {
    match remedy {
        Remedy::SetRequestTimeout { below: Some(below) } => {
            put_all(2, [Some(below)]);
            2
        }
        Remedy::SetRequestTimeout { below: None } => 3,
        Remedy::ShortenRequestTimeout { timeout, needs, below } => {
            put_all(2, [Some(timeout), Some(needs), Some(below)]);
            4
        }
        Remedy::LengthenLease { needs } => {
            put_all(2, [Some(needs)]);
            5
        }
        Remedy::Advice(advice) => {
            put_text(2, Some(advice.as_bytes()));
            6
        }
        _ => 1,
    }
}
