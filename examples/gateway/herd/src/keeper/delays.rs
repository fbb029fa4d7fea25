//! A kernel for each lease, all in one `DelayQueue`: what a user of the kernel would take without the fleet.

use futures_util::StreamExt;
use leasebeat::{Action, AttemptId, Decision, Event, Heartbeat, Outcome, Success};
use leasebeat_gateway::clock;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::time::{DelayQueue, delay_queue};

use super::{config, created, key, reservation};
use crate::Args;
use crate::wire::{Reply, Wire};

struct Kept {
    heartbeat: Heartbeat,
    timer: Option<delay_queue::Key>,
    reservation: Box<str>,
}

struct Owner {
    wire: Wire,
    kept: Vec<Kept>,
    delays: DelayQueue<u32>,
    reply: UnboundedSender<(u32, AttemptId, Success)>,
}

pub(super) fn start(args: &Args, wire: Wire) -> JoinHandle<()> {
    let (reply, answers) = mpsc::unbounded_channel();
    let delays = DelayQueue::with_capacity(args.leases as usize);
    let mut owner = Owner { wire, kept: Vec::with_capacity(args.leases as usize), delays, reply };
    for number in 0..args.leases {
        let heartbeat = Heartbeat::new(config(args));
        owner.kept.push(Kept { heartbeat, timer: None, reservation: reservation(number).into() });
        owner.handle(number, created(args, number).into());
    }
    tokio::spawn(owner.run(answers))
}

impl Owner {
    async fn run(mut self, mut answers: UnboundedReceiver<(u32, AttemptId, Success)>) {
        loop {
            tokio::select! {
                biased;
                Some((number, attempt, success)) = answers.recv() => {
                    self.handle(number, Outcome::Extended(success).of(attempt));
                }
                Some(due) = self.delays.next() => {
                    let number = due.into_inner();
                    self.kept[number as usize].timer = None;
                    self.handle(number, Event::Tick);
                }
            }
        }
    }

    /// Gives an event to a lease's kernel, and does what it says.
    fn handle(&mut self, number: u32, event: Event) {
        let kept = &mut self.kept[number as usize];
        let mut decision = kept.heartbeat.handle(event, clock::now());
        while let Ok(Decision { action: Action::Send(attempt), .. }) = decision {
            let key = key(number, attempt.key_generation);
            let reply = || Reply::Owner(number, attempt.id, self.reply.clone());
            let answer = self.wire.send(&kept.reservation, &key, attempt.extend_by.into(), reply);
            let Some(success) = answer else { break };
            let success = Success { rtt_ns: Some(0), ..success };
            decision = kept.heartbeat.handle(Outcome::Extended(success).of(attempt.id), clock::now());
        }
        let Some(deadline) = kept.heartbeat.next_deadline() else { return };
        let at: Instant = clock::timer(deadline);
        match &kept.timer {
            Some(timer) => self.delays.reset_at(timer, at),
            None => kept.timer = Some(self.delays.insert_at(number, at)),
        }
    }
}
