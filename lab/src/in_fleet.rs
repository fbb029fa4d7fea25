//! A kernel that lives in a fleet, among others that make its beats move: jitter, and a budget of beats a second (FL3, FL4).
//!
//! The world and the monitor see a kernel like any other. Each lease has a fleet of its own, which is the real one; the others in
//! it are answered at once whenever they beat.

use std::cell::RefCell;
use std::hash::{Hash, Hasher};

use leasebeat::fleet::{Class, ClassId, Fleet, FleetError, LeaseId, Memory, Pace, Place, Second, Slot};
use leasebeat::{
    Action, AttemptId, Config, Decision, Event, Heartbeat, Instant, Millis, Misuse, Outcome, Success,
};

use crate::Kernel;

/// The others.
const OTHERS: usize = 7;
/// Fleets of a thread that are kept before the first is used again. A world has at most 64 leases at a time.
const KEPT: usize = 4_096;
const SECONDS: usize = 64;

/// How the beats of the fleets of [`InFleet`] are spread: as far as it goes, and with a budget that is short for eight leases.
const PACE: Pace = Pace { seed: 0x5eed, jitter_permille: 500, beats_per_second: 1 };

struct Host {
    fleet: Fleet<'static>,
    class: ClassId,
    lease: LeaseId,
    others: [LeaseId; OTHERS],
    config: Config,
    number: u64,
}

thread_local! {
    static HOSTS: RefCell<(u64, Vec<Host>)> = const { RefCell::new((0, Vec::new())) };
}

/// One lease of a fleet.
#[derive(Debug, Clone, Copy)]
pub struct InFleet {
    heartbeat: Heartbeat,
    number: u64,
    /// What its fleet has decided on the event that it is told next.
    decided: Option<(Result<Decision, Misuse>, Heartbeat)>,
}

/// Where it lives is not what it is.
impl PartialEq for InFleet {
    fn eq(&self, other: &Self) -> bool {
        self.heartbeat == other.heartbeat
    }
}

impl Eq for InFleet {}

impl Hash for InFleet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.heartbeat.hash(state);
    }
}

impl Kernel for InFleet {
    fn new(config: Config) -> Self {
        let number = HOSTS.with_borrow_mut(|(next, hosts)| {
            let number = *next;
            *next += 1;
            let place = place(number);
            if let Some(host) = hosts.get_mut(place) {
                host.begin_again(config, number);
            } else {
                hosts.push(Host::new(config, number));
            }
            number
        });
        Self { heartbeat: Heartbeat::new(config), number, decided: None }
    }

    fn told(&mut self, event: &Event, now: Instant) {
        self.decided = Some(with(self.number, |host| host.tell(event, now)));
    }

    fn handle(&mut self, event: Event, now: Instant) -> Result<Decision, Misuse> {
        let Some((decision, after)) = self.decided.take() else { return self.heartbeat.handle(event, now) };
        self.heartbeat = after;
        decision
    }

    /// The fleet's one timer.
    fn wakes(&self, _wait_ends: Option<Instant>) -> Option<Instant> {
        with(self.number, |host| host.fleet.next_deadline())
    }

    fn lead(&self, now: Instant) -> Millis {
        self.heartbeat.lead(now)
    }

    fn fence(&self) -> Option<Instant> {
        self.heartbeat.fence()
    }

    fn danger(&self) -> Option<Instant> {
        self.heartbeat.danger()
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.heartbeat.next_deadline()
    }

    fn restored(&self, now: Instant) -> (Self, Decision) {
        let (heartbeat, decision) = self.heartbeat.snapshot().restore(now);
        (Self { heartbeat, ..*self }, decision)
    }
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX) % KEPT
}

fn with<T>(number: u64, act: impl FnOnce(&mut Host) -> T) -> T {
    HOSTS.with_borrow_mut(|(_, hosts)| {
        let host = &mut hosts[place(number)];
        assert_eq!(host.number, number, "a lease outlived {KEPT} that came after it");
        act(host)
    })
}

