//! A fleet set down between two calls, for a host that can keep bytes and no borrow: the C ABI.

use super::pace::{Calendar, Pace};
use super::queue::Queue;
use super::{Fleet, Memory, Totals};

/// What a [`Fleet`] knows besides its memory: plain numbers.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    pace: Pace,
    queued: usize,
    untouched: u32,
    free: u32,
    classes_used: u16,
    totals: Totals,
}

impl<'m> Fleet<'m> {
    /// Sets the fleet down: [`resume`](Self::resume) goes on with both.
    #[must_use]
    pub fn suspend(self) -> (Memory<'m>, Parts) {
        let parts = Parts {
            pace: self.calendar.pace(),
            queued: self.queue.len(),
            untouched: self.untouched,
            free: self.free,
            classes_used: self.classes_used,
            totals: self.totals,
        };
        (self.into_memory(), parts)
    }

    /// The fleet that was set down with these two. With parts or memory of another one it decides nonsense, and does not
    /// panic.
    #[must_use]
    pub fn resume(memory: Memory<'m>, parts: Parts) -> Self {
        let Memory { slots, queue, classes, seconds } = memory;
        // Of another fleet: there may be fewer slots than it had, and looking for a lease must end.
        let untouched = parts.untouched.min(u32::try_from(slots.len()).unwrap_or(u32::MAX));
        Self {
            slots,
            queue: Queue::resume(queue, parts.queued),
            classes,
            classes_used: parts.classes_used,
            calendar: Calendar::resume(parts.pace, seconds),
            untouched,
            free: parts.free,
            totals: parts.totals,
        }
    }
}
