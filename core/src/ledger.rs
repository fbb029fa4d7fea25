//! The fallback (F2–F5): grants measured by the server's own expiries, for servers that do not say what remains.

use crate::decision::{Rule, StopReason};
use crate::recovery::Retry;
use crate::response::Disposition;
use crate::time::{Instant, Millis};

const HELD_MAX_MS: u32 = 30_000;
/// F3, F4: no cadence is shorter.
const CADENCE_MIN_MS: u32 = 500;
/// F6: longer than any lease.
pub(crate) const THROTTLE_MAX: Millis = Millis::new(crate::config::EXTEND_BY_MAX_MS);

/// F2, and the cadence that F3 and F4 chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ledger {
    base: Millis,
    anchor: Instant,
    latest: Millis,
    /// The one before the latest; the latest itself where there is none.
    before: Millis,
    cadence_ms: u32,
    started: bool,
    clamped: bool,
}

impl Ledger {
    /// F3: `held`, the cadence where nothing better is known.
    pub(crate) fn held(extend_by_ms: u32) -> u32 {
        Self::at_most(HELD_MAX_MS, extend_by_ms)
    }

    /// F3, F4: a cadence of half an extension and of `most_ms` at most.
    pub(crate) fn at_most(most_ms: u32, extend_by_ms: u32) -> u32 {
        (extend_by_ms >> 1).min(most_ms).max(CADENCE_MIN_MS)
    }

    /// A ledger not yet started, with a cadence.
    pub(crate) fn with_cadence(cadence_ms: u32) -> Self {
        Self {
            base: Millis::MAX,
            anchor: Instant::ORIGIN,
            latest: Millis::MAX,
            before: Millis::MAX,
            cadence_ms,
            started: false,
            clamped: true,
        }
    }

    /// F2: enters the expiry of a success received at `receipt`.
    pub(crate) fn enter(&mut self, expires_at: Millis, receipt: Instant) {
        if !self.started {
            self.base = expires_at;
            self.anchor = receipt;
            self.latest = expires_at;
            self.started = true;
        }
        self.before = self.latest;
        self.latest = expires_at;
    }

    /// F2: no measured time can be trusted.
    pub(crate) fn void(&mut self) {
        self.started = false;
    }

    /// F3, F4: the cadence after the success that was entered last, `elapsed` after the one before.
    pub(crate) fn measure(&mut self, elapsed: Millis, extend_by_ms: u32) {
        let grant_ms = self.grant().within_days();
        self.clamped = grant_ms == 0 || is_an_echo(grant_ms, elapsed.within_days(), extend_by_ms);
        let most_ms = if self.clamped { HELD_MAX_MS } else { grant_ms >> 1 };
        self.cadence_ms = Self::at_most(most_ms, extend_by_ms);
    }

    /// F6: when to try again; nothing is proved here, so liveness wins.
    pub(crate) fn retry(&self, disposition: Disposition) -> Result<Retry, (StopReason, Rule)> {
        let cadence = self.cadence();
        let (delay, throttled) = match disposition {
            Disposition::Throttled(Some(retry_after)) => (cadence.max(retry_after), true),
            _ => (cadence, false),
        };
        if delay > THROTTLE_MAX {
            return Err((StopReason::Throttled, Rule::F6));
        }
        Ok(Retry { delay, throttled, rule: Rule::F6 })
    }

    pub(crate) fn anchor(&self) -> Instant {
        self.anchor
    }

    pub(crate) fn cadence(&self) -> Millis {
        Millis::new(u64::from(self.cadence_ms))
    }

    /// The last grant; 0 where it was not measured or not positive.
    pub(crate) fn grant(&self) -> Millis {
        self.latest.minus(self.before)
    }

    pub(crate) fn clamped(&self) -> bool {
        self.clamped
    }

    /// F5: whether the lead proved so far, with `consumed` since the anchor, is 1.5 grants or more, so that a beat can
    /// be skipped. A grant that is not clamped is 1 or more, so a negative lead may be cut to 0.
    pub(crate) fn skips(&self, consumed: Millis) -> bool {
        let grant = self.grant();
        let beyond_one_grant = self.latest.minus(self.base).minus(consumed).minus(grant);
        // Exact, as 2 · lead_min ≥ 3 · grant could overflow: what is left after one grant is half a grant, rounded up.
        !self.clamped && beyond_one_grant >= grant.minus(grant.half())
    }
}

