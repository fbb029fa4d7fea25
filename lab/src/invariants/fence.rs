//! I1: what the kernel claims to hold, the server holds.
//!
//! At every call, with the reading C taken at true time t, the lease ending at E, and the proven request sent at s:
//! `fence − C ≤ (E − t) + d·(t − s)` and `lead(C) ≤ (E − t) + d·(t − s)`, where d is the drift of the clock: nothing
//! but drift can make a claim too long, neither rounding nor a coarse clock. Where nothing is proved there is no fence,
//! and the lead is 0.

use leasebeat::Instant;

use super::Truth;
use super::seen::{MS, Seen};
use super::violation::{Held, Invariant::I1, at_most, ensure};
use crate::Kernel;

pub(super) fn check<K: Kernel>(seen: &Seen, kernel: &K, now: Instant, truth: &Truth) -> Held {
    let lead_ns = i128::from(kernel.lead(now).get()) * i128::from(MS);
    let Some(fence) = kernel.fence() else {
        return at_most(I1, "a lead without a fence, ns", lead_ns, 0);
    };
    let fence_ns = i128::from(fence.as_nanos());
    ensure(I1, "a fence where nothing is proved, ns", seen.proof.is_some(), fence_ns, 0)?;
    let Some(proof) = seen.trusted_proof() else { return Ok(()) };
    let granted = truth.expires_at_ns.is_some();
    ensure(I1, "a fence where the server granted nothing, ns", granted, fence_ns, 0)?;
    let ends_at_ns = i128::from(truth.expires_at_ns.unwrap_or(0));
    let left_ns = ends_at_ns - i128::from(truth.at_ns);
    let most_ns = left_ns + seen.drift_ns(truth.at_ns.saturating_sub(proof.sent_at_ns));
    at_most(
        I1,
        "the fence is later than the lease ends, ns left",
        fence_ns - i128::from(now.as_nanos()),
        most_ns,
    )?;
    at_most(I1, "the lead is above the true lead, ns", lead_ns, most_ns.max(0))
}
