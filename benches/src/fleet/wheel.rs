//! A hierarchical timing wheel: seven levels of 64 lists, a bit for each list that is not empty.
//!
//! A list of level 0 holds the slots of one tick, one of level k those of 64^k ticks, which move down a level when their
//! time comes. All arithmetic is in ticks.

use crate::queues::Timers;

const LEVELS: usize = 7;
const LISTS: usize = 64;
const NOWHERE: u32 = u32::MAX;
const UNLISTED: u16 = u16::MAX;

#[derive(Clone, Copy)]
struct Node {
    at: u64,
    before: u32,
    after: u32,
    list: u16,
}

pub(crate) struct Wheel {
    nodes: Vec<Node>,
    heads: [u32; LEVELS * LISTS],
    occupied: [u64; LEVELS],
    now: u64,
}

impl Wheel {
    pub(crate) fn new(slots: usize) -> Self {
        let node = Node { at: 0, before: NOWHERE, after: NOWHERE, list: UNLISTED };
        Self { nodes: vec![node; slots], heads: [NOWHERE; LEVELS * LISTS], occupied: [0; LEVELS], now: 0 }
    }

    /// Where in its level the time `at` has its list.
    #[allow(clippy::cast_possible_truncation)] // 6 bits
    fn position(level: usize, at: u64) -> usize {
        (at >> (6 * level)) as usize % LISTS
    }

    #[allow(clippy::cast_possible_truncation)] // LEVELS * LISTS fits
    fn link(&mut self, slot: u32) {
        let at = self.nodes[slot as usize].at.max(self.now);
        let highest = 63 - ((at ^ self.now) | 1).leading_zeros() as usize;
        let level = (highest / 6).min(LEVELS - 1);
        let position = Self::position(level, at);
        let list = level * LISTS + position;
        let after = std::mem::replace(&mut self.heads[list], slot);
        if after != NOWHERE {
            self.nodes[after as usize].before = slot;
        }
        self.occupied[level] |= 1 << position;
        let node = &mut self.nodes[slot as usize];
        (node.before, node.after, node.list) = (NOWHERE, after, list as u16);
    }

    fn unlink(&mut self, slot: u32) {
        let Node { before, after, list, .. } = self.nodes[slot as usize];
        if list == UNLISTED {
            return;
        }
        self.nodes[slot as usize].list = UNLISTED;
        let list = usize::from(list);
        if after != NOWHERE {
            self.nodes[after as usize].before = before;
        }
        if before != NOWHERE {
            self.nodes[before as usize].after = after;
            return;
        }
        self.heads[list] = after;
        if after == NOWHERE {
            self.occupied[list / LISTS] &= !(1 << (list % LISTS));
        }
    }

    /// The list whose time comes next after the one of this tick, and when.
    fn following(&self) -> Option<(usize, u64)> {
        (0..LEVELS).find_map(|level| {
            let position = Self::position(level, self.now);
            let later = self.occupied[level] & (u64::MAX << position << 1);
            let passed = (self.now >> (6 * level)) & !(LISTS as u64 - 1);
            (later != 0).then(|| (level, (passed + u64::from(later.trailing_zeros())) << (6 * level)))
        })
    }

    /// Moves what one list holds down to where it belongs now.
    fn cascade(&mut self, level: usize) {
        let position = Self::position(level, self.now);
        let mut slot = std::mem::replace(&mut self.heads[level * LISTS + position], NOWHERE);
        self.occupied[level] &= !(1 << position);
        while slot != NOWHERE {
            let after = self.nodes[slot as usize].after;
            self.link(slot);
            slot = after;
        }
    }
}

impl Timers for Wheel {
    #[inline]
    fn set(&mut self, slot: u32, at: u64) {
        self.unlink(slot);
        self.nodes[slot as usize].at = at;
        self.link(slot);
    }

    #[inline]
    fn remove(&mut self, slot: u32) {
        self.unlink(slot);
    }

    #[inline]
    fn first(&mut self, now: u64) -> Option<(u32, u64)> {
        loop {
            let head = self.heads[Self::position(0, self.now)];
            if head != NOWHERE {
                return Some((head, self.nodes[head as usize].at));
            }
            match self.following() {
                Some((level, at)) if at <= now => {
                    self.now = at;
                    if level > 0 {
                        self.cascade(level);
                    }
                }
                _ => {
                    self.now = self.now.max(now);
                    return None;
                }
            }
        }
    }

    /// The time of the next list: of a higher level not yet that of its first slot.
    #[inline]
    fn next(&self) -> Option<u64> {
        let head = self.heads[Self::position(0, self.now)];
        if head == NOWHERE { self.following().map(|(_, at)| at) } else { Some(self.now) }
    }
}
