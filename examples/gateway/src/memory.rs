//! The memory that a fleet lives in, taken once.

use leasebeat::fleet::{Class, Memory, Place, Second, Slot};

/// Room for so many leases, all of one class: 160 bytes each.
#[derive(Debug)]
pub struct Room {
    slots: Vec<Slot>,
    queue: Vec<Place>,
    classes: [Class; 1],
    seconds: Vec<Second>,
}

impl Room {
    /// Room for `leases`, whose beats can be planned for so many seconds ahead: 0 where no budget smooths them.
    #[must_use]
    pub fn new(leases: usize, seconds: usize) -> Self {
        Self {
            slots: vec![Slot::EMPTY; leases],
            queue: vec![Place::EMPTY; leases],
            classes: [Class::EMPTY],
            seconds: vec![Second::EMPTY; seconds],
        }
    }

    /// The memory, for a fleet to live in.
    pub fn memory(&mut self) -> Memory<'_> {
        Memory {
            slots: &mut self.slots,
            queue: &mut self.queue,
            classes: &mut self.classes,
            seconds: &mut self.seconds,
        }
    }
}