impl Host {
    fn new(config: Config, number: u64) -> Self {
        let memory = Memory {
            slots: Vec::leak(vec![Slot::EMPTY; OTHERS + 1]),
            queue: Vec::leak(vec![Place::EMPTY; OTHERS + 1]),
            classes: Vec::leak(vec![Class::EMPTY; 1]),
            seconds: Vec::leak(vec![Second::EMPTY; SECONDS]),
        };
        Self::over(memory, config, number)
    }

    fn over(memory: Memory<'static>, config: Config, number: u64) -> Self {
        let mut fleet = Fleet::new(memory, PACE);
        let class = fleet.add_class(config).expect("there is room for one");
        let mut insert = || fleet.insert(class).expect("there is room");
        let (lease, others) = (insert(), std::array::from_fn(|_| insert()));
        Self { fleet, class, lease, others, config, number }
    }

    fn begin_again(&mut self, config: Config, number: u64) {
        let none = Memory { slots: &mut [], queue: &mut [], classes: &mut [], seconds: &mut [] };
        let fleet = std::mem::replace(&mut self.fleet, Fleet::new(none, PACE));
        *self = Self::over(fleet.into_memory(), config, number);
    }

    fn tell(&mut self, event: &Event, now: Instant) -> (Result<Decision, Misuse>, Heartbeat) {
        for other in 0..OTHERS {
            self.keep(other, *event == Event::TimingLost, now);
        }
        let mut decision = None;
        while let (Event::Tick, None) = (event, decision) {
            let Some((id, decided)) = self.fleet.poll(now) else { break };
            if id == self.lease {
                decision = Some(Ok(decided));
            } else {
                self.answer(id, &decided, now);
            }
        }
        let decision = decision.unwrap_or_else(|| {
            self.fleet.handle(self.lease, *event, now).map_err(|error| match error {
                FleetError::Misuse(misuse) => misuse,
                other => panic!("{other}"),
            })
        });
        let after = self.fleet.get(self.lease).expect("it is there");
        let (timer, due) = (self.fleet.next_deadline(), after.next_deadline());
        assert!(due.is_none() || timer <= due, "FL3: the fleet's timer {timer:?}, the lease's {due:?}");
        (decision, after)
    }

    /// Another lease begins, or again where it has stopped; and learns that timing was lost.
    fn keep(&mut self, other: usize, lost: bool, now: Instant) {
        let id = self.others[other];
        let heartbeat = self.fleet.get(id).expect("it is there");
        if heartbeat.stopped().is_some() {
            self.fleet.remove(id).expect("it is there");
            self.others[other] = self.fleet.insert(self.class).expect("there is room again");
        } else if heartbeat.stats().attempts == 0 && heartbeat.next_deadline().is_none() {
            self.succeed(id, None, now);
        } else if lost {
            let decided = self.fleet.handle(id, Event::TimingLost, now).expect("never a misuse");
            self.answer(id, &decided, now);
        }
    }

    fn answer(&mut self, id: LeaseId, decided: &Decision, now: Instant) {
        if let Action::Send(attempt) = decided.action {
            self.succeed(id, Some(attempt.id), now);
        }
    }

    fn succeed(&mut self, id: LeaseId, attempt: Option<AttemptId>, now: Instant) {
        let remaining_ms = self.config.extend_by().get();
        let success = Success {
            rtt_ns: Some(0),
            remaining_ttl_ms: Some(remaining_ms),
            expires_at_ms: Some(now.as_nanos() / 1_000_000 + remaining_ms),
        };
        let outcome = if attempt.is_some() { Outcome::Extended(success) } else { Outcome::Created(success) };
        let decided = self.fleet.handle(id, Event::Report { attempt, outcome }, now);
        // A lease without any delay beats at once, twice at most (P5).
        if let Ok(decided) = decided {
            self.answer(id, &decided, now);
        }
    }
}
