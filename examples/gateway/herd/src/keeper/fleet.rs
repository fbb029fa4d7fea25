//! All leases in one fleet, with one timer.

use std::pin::pin;

use leasebeat::fleet::{Fleet, LeaseId, Pace};
use leasebeat::{Action, Decision, Instant};
use leasebeat_gateway::clock;
use leasebeat_gateway::memory::Room;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use super::{config, created, reservation};
use crate::Args;
use crate::wire::{Flight, Wire};

/// Answers that are handled before the timer is looked at again.
const BATCH: usize = 256;

struct Owner {
    wire: Wire,
    fleet: Fleet<'static>,
    /// By number, which is the place in the fleet too.
    kept: Vec<(LeaseId, Box<str>)>,
    reply: UnboundedSender<Flight>,
    /// The timer is set to multiples of it.
    tick_ns: u64,
}

pub(super) fn start(args: &Args, wire: Wire, tick_ns: u64) -> JoinHandle<()> {
    let (reply, answers) = mpsc::unbounded_channel();
    // It lives as long as the process.
    let room = Box::leak(Box::new(Room::new(args.leases as usize, 0)));
    let mut fleet = Fleet::new(room.memory(), Pace::default());
    let class = fleet.add_class(config(args)).expect("there is room for one");
    let mut owner = Owner { wire, fleet, kept: Vec::with_capacity(args.leases as usize), reply, tick_ns };
    for number in 0..args.leases {
        let lease = owner.fleet.insert(class).expect("there is room for all");
        owner.kept.push((lease, reservation(number).into()));
        let _ = owner.fleet.handle(lease, created(args, number).into(), clock::now());
    }
    tokio::spawn(owner.run(answers))
}

impl Owner {
    async fn run(mut self, mut answers: UnboundedReceiver<Flight>) {
        let mut timer = pin!(tokio::time::sleep_until(tokio::time::Instant::now()));
        let mut batch = Vec::with_capacity(BATCH);
        let mut armed = None;
        loop {
            let now = clock::now();
            while let Some((lease, decision)) = self.fleet.poll(now) {
                self.act(lease, decision, now);
            }
            let tick = |at: Instant| at.as_nanos().next_multiple_of(self.tick_ns);
            let next = self.fleet.next_deadline().map(|at| Instant::from_nanos(tick(at)));
            if next != armed {
                timer.as_mut().reset(next.map_or_else(tokio::time::Instant::now, clock::timer));
                armed = next;
            }
            tokio::select! {
                biased;
                _ = answers.recv_many(&mut batch, BATCH) => {
                    let now = clock::now();
                    for flight in batch.drain(..) {
                        let (lease, _) = self.kept[flight.number as usize];
                        let _ = self.fleet.handle(lease, flight.event(now), now);
                    }
                }
                () = timer.as_mut() => armed = None,
            }
        }
    }

    fn act(&mut self, lease: LeaseId, mut decision: Decision, now: Instant) {
        while let Action::Send(attempt) = decision.action {
            let number = lease.to_u64() as u32;
            let (_, reservation) = &self.kept[number as usize];
            let answer = self.wire.send_for_owner(number, reservation, attempt, now, &self.reply);
            match answer.map(|flight| self.fleet.handle(lease, flight.event(now), now)) {
                Some(Ok(next)) => decision = next,
                _ => return,
            }
        }
    }
}
