//! A heap of `D` children a node, as the fleet's: places apart from the slots, which know where they stand.

use crate::queues::Timers;

const NOWHERE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Place {
    at: u64,
    slot: u32,
}

pub(crate) struct Heap<const D: usize> {
    places: Vec<Place>,
    stands: Vec<u32>,
}

impl<const D: usize> Heap<D> {
    pub(crate) fn new(slots: usize) -> Self {
        Self { places: Vec::with_capacity(slots), stands: vec![NOWHERE; slots] }
    }

    fn settle(&mut self, mut hole: usize, entry: Place) {
        while hole > 0 {
            let parent = (hole - 1) / D;
            if self.places[parent].at <= entry.at {
                break;
            }
            self.put(hole, self.places[parent]);
            hole = parent;
        }
        loop {
            let first = hole * D + 1;
            let Some((nth, below)) = self.places.get(first..).and_then(earliest::<D>) else { break };
            if below.at >= entry.at {
                break;
            }
            self.put(hole, below);
            hole = first + nth;
        }
        self.put(hole, entry);
    }

    #[allow(clippy::cast_possible_truncation)] // as many as there are slots
    fn put(&mut self, hole: usize, entry: Place) {
        self.places[hole] = entry;
        self.stands[entry.slot as usize] = hole as u32;
    }
}

/// Which of up to `D` children is due first; a full node's are looked at without a loop.
#[inline]
fn earliest<const D: usize>(children: &[Place]) -> Option<(usize, Place)> {
    let earlier =
        |one: (usize, Place), other: (usize, Place)| if other.1.at < one.1.at { other } else { one };
    match children.first_chunk::<D>() {
        Some(children) => (0..D).map(|nth| (nth, children[nth])).reduce(earlier),
        None => (0..).zip(children.iter().copied()).reduce(earlier),
    }
}

impl<const D: usize> Timers for Heap<D> {
    #[inline]
    fn set(&mut self, slot: u32, at: u64) {
        let entry = Place { at, slot };
        let hole = match self.stands[slot as usize] {
            NOWHERE => {
                self.places.push(entry);
                self.places.len() - 1
            }
            stands => stands as usize,
        };
        self.settle(hole, entry);
    }

    #[inline]
    fn remove(&mut self, slot: u32) {
        let stands = std::mem::replace(&mut self.stands[slot as usize], NOWHERE);
        let Some(moved) = self.places.pop().filter(|moved| moved.slot != slot) else { return };
        self.settle(stands as usize, moved);
    }

    #[inline]
    fn first(&mut self, now: u64) -> Option<(u32, u64)> {
        self.places.first().filter(|first| first.at <= now).map(|first| (first.slot, first.at))
    }

    #[inline]
    fn next(&self) -> Option<u64> {
        self.places.first().map(|first| first.at)
    }
}
