//! A kernel for each lease, all in one `DelayQueue`: what a user of the kernel would take without the fleet.

use futures_util::StreamExt;
use leasebeat::{Action, Decision, Event, Heartbeat, Instant};
use leasebeat_gateway::clock;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio_util::time::{DelayQueue, delay_queue};

use super::{config, created, reservation};
use crate::Args;
use crate::wire::{Flight, Wire};

struct Kept {
    heartbeat: Heartbeat,
    timer: Option<delay_queue::Key>,
    reservation: Box<str>,
}

struct Owner {
    wire: Wire,
    kept: Vec<Kept>,
    delays: DelayQueue<u32>,
    reply: UnboundedSender<Flight>,
}

pub(super) fn start(args: &Args, wire: Wire) -> JoinHandle<()> {
    let (reply, answers) = mpsc::unbounded_channel();
    let delays = DelayQueue::with_capacity(args.leases as usize);
    let mut owner = Owner { wire, kept: Vec::with_capacity(args.leases as usize), delays, reply };
    for number in 0..args.leases {
        let heartbeat = Heartbeat::new(config(args));
        owner.kept.push(Kept { heartbeat, timer: None, reservation: reservation(number).into() });
        owner.handle(number, created(args, number).into(), clock::now());
    }
    tokio::spawn(owner.run(answers))
}

impl Owner {
    async fn run(mut self, mut answers: UnboundedReceiver<Flight>) {
        loop {
            tokio::select! {
                biased;
                Some(flight) = answers.recv() => {
                    let now = clock::now();
                    self.handle(flight.number, flight.event(now), now);
                }
                Some(due) = self.delays.next() => {
                    let number = due.into_inner();
                    self.kept[number as usize].timer = None;
                    self.handle(number, Event::Tick, clock::now());
                }
            }
        }
    }

    /// Gives an event to a lease's kernel, and does what it says.
    fn handle(&mut self, number: u32, event: Event, now: Instant) {
        let kept = &mut self.kept[number as usize];
        let mut decision = kept.heartbeat.handle(event, now);
        while let Ok(Decision { action: Action::Send(attempt), .. }) = decision {
            let answer = self.wire.send_for_owner(number, &kept.reservation, attempt, now, &self.reply);
            let Some(flight) = answer else { break };
            decision = kept.heartbeat.handle(flight.event(now), now);
        }
        let Some(deadline) = kept.heartbeat.next_deadline() else { return };
        let at = clock::timer(deadline);
        match &kept.timer {
            Some(timer) => self.delays.reset_at(timer, at),
            None => kept.timer = Some(self.delays.insert_at(number, at)),
        }
    }
}
