//! The fallback (F2–F5): grants measured by the server's own expiries, for servers that do not say what remains.

use crate::time::{Instant, Millis, Nanos};

const HELD_MAX: Millis = Millis::new(30_000);
/// F6: longer than any lease.
pub(crate) const THROTTLE_MAX: Millis = Millis::new(crate::config::EXTEND_BY_MAX_MS);

/// F2, and the cadence that F3 and F4 chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct Ledger {
    base: Millis,
    anchor: Instant,
    latest: Millis,
    /// The last measured grant; 0 where it was not measured or not positive.
    grant: Millis,
    cadence_ms: u32,
    started: bool,
    clamped: bool,
}

impl Ledger {
    pub(crate) const CADENCE_MIN: Millis = Millis::new(500);

    /// F3: `held`, the cadence where nothing better is known.
    pub(crate) fn held(extend_by: Millis) -> Millis {
        extend_by.half().min(HELD_MAX).max(Self::CADENCE_MIN)
    }

    /// A ledger not yet started, with the cadence `held`.
    pub(crate) fn with_cadence(cadence: Millis) -> Self {
        Self { cadence_ms: cadence.within_days(), clamped: true, ..Self::default() }
    }

    /// F2: enters the expiry of a success received `now`.
    pub(crate) fn enter(&mut self, expires_at: Millis, now: Instant) {
        if !self.started {
            self.base = expires_at;
            self.anchor = now;
            self.started = true;
        }
        self.latest = expires_at;
    }

    /// T5: the success that started it came `behind` earlier than it was read.
    pub(crate) fn backdate(&mut self, behind: Nanos) {
        self.anchor = self.anchor.minus(behind);
    }

    /// The expiry of the last success, once the ledger has started.
    pub(crate) fn latest(&self) -> Option<Millis> {
        self.started.then_some(self.latest)
    }

    /// F2: no measured time can be trusted.
    pub(crate) fn void(&mut self) {
        self.started = false;
    }

    /// F3: the cadence of a failure before the first extension.
    pub(crate) fn hold(&mut self, extend_by: Millis) {
        self.set(Self::held(extend_by), Millis::ZERO, true);
    }

    /// F4: the cadence after an extension that moved the expiry from `before` in `elapsed`.
    pub(crate) fn measure(&mut self, before: Option<Millis>, elapsed: Millis, extend_by: Millis) {
        let grant = before.map_or(Millis::ZERO, |before| self.latest.minus(before));
        if grant.is_zero() || is_an_echo(grant.within_days(), elapsed.within_days(), extend_by.within_days())
        {
            self.set(Self::held(extend_by), grant, true);
        } else {
            let longest = extend_by.half().max(Self::CADENCE_MIN);
            self.set(grant.half().min(longest).max(Self::CADENCE_MIN), grant, false);
        }
    }

    fn set(&mut self, cadence: Millis, grant: Millis, clamped: bool) {
        self.cadence_ms = cadence.within_days();
        self.grant = grant;
        self.clamped = clamped;
    }

    pub(crate) fn cadence(&self) -> Millis {
        Millis::new(u64::from(self.cadence_ms))
    }

    pub(crate) fn grant(&self) -> Millis {
        self.grant
    }

    pub(crate) fn clamped(&self) -> bool {
        self.clamped
    }

    /// F5: whether the lead proved so far is 1.5 grants or more, so that a beat can be skipped.
    pub(crate) fn skips(&self, now: Instant, resolution: Nanos) -> bool {
        let consumed = now.since(self.anchor).plus(resolution).ceil();
        let lead_min = self.latest.checked_minus(self.base).and_then(|gained| gained.checked_minus(consumed));
        let beyond_one_grant = lead_min.and_then(|lead_min| lead_min.checked_minus(self.grant));
        // Exact, as 2 · lead_min ≥ 3 · grant could overflow: what is left after one grant is half a grant, rounded up.
        !self.clamped && beyond_one_grant.is_some_and(|rest| rest >= self.grant.minus(self.grant.half()))
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
    fn held(extend_by: u64, held: u64) {
        assert_eq!(Ledger::held(ms(extend_by)), ms(held));
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
    fn cadence(grant: u64, elapsed: u64, extend_by: u64, clamped: bool, cadence: u64) {
        let mut ledger = Ledger::default();
        ledger.enter(ms(1_000_000), Instant::ORIGIN);
        let before = ledger.latest();
        ledger.enter(ms(1_000_000 + grant), Instant::ORIGIN);
        ledger.measure(before, ms(elapsed), ms(extend_by));
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
        let mut ledger = Ledger::default();
        ledger.enter(ms(7), Instant::ORIGIN);
        ledger.enter(ms(7 + gained - grant), Instant::ORIGIN);
        let before = ledger.latest();
        ledger.enter(ms(7 + gained), Instant::ORIGIN);
        ledger.measure(before, ms(0), ms(1));
        assert_eq!(ledger.skips(Instant::ORIGIN.plus(ms(consumed_ms)), Nanos(0)), expected);
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
