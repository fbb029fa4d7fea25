//! A fleet beside single heartbeats that are told the same: what the properties and the fuzzer check.

use leasebeat::fleet::{Class, ClassId, Fleet, FleetError, LeaseId, Memory, Pace, Place, Second, Slot};
use leasebeat::{Config, Event, Heartbeat, Instant, Rule};

/// Memory for so many leases, never given back: the tests end.
#[must_use]
pub fn memory(leases: usize, classes: usize, seconds: usize) -> Memory<'static> {
    Memory {
        slots: Vec::leak(vec![Slot::EMPTY; leases]),
        queue: Vec::leak(vec![Place::EMPTY; leases]),
        classes: Vec::leak(vec![Class::EMPTY; classes]),
        seconds: Vec::leak(vec![Second::EMPTY; seconds]),
    }
}

/// Whether a tick at `now` would do more than say how long is left; found by doing it.
#[must_use]
pub fn acts(single: &Heartbeat, now: Instant) -> bool {
    let mut copy = *single;
    !matches!(copy.tick(now).rule, Rule::T4 | Rule::L3 | Rule::L1 | Rule::L5)
}

/// A fleet, and for each of its leases a heartbeat of its own.
pub struct Beside {
    pub fleet: Fleet<'static>,
    pub class: ClassId,
    config: Config,
    pub leases: Vec<(LeaseId, Heartbeat)>,
    removed: Vec<LeaseId>,
    capacity: usize,
}

impl Beside {
    /// # Panics
    /// Never: there is room for the class.
    #[must_use]
    pub fn new(config: Config, capacity: usize) -> Self {
        let mut fleet = Fleet::new(memory(capacity, 1, 0), Pace::default());
        let class = fleet.add_class(config).expect("there is room for one class");
        Self { fleet, class, config, leases: Vec::new(), removed: Vec::new(), capacity }
    }

    /// # Panics
    /// Where the fleet is full too early or too late, or gives an id twice.
    pub fn insert(&mut self) {
        match self.fleet.insert(self.class) {
            Ok(id) => {
                assert!(self.leases.len() < self.capacity, "more than there is room for");
                assert!(!self.removed.contains(&id) && self.leases.iter().all(|(other, _)| *other != id));
                self.leases.push((id, Heartbeat::new(self.config)));
            }
            Err(error) => assert_eq!((error, self.leases.len()), (FleetError::Full, self.capacity)),
        }
    }

    /// # Panics
    /// Where the fleet does not know the lease, or still does afterwards.
    pub fn remove(&mut self, which: usize) {
        let (id, _) = self.leases.swap_remove(which);
        assert_eq!(self.fleet.remove(id), Ok(()));
        self.removed.push(id);
        for stale in &self.removed {
            assert_eq!(self.fleet.remove(*stale), Err(FleetError::StaleId));
            assert_eq!(self.fleet.handle(*stale, Event::Tick, Instant::ORIGIN), Err(FleetError::StaleId));
        }
    }

    /// # Panics
    /// Where the two decide differently.
    pub fn handle(&mut self, which: usize, event: Event, now: Instant) {
        let (id, single) = &mut self.leases[which];
        let expected = single.handle(event, now).map_err(FleetError::Misuse);
        assert_eq!(self.fleet.handle(*id, event, now), expected, "{event:?} at {now:?}");
    }

    /// Everything that is due.
    ///
    /// # Panics
    /// Where one is due that should not be, or the other way round, or the two decide differently.
    pub fn poll(&mut self, now: Instant) {
        let mut last = Instant::ORIGIN;
        loop {
            let deadline = self.fleet.next_deadline();
            let Some((id, decision)) = self.fleet.poll(now) else { break };
            let deadline = deadline.expect("what is due has a deadline");
            assert!(last <= deadline && deadline <= now, "{last:?}, {deadline:?}, {now:?}");
            last = deadline;
            let (_, single) = self.leases.iter_mut().find(|(one, _)| *one == id).expect("a lease there is");
            assert!(acts(single, now), "{decision:?} was not due at {now:?}");
            assert_eq!(single.tick(now), decision, "at {now:?}");
        }
        for (_, single) in &self.leases {
            assert!(!acts(single, now), "due at {now:?} and not polled");
        }
        if let Some(next) = self.fleet.next_deadline() {
            let just_before = Instant::from_nanos(next.as_nanos() - 1);
            assert!(self.leases.iter().all(|(_, single)| !acts(single, just_before)), "late: {next:?}");
            assert!(self.leases.iter().any(|(_, single)| acts(single, next)), "too early: {next:?}");
        }
    }

    /// # Panics
    /// Where the fleet shows another lease than there is.
    pub fn views_agree(&self) {
        assert_eq!(self.fleet.len(), self.leases.len());
        for (id, single) in &self.leases {
            assert_eq!(self.fleet.get(*id).as_ref(), Ok(single));
        }
        let mut seen = 0;
        let mut next = self.fleet.next_id(None);
        while let Some(id) = next {
            assert!(self.leases.iter().any(|(one, _)| *one == id));
            seen += 1;
            next = self.fleet.next_id(Some(id));
        }
        assert_eq!(seen, self.leases.len());
        let dangers = self.leases.iter().filter_map(|(id, single)| Some((*id, single.danger()?)));
        let Some(by) = dangers.clone().map(|(_, at)| at).min() else { return };
        let mut expected: Vec<_> = dangers.filter(|(_, at)| *at <= by).collect();
        let mut found: Vec<_> = self.fleet.in_danger(by).collect();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
