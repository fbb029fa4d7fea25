//! All leases in one fleet, with one timer.

use std::pin::pin;

use leasebeat::{Action, AttemptId, Decision, Outcome, Success};
use leasebeat_gateway::fleet::Fleet;
use leasebeat_gateway::{Lease, clock};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;

use super::{config, created, key, reservation};
use crate::Args;
use crate::wire::{Reply, Wire};

/// Answers that are handled before the timer is looked at again.
const BATCH: usize = 256;

struct Owner {
    wire: Wire,
    fleet: Fleet,
    /// By number, which is the place in the fleet.
    kept: Vec<(Lease, Box<str>)>,
    reply: UnboundedSender<(u32, AttemptId, Success)>,
}

pub(super) fn start(args: &Args, wire: Wire) -> JoinHandle<()> {
    let (reply, answers) = mpsc::unbounded_channel();
    let fleet = Fleet::new(config(args));
    let mut owner = Owner { wire, fleet, kept: Vec::with_capacity(args.leases as usize), reply };
    for number in 0..args.leases {
        let lease = owner.fleet.insert();
        owner.kept.push((lease, reservation(number).into()));
        let _ = owner.fleet.handle(lease, created(args, number).into(), clock::now());
    }
    tokio::spawn(owner.run(answers))
}

impl Owner {
    async fn run(mut self, mut answers: UnboundedReceiver<(u32, AttemptId, Success)>) {
        let mut timer = pin!(tokio::time::sleep_until(tokio::time::Instant::now()));
        let mut batch = Vec::with_capacity(BATCH);
        let mut armed = None;
        loop {
            let now = clock::now();
            while let Some((lease, decision)) = self.fleet.poll(now) {
                self.act(lease, decision);
            }
            let next = self.fleet.next_deadline();
            if next != armed {
                timer.as_mut().reset(next.map_or_else(tokio::time::Instant::now, clock::timer));
                armed = next;
            }
            tokio::select! {
                biased;
                _ = answers.recv_many(&mut batch, BATCH) => {
                    let now = clock::now();
                    for (number, attempt, success) in batch.drain(..) {
                        let (lease, _) = self.kept[number as usize];
                        let _ = self.fleet.handle(lease, Outcome::Extended(success).of(attempt), now);
                    }
                }
                () = timer.as_mut() => armed = None,
            }
        }
    }

    fn act(&mut self, lease: Lease, mut decision: Decision) {
        while let Action::Send(attempt) = decision.action {
            let number = lease.index() as u32;
            let key = key(number, attempt.key_generation);
            let reply = || Reply::Owner(number, attempt.id, self.reply.clone());
            let (_, reservation) = &self.kept[lease.index()];
            let answer = self.wire.send(reservation, &key, attempt.extend_by.into(), reply);
            let Some(success) = answer else { return };
            let success = Success { rtt_ns: Some(0), ..success };
            match self.fleet.handle(lease, Outcome::Extended(success).of(attempt.id), clock::now()) {
                Ok(next) => decision = next,
                Err(_) => return,
            }
        }
    }
}
