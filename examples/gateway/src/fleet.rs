//! TEMPORARY stand-in until leasebeat::fleet is there.
use leasebeat::{Config, Decision, Event, Heartbeat, Instant, Misuse};
use std::collections::BTreeSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId(pub u32);
impl LeaseId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug)]
pub struct Fleet {
    config: Config,
    beats: Vec<Option<Heartbeat>>,
    queue: BTreeSet<(Instant, u32)>,
}

impl Fleet {
    pub fn new(config: Config) -> Self {
        Self { config, beats: Vec::new(), queue: BTreeSet::new() }
    }
    pub fn insert(&mut self) -> LeaseId {
        self.beats.push(Some(Heartbeat::new(self.config)));
        LeaseId(self.beats.len() as u32 - 1)
    }
    pub fn remove(&mut self, id: LeaseId) {
        if let Some(b) = self.beats[id.index()].take() {
            if let Some(d) = b.next_deadline() {
                self.queue.remove(&(d, id.0));
            }
        }
    }
    pub fn handle(&mut self, id: LeaseId, event: Event, now: Instant) -> Result<Decision, Misuse> {
        let b = self.beats[id.index()].as_mut().ok_or(Misuse::StaleAttempt)?;
        if let Some(d) = b.next_deadline() {
            self.queue.remove(&(d, id.0));
        }
        let r = b.handle(event, now);
        if let Some(d) = b.next_deadline() {
            self.queue.insert((d, id.0));
        }
        r
    }
    pub fn poll(&mut self, now: Instant) -> Option<(LeaseId, Decision)> {
        let (d, id) = *self.queue.first()?;
        if d > now {
            return None;
        }
        self.handle(LeaseId(id), Event::Tick, now).ok().map(|d| (LeaseId(id), d))
    }
    pub fn next_deadline(&self) -> Option<Instant> {
        self.queue.first().map(|e| e.0)
    }
    pub fn iter(&self) -> impl Iterator<Item = &Heartbeat> {
        self.beats.iter().flatten()
    }
}