/// F4: whether a grant well below what was asked for is about the time since the last, in ms of 28 bits. Then the
/// server holds the lead at a maximum, and its grants say nothing of the lease.
#[allow(clippy::arithmetic_side_effects)] // ten times 28 bits fit 32
const fn is_an_echo(grant: u32, elapsed: u32, extend_by: u32) -> bool {
    10 * grant < 9 * extend_by && 3 * elapsed <= 4 * grant && 4 * grant <= 5 * elapsed
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Millis {
        Millis::new(ms)
    }

    #[track_caller]
    fn held(extend_by_ms: u32, held_ms: u32) {
        assert_eq!(Ledger::held(extend_by_ms), held_ms);
    }

    #[test]
    fn f3_held_is_half_within_bounds() {
        held(1, 500);
        held(999, 500);
        held(1_001, 500);
        held(1_002, 501);
        held(59_998, 29_999);
        held(60_000, 30_000);
        held(86_400_000, 30_000);
    }

    #[track_caller]
    fn cadence(grant: u64, elapsed: u64, extend_by_ms: u32, clamped: bool, cadence: u64) {
        let mut ledger = Ledger::with_cadence(500);
        ledger.enter(ms(1_000_000), Instant::ORIGIN);
        assert_eq!(ledger.grant(), Millis::ZERO);
        ledger.enter(ms(1_000_000 + grant), Instant::ORIGIN);
        ledger.measure(ms(elapsed), extend_by_ms);
        assert_eq!((ledger.clamped(), ledger.cadence()), (clamped, ms(cadence)));
    }

    #[test]
    fn f4_clamped_by_the_band_at_its_edges() {
        // 10·grant < 9·extend_by
        cadence(54_000, 54_000, 60_000, false, 27_000);
        cadence(53_999, 53_999, 60_000, true, 30_000);
        // 3·elapsed ≤ 4·grant
        cadence(30_000, 40_000, 60_000, true, 30_000);
        cadence(30_000, 40_001, 60_000, false, 15_000);
        // 4·grant ≤ 5·elapsed
        cadence(30_000, 24_000, 60_000, true, 30_000);
        cadence(30_000, 23_999, 60_000, false, 15_000);
        cadence(0, 1, 60_000, true, 30_000);
        // Beyond any lease.
        cadence(1 << 40, 1 << 40, 60_000, false, 30_000);
        cadence(30_000, 1 << 40, 60_000, false, 15_000);
        cadence(u64::MAX - 1_000_000, 0, 86_400_000, false, 43_200_000);
    }

    #[test]
    fn f4_half_a_grant_within_bounds() {
        cadence(2, 0, 60_000, false, 500);
        cadence(1_002, 0, 60_000, false, 501);
        cadence(120_000, 0, 60_000, false, 30_000);
        cadence(120_000, 0, 600, false, 500);
    }

    #[track_caller]
    fn skips(gained: u64, grant: u64, consumed_ms: u64, expected: bool) {
        let mut ledger = Ledger::with_cadence(500);
        ledger.enter(ms(7), Instant::ORIGIN);
        ledger.enter(ms(7 + gained - grant), Instant::ORIGIN);
        ledger.enter(ms(7 + gained), Instant::ORIGIN);
        ledger.measure(ms(0), 1);
        assert_eq!(ledger.skips(ms(consumed_ms)), expected);
    }

    #[test]
    fn f5_skips_from_exactly_one_and_a_half_grants() {
        skips(6_000, 2_000, 3_000, true);
        skips(6_000, 2_000, 3_001, false);
        skips(6_000, 2_001, 2_998, true);
        skips(6_000, 2_001, 2_999, false);
        skips(2_000, 2_000, 0, false);
        skips(2_000, 2_000, 5_000, false);
        let most = u64::MAX - 7;
        skips(most, most / 3 * 2, 0, true);
        skips(most, most / 3 * 2 + 2, 0, false);
    }
}
