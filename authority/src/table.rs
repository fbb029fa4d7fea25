//! Records in slots that the caller gives: a hash table with linear probing, no allocation, every loop bounded.

use core::marker::PhantomData;

/// Room for records of type `V`: an array, a `Vec`, a `&mut [Option<V>]`, all empty (`None`) at first. An
/// eighth of the slots stays empty, so that a search ends soon.
pub trait Slots<V>: AsRef<[Option<V>]> + AsMut<[Option<V>]> {}

impl<V, S: AsRef<[Option<V>]> + AsMut<[Option<V>]>> Slots<V> for S {}

/// A record that is found by a key.
pub(crate) trait Keyed {
    type Key: Copy + Eq;
    fn key(&self) -> Self::Key;
    /// Spread over all 64 bits already: keys are digests and random names.
    fn hash(key: Self::Key) -> u64;
}

#[derive(Debug, Clone)]
pub(crate) struct Table<V, S> {
    slots: S,
    used: usize,
    /// Where the sweep goes on.
    cursor: usize,
    records: PhantomData<V>,
}

impl<V: Keyed, S: Slots<V>> Table<V, S> {
    /// A table over `slots`; what they hold is dropped.
    pub(crate) fn new(mut slots: S) -> Self {
        slots.as_mut().fill_with(|| None);
        Self { slots, used: 0, cursor: 0, records: PhantomData }
    }

    pub(crate) fn len(&self) -> usize {
        self.used
    }

    /// How many records fit.
    pub(crate) fn capacity(&self) -> usize {
        let slots = self.slots.as_ref().len();
        slots.saturating_sub(slots.div_ceil(8))
    }

    pub(crate) fn has_room(&self) -> bool {
        self.used < self.capacity()
    }

    pub(crate) fn get(&self, key: V::Key) -> Option<&V> {
        let index = self.find(key)?;
        self.slots.as_ref().get(index)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, key: V::Key) -> Option<&mut V> {
        let index = self.find(key)?;
        self.slots.as_mut().get_mut(index)?.as_mut()
    }

    /// Puts in a record whose key is not there yet, and says whether there was room for it.
    pub(crate) fn insert(&mut self, record: V) -> bool {
        if !self.has_room() {
            return false;
        }
        let mut index = self.home(record.key());
        for _ in 0..self.slots.as_ref().len() {
            match self.slots.as_mut().get_mut(index) {
                Some(slot @ None) => {
                    *slot = Some(record);
                    self.used = self.used.saturating_add(1);
                    return true;
                }
                _ => index = self.after(index),
            }
        }
        false
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.slots.as_mut().iter_mut().flatten()
    }

    /// Looks at up to `steps` slots, going on where the last sweep ended, and drops the records that `keep` does
    /// not want.
    pub(crate) fn sweep(&mut self, steps: usize, mut keep: impl FnMut(&mut V) -> bool) {
        for _ in 0..steps.min(self.slots.as_ref().len()) {
            let index = self.cursor;
            let wanted = match self.slots.as_mut().get_mut(index) {
                Some(Some(record)) => keep(record),
                _ => true,
            };
            if wanted {
                self.cursor = self.after(index);
            } else {
                // Another record may move into this slot, so it is looked at again.
                self.remove(index);
            }
        }
    }

    /// Drops the record with this key, if there is one.
    pub(crate) fn discard(&mut self, key: V::Key) {
        if let Some(index) = self.find(key) {
            self.remove(index);
        }
    }

    fn find(&self, key: V::Key) -> Option<usize> {
        let slots = self.slots.as_ref();
        let mut index = self.home(key);
        for _ in 0..slots.len() {
            match slots.get(index) {
                Some(Some(record)) if record.key() == key => return Some(index),
                Some(Some(_)) => index = self.after(index),
                _ => return None,
            }
        }
        None
    }

    /// Empties a slot, and moves up those behind it that a search would otherwise no longer reach.
    fn remove(&mut self, index: usize) {
        let (mut hole, mut next) = (index, index);
        if let Some(slot) = self.slots.as_mut().get_mut(hole) {
            *slot = None;
            self.used = self.used.saturating_sub(1);
        }
        for _ in 0..self.slots.as_ref().len() {
            next = self.after(next);
            let Some(Some(record)) = self.slots.as_ref().get(next) else { return };
            let start = self.home(record.key());
            // Still reachable: its search begins behind the hole.
            let reachable =
                if hole <= next { hole < start && start <= next } else { hole < start || start <= next };
            if !reachable {
                self.slots.as_mut().swap(hole, next);
                hole = next;
            }
        }
    }

    #[allow(clippy::cast_possible_truncation)] // the remainder is below a usize
    fn home(&self, key: V::Key) -> usize {
        V::hash(key).checked_rem(self.slots.as_ref().len() as u64).unwrap_or(0) as usize
    }

    fn after(&self, index: usize) -> usize {
        let next = index.saturating_add(1);
        if next < self.slots.as_ref().len() { next } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::vec;

    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Pair(u8, u32);

    impl Keyed for Pair {
        type Key = u8;
        fn key(&self) -> u8 {
            self.0
        }
        // Three homes for all: collisions, and runs that wrap around the end.
        fn hash(key: u8) -> u64 {
            u64::from(key % 3).wrapping_mul(7).wrapping_sub(1)
        }
    }

    proptest! {
        #[test]
        fn a23_a_table_is_a_map_of_bounded_size(
            slots in 0usize..20,
            steps in proptest::collection::vec((any::<u8>(), any::<u32>(), 0usize..4), 0..200),
        ) {
            let mut table = Table::new(vec![None::<Pair>; slots]);
            let mut map = BTreeMap::new();
            for (key, value, sweep) in steps {
                let key = key % 24;
                if let Some(found) = table.get_mut(key) {
                    found.1 = value;
                    map.insert(key, value);
                } else if value % 11 == 0 {
                    table.discard(key.wrapping_add(1) % 24);
                    map.remove(&(key.wrapping_add(1) % 24));
                } else if table.insert(Pair(key, value)) {
                    map.insert(key, value);
                } else {
                    prop_assert_eq!(map.len(), table.capacity());
                }
                table.sweep(sweep, |pair| {
                    let keep = pair.1 % 3 != 0;
                    if !keep {
                        map.remove(&pair.0);
                    }
                    keep
                });
                prop_assert_eq!(table.len(), map.len());
                for key in 0..24 {
                    prop_assert_eq!(table.get(key).map(|pair| pair.1), map.get(&key).copied());
                }
            }
            table.sweep(usize::MAX, |_| false);
            table.sweep(usize::MAX, |_| false);
            prop_assert_eq!(table.iter_mut().count(), 0);
        }
    }

    #[test]
    fn a23_a_table_without_room_finds_and_takes_nothing() {
        let mut table: Table<Pair, [Option<Pair>; 0]> = Table::new([]);
        assert!(!table.insert(Pair(1, 1)));
        assert!(table.get(1).is_none());
    }
}
