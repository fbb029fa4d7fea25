//! I7: the same input, the same output.
//!
//! A misuse changes nothing. A copy of the kernel taken before a call and told the same decides the same and is the
//! same after it. A kernel restored from a snapshot decides, then and in the calls after, as the kernel itself once
//! its timing is lost (V5, T6). The second and the third are sampled, unless every call is asked for.

use leasebeat::{Decision, Event, Instant, Misuse};

use super::violation::{Held, Invariant::I7, ensure};
use crate::Kernel;

/// How often a call is repeated on a copy.
const REPEAT: u64 = 16;
/// How often a snapshot is restored.
const RESTORE: u64 = 512;
/// For how many calls the restored kernel is watched.
const WATCH: u8 = 64;

#[derive(Debug, Clone, Copy)]
pub(super) struct Replay<K> {
    pub(super) every_call: bool,
    twins: Option<Twins<K>>,
}

/// One from a snapshot, and one that was told of lost timing at the same instant.
#[derive(Debug, Clone, Copy)]
struct Twins<K> {
    restored: K,
    lost: K,
    calls_left: u8,
}

impl<K: Kernel> Replay<K> {
    pub(super) const fn new() -> Self {
        Self { every_call: false, twins: None }
    }

    /// `accepted` is the kernel's own reading after the call (T5).
    pub(super) fn check(
        &mut self,
        before: &K,
        kernel: &K,
        event: &Event,
        now: Instant,
        answer: &Result<Decision, Misuse>,
        call: u64,
    ) -> Held {
        if answer.is_err() {
            ensure(I7, "a misuse that changed something, call", before == kernel, call.into(), 0)?;
        }
        if self.every_call || call % REPEAT == 0 {
            let mut copy = *before;
            let same = copy.handle(*event, now) == *answer && copy == *kernel;
            ensure(I7, "a copy that decides otherwise, call", same, call.into(), 0)?;
        }
        self.watch(event, now, call)
    }

    fn watch(&mut self, event: &Event, now: Instant, call: u64) -> Held {
        let Some(twins) = &mut self.twins else { return Ok(()) };
        let answers = (twins.restored.handle(*event, now), twins.lost.handle(*event, now));
        let same = answers.0 == answers.1 && looks_same(&twins.restored, &twins.lost, now);
        ensure(I7, "a restored kernel that goes on otherwise, call", same, call.into(), 0)?;
        twins.calls_left -= 1;
        if twins.calls_left == 0 {
            self.twins = None;
        }
        Ok(())
    }

    /// Takes a snapshot of `kernel`, whose last reading is `now`.
    pub(super) fn restore(&mut self, kernel: &K, now: Instant, call: u64) -> Held {
        if !self.every_call && call % RESTORE != 0 {
            return Ok(());
        }
        let (restored, decision) = kernel.restored(now);
        let mut lost = *kernel;
        let same = lost.handle(Event::TimingLost, now) == Ok(decision) && looks_same(&restored, &lost, now);
        ensure(I7, "a restored kernel that decides otherwise, call", same, call.into(), 0)?;
        if self.twins.is_none() && !self.every_call {
            self.twins = Some(Twins { restored, lost, calls_left: WATCH });
        }
        Ok(())
    }
}

/// What a host can see of the two.
fn looks_same<K: Kernel>(a: &K, b: &K, now: Instant) -> bool {
    a.lead(now) == b.lead(now)
        && a.fence() == b.fence()
        && a.danger() == b.danger()
        && a.next_deadline() == b.next_deadline()
}
