//! Many leases on one timer (FL): the kernels of a gateway in memory that it gives, and which of them is due next.
//!
//! A fleet decides for each lease what a [`Heartbeat`] of its own would decide. What it adds is the order: one deadline
//! for all of them, so that a host needs one timer, and no task for each.
//!
//! ```
//! use leasebeat::fleet::{Class, Fleet, Memory, Pace, Place, Second, Slot};
//! use leasebeat::{Action, Config, Event, Instant, Outcome, Settings, Success};
//!
//! let (mut slots, mut queue) = ([Slot::EMPTY; 100], [Place::EMPTY; 100]);
//! let (mut classes, mut seconds) = ([Class::EMPTY; 2], [Second::EMPTY; 0]);
//! let memory =
//!     Memory { slots: &mut slots, queue: &mut queue, classes: &mut classes, seconds: &mut seconds };
//! let mut fleet = Fleet::new(memory, Pace::default());
//!
//! let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) };
//! let minute = fleet.add_class(Config::new(settings)?)?;
//! let id = fleet.insert(minute)?;
//! let created = Success {
//!     rtt_ns: Some(20_000_000),
//!     remaining_ttl_ms: Some(60_000),
//!     expires_at_ms: Some(1_785_585_660_000),
//! };
//! let now = Instant::from_nanos(20_000_000);
//! fleet.handle(id, Event::Report { attempt: None, outcome: Outcome::Created(created) }, now)?;
//!
//! // One timer: sleep until then, and send whatever is due.
//! let due = fleet.next_deadline().expect("a lease waits for its beat");
//! assert_eq!(fleet.poll(now), None);
//! let (beating, decision) = fleet.poll(due).expect("it is due");
//! assert!(beating == id && matches!(decision.action, Action::Send(_)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod early;
mod pace;
mod parts;
mod queue;
mod slot;
mod totals;

use self::early::Waiting;
use self::pace::{Calendar, Planned};
use self::queue::Queue;
use crate::config::Config;
use crate::decision::{Decision, Misuse};
use crate::event::Event;
use crate::state::Heartbeat;
use crate::time::Instant;

pub use self::pace::{Pace, Second};
pub use self::parts::Parts;
pub use self::queue::Place;
pub use self::slot::{ClassId, LeaseId, Slot};
pub use self::totals::Totals;

/// Memory for the settings of one class: many leases share them.
#[derive(Debug, Clone, Copy)]
pub struct Class(Option<Config>);

impl Class {
    /// A class that is not used yet.
    pub const EMPTY: Self = Self(None);
}

/// The memory of a fleet, which its host gives: for each lease a slot and a place in the queue, 160 bytes together.
#[derive(Debug)]
pub struct Memory<'m> {
    /// One for each lease.
    pub slots: &'m mut [Slot],
    /// One for each lease.
    pub queue: &'m mut [Place],
    /// One for each of the settings that leases share.
    pub classes: &'m mut [Class],
    /// One for each second ahead in which beats are planned (FL4); none where [`Pace`] has no budget.
    pub seconds: &'m mut [Second],
}

/// What a fleet cannot do. Nothing has changed then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FleetError {
    /// Every slot is used.
    Full,
    /// Every class is used.
    ClassesFull,
    /// No class was given this id.
    UnknownClass,
    /// No lease has this id: it was removed, or there never was one (FL1).
    StaleId,
    /// The event cannot happen now (L2).
    Misuse(Misuse),
}

impl core::fmt::Display for FleetError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Full => f.write_str("the fleet is full: every slot, or every place in the queue, is used"),
            Self::ClassesFull => f.write_str("the fleet has no room for another class"),
            Self::UnknownClass => f.write_str("the fleet has no such class"),
            Self::StaleId => f.write_str("the fleet has no lease of this id: it was removed, or never was"),
            Self::Misuse(misuse) => misuse.fmt(f),
        }
    }
}

impl core::error::Error for FleetError {}

impl From<Misuse> for FleetError {
    fn from(misuse: Misuse) -> Self {
        Self::Misuse(misuse)
    }
}

/// Many leases on one timer. The module's page shows its loop.
///
/// Give all calls readings of one clock. After a sleep that the clock did not count, or a jump of it, report
/// [`Event::TimingLost`] for each lease ([`next_id`](Self::next_id) goes through them).
#[derive(Debug)]
pub struct Fleet<'m> {
    slots: &'m mut [Slot],
    queue: Queue<'m>,
    classes: &'m mut [Class],
    classes_used: u16,
    calendar: Calendar<'m>,
    /// The slots from here on were never used, whatever is in them.
    untouched: u32,
    /// The free slot that is used next, before those that were never used.
    free: u32,
    totals: Totals,
}

impl<'m> Fleet<'m> {
    /// An empty fleet. What is in the memory does not matter. It holds as many leases as there are slots and places.
    #[must_use]
    pub fn new(memory: Memory<'m>, pace: Pace) -> Self {
        let Memory { slots, queue, classes, seconds } = memory;
        Self {
            slots,
            queue: Queue::new(queue),
            classes,
            classes_used: 0,
            calendar: Calendar::new(pace, seconds),
            untouched: 0,
            free: Slot::NONE,
            totals: Totals::default(),
        }
    }

