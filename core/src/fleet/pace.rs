//! When a beat leaves, where it need not wait for the last moment: jitter, and a budget of beats a second (FL3, FL4).

use super::slot::LeaseId;
use crate::time::Instant;

const SECOND_NS: u64 = 1_000_000_000;
/// FL3: no beat comes before half of its wait has passed, so that at most twice the extensions are spent.
const JITTER_MAX_PERMILLE: u16 = 500;
/// FL4: so many seconds are looked at for one beat.
const SECONDS_LOOKED_AT: u16 = 512;

/// How a fleet spreads its beats. The default spreads nothing: each beat leaves when its kernel says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pace {
    /// What the jitter is drawn from, with the lease's id and its count of attempts. The same seed gives the same beats.
    pub seed: u64,
    /// FL3: how much earlier than due a beat may leave, in thousandths of its wait: 0 (no jitter) to 500. What is more
    /// counts as 500.
    pub jitter_permille: u16,
    /// FL4: how many beats may be planned for one second; 0 is no limit. It needs memory for the seconds ahead.
    pub beats_per_second: u32,
}

/// Memory for one second of the time ahead, in which beats are planned: 16 bytes. Give as many as the longest wait has
/// seconds: a beat further ahead is not planned.
#[derive(Debug, Clone, Copy)]
pub struct Second {
    number: u64,
    beats: u32,
}

impl Second {
    /// A second that is not used yet.
    pub const EMPTY: Self = Self { number: 0, beats: 0 };
}

/// When a beat leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) at: Instant,
    /// It counts in its second.
    pub(crate) kept: bool,
}

#[derive(Debug)]
pub(crate) struct Calendar<'m> {
    pace: Pace,
    seconds: &'m mut [Second],
}

impl<'m> Calendar<'m> {
    pub(crate) fn new(pace: Pace, seconds: &'m mut [Second]) -> Self {
        seconds.fill(Second::EMPTY);
        Self { pace, seconds }
    }

    /// As it was, over the seconds that it had.
    pub(crate) fn resume(pace: Pace, seconds: &'m mut [Second]) -> Self {
        Self { pace, seconds }
    }

    pub(crate) fn pace(&self) -> Pace {
        self.pace
    }

    pub(crate) fn into_memory(self) -> &'m mut [Second] {
        self.seconds
    }

    /// Plans the beat of `id` that is `due`, as seen at `now`: never later than that (FL3).
    pub(crate) fn plan(&mut self, id: LeaseId, attempts: u32, now: Instant, due: Instant) -> Planned {
        let wait_ns = due.since(now).0;
        let earliest = Instant::from_nanos(due.as_nanos().saturating_sub(wait_ns >> 1));
        let jittered =
            Instant::from_nanos(due.as_nanos().saturating_sub(self.jitter_ns(id, attempts, wait_ns)));
        self.smoothed(now, earliest, jittered).unwrap_or(Planned { at: jittered, kept: false })
    }

    /// The beat that was kept for `at` will not leave then.
    pub(crate) fn give_back(&mut self, at: Instant) {
        let number = second_of(at);
        if let Some(second) = place_of(number, self.seconds).filter(|second| second.number == number) {
            second.beats = second.beats.saturating_sub(1);
        }
    }

    fn jitter_ns(&self, id: LeaseId, attempts: u32, wait_ns: u64) -> u64 {
        let permille = u64::from(self.pace.jitter_permille.min(JITTER_MAX_PERMILLE));
        if permille == 0 {
            return 0;
        }
        // In thousandths first: a wait may be as long as the clock.
        let most = (wait_ns / 1_000).saturating_mul(permille);
        let drawn = mixed(self.pace.seed ^ mixed(id.to_u64()) ^ u64::from(attempts));
        drawn.checked_rem(most.saturating_add(1)).unwrap_or(0)
    }

    /// FL4: the latest second with room, from that of `latest` back to that of `earliest`.
    fn smoothed(&mut self, now: Instant, earliest: Instant, latest: Instant) -> Option<Planned> {
        let budget = self.pace.beats_per_second;
        if budget == 0 {
            return None;
        }
        let ahead = second_of(latest).saturating_sub(second_of(now));
        if ahead >= u64::try_from(self.seconds.len()).unwrap_or(u64::MAX) {
            return None;
        }
        let mut number = second_of(latest);
        for _ in 0..SECONDS_LOOKED_AT {
            let second = place_of(number, self.seconds)?;
            if second.number != number {
                *second = Second { number, beats: 0 };
            }
            if second.beats < budget {
                let apart = SECOND_NS.checked_div(u64::from(budget)).unwrap_or(0);
                let spread = apart.saturating_mul(u64::from(second.beats));
                second.beats = second.beats.saturating_add(1);
                let start = number.saturating_mul(SECOND_NS);
                let in_its_own = number == second_of(latest);
                let at = if in_its_own { latest } else { Instant::from_nanos(start.saturating_add(spread)) };
                return Some(Planned { at: at.max(earliest), kept: true });
            }
            if number <= second_of(earliest) {
                return None;
            }
            number = number.saturating_sub(1);
        }
        None
    }
}

fn second_of(at: Instant) -> u64 {
    at.as_nanos() / SECOND_NS
}

fn place_of(number: u64, seconds: &mut [Second]) -> Option<&mut Second> {
    let len = u64::try_from(seconds.len()).ok()?;
    seconds.get_mut(usize::try_from(number.checked_rem(len)?).ok()?)
}

/// Spreads the bits of `seed` over all of the result.
fn mixed(seed: u64) -> u64 {
    let step = |word: u64, shift: u32, factor: u64| (word ^ (word >> shift)).wrapping_mul(factor);
    let word = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = step(step(word, 30, 0xbf58_476d_1ce4_e5b9), 27, 0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}
