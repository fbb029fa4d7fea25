//! The one task that owns all leases: it hears every answer, and one timer wakes it when the next lease is due.

use std::num::NonZeroU64;
use std::pin::{Pin, pin};
use std::sync::Arc;

use leasebeat::fleet::{ClassId, Fleet, FleetError, LeaseId};
use leasebeat::{Action, Attempt, Decision, Event, Instant, Key, Millis, Operation};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::Sleep;

use crate::clock;
use crate::figures::Figures;
use crate::job::{Answer, Job};
use crate::live::Live;
use crate::ramp::Ramp;

/// Answers that are handled before the timer is looked at again.
const BATCH: usize = 256;

/// All leases, and what is needed to keep them.
#[derive(Debug)]
pub struct Owner<'m> {
    /// Decides.
    pub fleet: Fleet<'m>,
    /// What the kernels are told.
    pub class: ClassId,
    /// What is remembered of each lease besides, by its slot in the fleet.
    pub kept: Vec<Kept>,
    /// When leases are created.
    pub ramp: Ramp,
    /// The time limit of an attempt.
    pub timeout: Millis,
    /// How often it wakes for what is due, at most, in ns.
    pub tick_ns: NonZeroU64,
    /// To the connections.
    pub jobs: async_channel::Sender<Job>,
    /// From the connections.
    pub answers: UnboundedReceiver<Answer>,
    /// Since the last line that was shown.
    pub figures: Figures,
}

/// What a gateway remembers of a lease besides what the kernel does.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The server's name for it.
    reservation: Option<Arc<str>>,
    serial: u64,
}

impl Owner<'_> {
    /// Creates the leases and keeps them until `stop`.
    pub async fn run(&mut self, live: &mut Live, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut timer = pin!(tokio::time::sleep_until(tokio::time::Instant::now()));
        let mut armed = None;
        let mut second = tokio::time::interval(std::time::Duration::from_secs(1));
        let mut answers = Vec::with_capacity(BATCH);
        loop {
            self.create_due();
            self.poll();
            self.arm(timer.as_mut(), &mut armed);
            tokio::select! {
                biased;
                () = &mut stop => return,
                count = self.answers.recv_many(&mut answers, BATCH) => {
                    if count == 0 {
                        return; // every connection has ended: there is nothing left to keep leases with
                    }
                    let now = clock::now();
                    answers.drain(..).for_each(|answer| self.answered(answer, now));
                }
                () = timer.as_mut() => armed = None,
                _ = second.tick() => live.show(self),
            }
        }
    }

    /// The only timer: it is set to whatever comes first, of all leases and of those that are still to be created. What is due
    /// within one tick leaves together: the margin covers a beat that is some milliseconds late, and a wake costs more than a
    /// beat.
    fn arm(&self, timer: Pin<&mut Sleep>, armed: &mut Option<Instant>) {
        let next = self.fleet.next_deadline().into_iter().chain(self.ramp.next()).min();
        let tick =
            |at: Instant| at.as_nanos().checked_next_multiple_of(self.tick_ns.get()).unwrap_or(u64::MAX);
        let next = next.map(|at| Instant::from_nanos(tick(at)));
        if next == *armed {
            return;
        }
        // With nothing to wait for, an early wake does no harm.
        timer.reset(next.map_or_else(tokio::time::Instant::now, clock::timer));
        *armed = next;
    }

    /// Whatever is due: beats, retries, and time limits that have passed without an answer.
    fn poll(&mut self) {
        let now = clock::now();
        while let Some(due) = self.fleet.next_deadline().filter(|due| *due <= now) {
            let Some((lease, decision)) = self.fleet.poll(now) else { return };
            self.act(lease, &decision, due);
        }
    }

    fn create_due(&mut self) {
        let now = clock::now();
        while let Some(serial) = self.ramp.take(now) {
            match self.begin(serial, now) {
                Ok((lease, decision)) => self.act(lease, &decision, now),
                // There is room for all that the ramp gives out.
                Err(error) => debug_assert!(false, "{error}"),
            }
        }
    }

    fn begin(&mut self, serial: u64, now: Instant) -> Result<(LeaseId, Decision), FleetError> {
        let lease = self.fleet.insert(self.class)?;
        self.kept[slot(lease)] = Kept { reservation: None, serial };
        Ok((lease, self.fleet.handle(lease, Event::Begin, now)?))
    }

    fn answered(&mut self, answer: Answer, now: Instant) {
        // A late answer is refused, and changes nothing (L2).
        let event = answer.outcome.timed(answer.sent, now).of(answer.attempt);
        let Ok(decision) = self.fleet.handle(answer.lease, event, now) else { return };
        self.figures.answered(&answer, now);
        if let Some(reservation) = answer.reservation {
            self.kept[slot(answer.lease)].reservation = Some(reservation);
        }
        self.act(answer.lease, &decision, now);
    }

    fn act(&mut self, lease: LeaseId, decision: &Decision, due: Instant) {
        match decision.action {
            Action::Send(attempt) => self.send(lease, attempt, due),
            // The fleet remembers when.
            Action::Wait(_) => {}
            Action::Stop(_) => {
                self.kept[slot(lease)] = Kept::default();
                let _ = self.fleet.remove(lease);
            }
        }
    }

    fn send(&mut self, lease: LeaseId, attempt: Attempt, due: Instant) {
        self.figures.retries += u64::from(attempt.key == Key::Same);
        let Kept { reservation, serial } = self.kept[slot(lease)].clone();
        debug_assert!(reservation.is_some() || attempt.operation == Operation::Create);
        let expires = Instant::from_nanos(clock::now().as_nanos() + self.timeout.get() * 1_000_000);
        // It is never full, and closed only where every connection has ended, which `run` hears of too.
        let _ = self.jobs.try_send(Job { lease, serial, attempt, reservation, due, expires });
    }
}

/// Where a lease lies in its fleet. Another one may come there once it has been removed, as in [`Owner::kept`].
fn slot(lease: LeaseId) -> usize {
    usize::try_from(lease.to_u64() & u64::from(u32::MAX)).unwrap_or(usize::MAX)
}