    /// Forgets every lease, and gives the memory back.
    #[must_use]
    pub fn into_memory(self) -> Memory<'m> {
        Memory {
            slots: self.slots,
            queue: self.queue.into_memory(),
            classes: self.classes,
            seconds: self.calendar.into_memory(),
        }
    }

    /// Adds settings for leases to share.
    ///
    /// # Errors
    /// [`FleetError::ClassesFull`].
    pub fn add_class(&mut self, config: Config) -> Result<ClassId, FleetError> {
        let id = self.classes_used;
        let next = id.checked_add(1).ok_or(FleetError::ClassesFull)?;
        let class = self.classes.get_mut(usize::from(id)).ok_or(FleetError::ClassesFull)?;
        *class = Class(Some(config));
        self.classes_used = next;
        Ok(ClassId(id))
    }

    /// Adds a lease that has sent nothing, as [`Heartbeat::new`] makes it. Next: [`Event::Begin`], or its creation
    /// reported (L1).
    ///
    /// # Errors
    /// [`FleetError::Full`], [`FleetError::UnknownClass`].
    pub fn insert(&mut self, class: ClassId) -> Result<LeaseId, FleetError> {
        let config = self.config(class)?;
        self.adopt(class, &Heartbeat::new(config))
    }

    /// Adds a lease that goes on as `heartbeat` would, with the settings of `class` from here on: one that was restored
    /// from a snapshot, or kept alone so far.
    ///
    /// # Errors
    /// [`FleetError::Full`], [`FleetError::UnknownClass`].
    pub fn adopt(&mut self, class: ClassId, heartbeat: &Heartbeat) -> Result<LeaseId, FleetError> {
        let config = self.config(class)?;
        let id = self.take_slot().ok_or(FleetError::Full)?;
        if let Some(slot) = slot_at(self.slots, id.slot) {
            slot.class = class;
        }
        self.totals.inserted = self.totals.inserted.saturating_add(1);
        self.settle(id, &Heartbeat { config, ..*heartbeat }, None);
        Ok(id)
    }

    /// Forgets a lease, whatever it is doing. An answer that comes later has a stale id (FL1). The server is told nothing.
    ///
    /// # Errors
    /// [`FleetError::StaleId`].
    pub fn remove(&mut self, id: LeaseId) -> Result<(), FleetError> {
        self.get(id)?;
        self.give_back(id.slot);
        self.queue.remove(id.slot);
        let free = self.free;
        if let Some(slot) = slot_at(self.slots, id.slot) {
            slot.generation = slot.generation.saturating_add(1);
            slot.free(free);
            // FL1: a slot whose generations are spent is not used again.
            if slot.generation < u32::MAX {
                self.free = id.slot;
            }
        }
        self.totals.removed = self.totals.removed.saturating_add(1);
        Ok(())
    }

    /// Takes in one event of a lease, as [`Heartbeat::handle`].
    ///
    /// # Errors
    /// [`FleetError::StaleId`], and [`FleetError::Misuse`] where the event cannot happen now.
    pub fn handle(&mut self, id: LeaseId, event: Event, now: Instant) -> Result<Decision, FleetError> {
        let mut heartbeat = self.get(id)?;
        let (waited, stopped) = (heartbeat.waiting(), heartbeat.stopped());
        let decision = heartbeat.handle(event, now)?;
        self.totals.count(stopped, &heartbeat, &decision);
        self.settle(id, &heartbeat, Some(waited));
        Ok(decision)
    }

    /// What is due at `now`, in the order of the deadlines: the lease and its decision. `None`: nothing is due before
    /// [`next_deadline`](Self::next_deadline). Call it until then.
    ///
    /// It decides as a tick of the lease at `now` does; a beat may have been brought forward (FL3, FL4). The decision may
    /// be a wait, where a beat can be skipped (F5): there is nothing to do for it.
    pub fn poll(&mut self, now: Instant) -> Option<(LeaseId, Decision)> {
        let (slot, at) = self.queue.first()?;
        if at > now {
            return None;
        }
        let (id, mut heartbeat) = self.standing(slot)?;
        let stopped = heartbeat.stopped();
        let early = heartbeat.acts_at().is_some_and(|due| now < due);
        let decision = if early { heartbeat.beat(now) } else { heartbeat.tick(now) };
        // It leaves in the second that was kept for it.
        slot_at(self.slots, slot)?.kept = false;
        self.totals.early = self.totals.early.saturating_add(u64::from(early));
        self.totals.count(stopped, &heartbeat, &decision);
        self.settle(id, &heartbeat, None);
        Some((id, decision))
    }

    /// When [`poll`](Self::poll) has something to say next. `None`: not before the next event.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.queue.first().map(|(_, at)| at)
    }

    /// A copy of a lease's kernel as it stands: its lead, fence, danger, statistics, explanation and snapshot.
    ///
    /// # Errors
    /// [`FleetError::StaleId`].
    pub fn get(&self, id: LeaseId) -> Result<Heartbeat, FleetError> {
        self.standing(id.slot)
            .filter(|(found, _)| *found == id)
            .map(|(_, heartbeat)| heartbeat)
            .ok_or(FleetError::StaleId)
    }

    /// The leases whose danger ([`Heartbeat::danger`]) is at `by` or before: each is lost soon, unless an answer comes.
    /// Leases of which nothing is proved have none. It looks at every slot that was ever used.
    pub fn in_danger(&self, by: Instant) -> impl Iterator<Item = (LeaseId, Instant)> + '_ {
        self.read_by(by, Heartbeat::danger)
    }

    /// The leases whose fence ([`Heartbeat::fence`]) is at `by` or before: what each guards has to stop there. Leases of
    /// which nothing is proved have none. It looks at every slot that was ever used.
    pub fn fenced(&self, by: Instant) -> impl Iterator<Item = (LeaseId, Instant)> + '_ {
        self.read_by(by, Heartbeat::fence)
    }

    /// The lease after `after` in the order of the slots, or the first.
    #[must_use]
    pub fn next_id(&self, after: Option<LeaseId>) -> Option<LeaseId> {
        let from = after.map_or(0, |id| id.slot.saturating_add(1));
        (from..self.untouched).find_map(|slot| self.standing(slot)).map(|(id, _)| id)
    }

    /// How many leases there are, the stopped ones included: a lease stays until it is removed.
    #[must_use]
    pub fn len(&self) -> usize {
        let live = self.totals.inserted.saturating_sub(self.totals.removed);
        usize::try_from(live).unwrap_or(usize::MAX)
    }

    /// Whether there is no lease.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What has been counted over all leases, the removed ones included.
    #[must_use]
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    fn config(&self, class: ClassId) -> Result<Config, FleetError> {
        let used = self.classes.get(..usize::from(self.classes_used)).unwrap_or_default();
        used.get(usize::from(class.0)).and_then(|class| class.0).ok_or(FleetError::UnknownClass)
    }

    /// The lease that a slot holds.
    fn standing(&self, slot: u32) -> Option<(LeaseId, Heartbeat)> {
        if slot >= self.untouched {
            return None;
        }
        let held = self.slots.get(usize::try_from(slot).ok()?)?;
        let heartbeat = held.heartbeat(self.config(held.class).ok()?)?;
        Some((LeaseId { slot, generation: held.generation }, heartbeat))
    }

    fn read_by(
        &self,
        by: Instant,
        read: impl Fn(&Heartbeat) -> Option<Instant>,
    ) -> impl Iterator<Item = (LeaseId, Instant)> {
        (0..self.untouched).filter_map(move |slot| {
            let (id, heartbeat) = self.standing(slot)?;
            read(&heartbeat).filter(|at| *at <= by).map(|at| (id, at))
        })
    }

    /// A slot for a new lease: one that was freed, or one that was never used.
    fn take_slot(&mut self) -> Option<LeaseId> {
        if self.free != Slot::NONE {
            let slot = self.free;
            let held = slot_at(self.slots, slot)?;
            self.free = held.next;
            return Some(LeaseId { slot, generation: held.generation });
        }
        let slot = self.untouched;
        let next = slot.checked_add(1)?;
        if usize::try_from(next).ok()? > self.queue.capacity() {
            return None;
        }
        *slot_at(self.slots, slot)? = Slot::EMPTY;
        self.queue.forget(slot);
        self.untouched = next;
        Some(LeaseId { slot, generation: Slot::EMPTY.generation })
    }

    /// Remembers a lease's kernel, and queues it for when it acts next. One that acts when it did before stays where it is.
    fn settle(&mut self, id: LeaseId, heartbeat: &Heartbeat, waited: Option<Waiting>) {
        let Some(slot) = slot_at(self.slots, id.slot) else { return };
        slot.remember(heartbeat);
        if waited == Some(heartbeat.waiting()) {
            return;
        }
        self.give_back(id.slot);
        let Some(due) = heartbeat.acts_at() else { return self.queue.remove(id.slot) };
        let Planned { at, kept } = self.plan(id, heartbeat, due);
        if let Some(slot) = slot_at(self.slots, id.slot) {
            slot.kept = kept;
        }
        self.queue.set(id.slot, at);
    }

    fn plan(&mut self, id: LeaseId, heartbeat: &Heartbeat, due: Instant) -> Planned {
        if heartbeat.waits_for_a_beat() {
            self.calendar.plan(id, heartbeat.stats().attempts, heartbeat.last_reading(), due)
        } else {
            Planned { at: due, kept: false }
        }
    }

    /// FL4: the second that was kept for a beat which does not leave then is another's.
    fn give_back(&mut self, slot: u32) {
        let Some(held) = slot_at(self.slots, slot) else { return };
        if !core::mem::take(&mut held.kept) {
            return;
        }
        if let Some(at) = self.queue.at(slot) {
            self.calendar.give_back(at);
        }
    }
}

fn slot_at(slots: &mut [Slot], slot: u32) -> Option<&mut Slot> {
    slots.get_mut(usize::try_from(slot).ok()?)
}
