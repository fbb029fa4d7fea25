//! Which lease is due next: a heap of four children a node over memory that the host gives, and where in it each lease stands.

use crate::time::Instant;

/// Memory for one place in a fleet's queue: 16 bytes.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    at: Instant,
    slot: u32,
    /// Not of the slot above: where the slot whose number is this place's stands. It is kept here, where moves in the heap find it close
    /// together, and not in the slots, of which each move would fetch another.
    stands_in: u32,
}

impl Place {
    /// A place that is not used yet.
    pub const EMPTY: Self = Self { at: Instant::ORIGIN, slot: 0, stands_in: NOWHERE };
}

const NOWHERE: u32 = u32::MAX;

/// One slot, and when it is due.
#[derive(Debug, Clone, Copy)]
struct Entry {
    at: Instant,
    slot: u32,
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

    /// As it was when it was `len` long, over the places that it had.
    pub(crate) fn resume(places: &'m mut [Place], len: usize) -> Self {
        Self { places, len }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn into_memory(self) -> &'m mut [Place] {
        self.places
    }

    /// It knows the slots from 0 to below this.
    pub(crate) fn capacity(&self) -> usize {
        self.places.len()
    }

    /// A slot that was never used is not in the queue, whatever the memory says.
    pub(crate) fn forget(&mut self, slot: u32) {
        self.note(slot, NOWHERE);
    }

    /// The slot that is due first, and when.
    pub(crate) fn first(&self) -> Option<(u32, Instant)> {
        let first = self.places.get(..self.len)?.first()?;
        Some((first.slot, first.at))
    }

    /// When `slot` is due.
    pub(crate) fn at(&self, slot: u32) -> Option<Instant> {
        Some(self.places.get(self.place_of(slot)?)?.at)
    }

    /// Queues `slot`, where it is not queued already, for `at`.
    pub(crate) fn set(&mut self, slot: u32, at: Instant) {
        let hole = self.place_of(slot).unwrap_or_else(|| {
            let end = self.len;
            self.len = end.saturating_add(1);
            end
        });
        self.settle(hole, Entry { at, slot });
    }

    /// Takes `slot` out of the queue, where it is in it.
    pub(crate) fn remove(&mut self, slot: u32) {
        let Some(place) = self.place_of(slot) else { return };
        let last = self.len.saturating_sub(1);
        let Some(&Place { at, slot: moved, .. }) = self.places.get(last) else { return };
        self.len = last;
        self.note(slot, NOWHERE);
        if place != last {
            self.settle(place, Entry { at, slot: moved });
        }
    }

    fn place_of(&self, slot: u32) -> Option<usize> {
        let place = self.places.get(usize::try_from(slot).ok()?)?.stands_in;
        if place == NOWHERE { None } else { usize::try_from(place).ok() }
    }

    /// Puts `entry` where it belongs, from a `hole` that may be too high or too low for it.
    fn settle(&mut self, hole: usize, entry: Entry) {
        let hole = self.rise(hole, entry.at);
        let hole = self.sink(hole, entry.at);
        self.put(hole, entry);
    }

    fn rise(&mut self, mut hole: usize, at: Instant) -> usize {
        while hole > 0 {
            let parent = hole.saturating_sub(1) >> 2;
            match self.places.get(parent) {
                Some(&above) if above.at > at => self.put(hole, above.entry()),
                _ => break,
            }
            hole = parent;
        }
        hole
    }

    fn sink(&mut self, mut hole: usize, at: Instant) -> usize {
        loop {
            let first = hole.saturating_mul(4).saturating_add(1);
            let Some(children) = self.places.get(first..self.len) else { return hole };
            let Some((nth, below)) = earliest(children) else { return hole };
            if below.at >= at {
                return hole;
            }
            self.put(hole, below);
            hole = first.saturating_add(nth);
        }
    }

    #[allow(clippy::cast_possible_truncation)] // a fleet has at most u32::MAX places
    fn put(&mut self, hole: usize, Entry { at, slot }: Entry) {
        if let Some(place) = self.places.get_mut(hole) {
            (place.at, place.slot) = (at, slot);
            self.note(slot, hole as u32);
        }
    }

    fn note(&mut self, slot: u32, place: u32) {
        if let Some(of) = usize::try_from(slot).ok().and_then(|slot| self.places.get_mut(slot)) {
            of.stands_in = place;
        }
    }
}

impl Place {
    fn entry(&self) -> Entry {
        Entry { at: self.at, slot: self.slot }
    }
}

/// Which of up to four children is due first. Where there are four, the two halves are looked at side by side.
#[inline]
fn earliest(children: &[Place]) -> Option<(usize, Entry)> {
    let earlier =
        |one: (usize, Entry), other: (usize, Entry)| if other.1.at < one.1.at { other } else { one };
    if let Some([a, b, c, d]) = children.first_chunk() {
        let (first, second) =
            (earlier((0, a.entry()), (1, b.entry())), earlier((2, c.entry()), (3, d.entry())));
        return Some(earlier(first, second));
    }
    (0..).zip(children.iter().map(Place::entry)).reduce(earlier)
}
