//! Which lease is due next: a heap of four children a node over memory that the host gives, and where in it each lease stands.

use super::slot::Slot;
use crate::time::Instant;

/// Memory for one place in a fleet's queue: 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    at: Instant,
    slot: u32,
}

impl Place {
    /// A place that is not used yet.
    pub const EMPTY: Self = Self { at: Instant::ORIGIN, slot: 0 };
}

#[derive(Debug)]
pub(crate) struct Queue<'m> {
    places: &'m mut [Place],
    len: usize,
}

impl<'m> Queue<'m> {
    pub(crate) fn new(places: &'m mut [Place]) -> Self {
        Self { places, len: 0 }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.places.len()
    }

    /// The slot that is due first, and when.
    pub(crate) fn first(&self) -> Option<(u32, Instant)> {
        let first = self.places.get(..self.len)?.first()?;
        Some((first.slot, first.at))
    }

    /// When the slot that stands in `place` is due.
    pub(crate) fn at(&self, place: usize) -> Option<Instant> {
        Some(self.places.get(..self.len)?.get(place)?.at)
    }

    /// Queues `slot`, which stands in `place` already where it has one, for `at`.
    pub(crate) fn set(&mut self, slot: u32, place: Option<usize>, at: Instant, slots: &mut [Slot]) {
        let hole = place.unwrap_or_else(|| {
            let end = self.len;
            self.len = end.saturating_add(1);
            end
        });
        self.settle(hole, Place { at, slot }, slots);
    }

    /// Takes whoever stands in `place` out of the queue.
    pub(crate) fn remove(&mut self, place: usize, slots: &mut [Slot]) {
        let last = self.len.saturating_sub(1);
        let (Some(&gone), Some(&moved)) = (self.places.get(place), self.places.get(last)) else { return };
        self.len = last;
        if let Some(slot) = slot_of(gone, slots) {
            slot.place = Slot::NOWHERE;
        }
        if place != last {
            self.settle(place, moved, slots);
        }
    }

    /// Puts `entry` where it belongs, from a `hole` that may be too high or too low for it.
    fn settle(&mut self, hole: usize, entry: Place, slots: &mut [Slot]) {
        let hole = self.rise(hole, entry.at, slots);
        let hole = self.sink(hole, entry.at, slots);
        self.put(hole, entry, slots);
    }

    fn rise(&mut self, mut hole: usize, at: Instant, slots: &mut [Slot]) -> usize {
        while hole > 0 {
            let parent = hole.saturating_sub(1) >> 2;
            match self.places.get(parent) {
                Some(&above) if above.at > at => self.put(hole, above, slots),
                _ => break,
            }
            hole = parent;
        }
        hole
    }

    fn sink(&mut self, mut hole: usize, at: Instant, slots: &mut [Slot]) -> usize {
        loop {
            let first = hole.saturating_mul(4).saturating_add(1);
            let Some(children) = self.places.get(first..self.len) else { return hole };
            let Some((nth, below)) = earliest(children) else { return hole };
            if below.at >= at {
                return hole;
            }
            self.put(hole, below, slots);
            hole = first.saturating_add(nth);
        }
    }

    #[allow(clippy::cast_possible_truncation)] // a fleet has at most u32::MAX places
    fn put(&mut self, hole: usize, entry: Place, slots: &mut [Slot]) {
        if let (Some(place), Some(slot)) = (self.places.get_mut(hole), slot_of(entry, slots)) {
            *place = entry;
            slot.place = hole as u32;
        }
    }
}

/// Which of up to four children is due first. Where there are four, the two halves are looked at side by side.
#[inline]
fn earliest(children: &[Place]) -> Option<(usize, Place)> {
    let earlier =
        |one: (usize, Place), other: (usize, Place)| if other.1.at < one.1.at { other } else { one };
    if let Some(&[a, b, c, d]) = children.first_chunk() {
        return Some(earlier(earlier((0, a), (1, b)), earlier((2, c), (3, d))));
    }
    (0..).zip(children.iter().copied()).reduce(earlier)
}

fn slot_of(entry: Place, slots: &mut [Slot]) -> Option<&mut Slot> {
    slots.get_mut(usize::try_from(entry.slot).ok()?)
}
