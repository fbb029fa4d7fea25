//! One lease: its kernel, and what its requests need.

use core::fmt::Write;

use heapless::String;
use leasebeat::{
    Action, Attempt, AttemptId, Config, Event, Failure, Heartbeat, Instant, Millis, Operation, Outcome,
    Stats, StopReason,
};

use crate::board::{Board, Exchange};
use crate::http::{self, ID_MAX, Names, REQUEST_MAX};

/// How much earlier than the kernel's timeout the modem gives up: a timeout noticed late leaves no room for the retry
/// that it was budgeted for.
pub const SLACK_MS: u64 = 500;

/// A lease that is kept.
#[derive(Debug)]
pub struct Lease {
    index: u8,
    heartbeat: Heartbeat,
    stem: String<64>,
    reservation: String<ID_MAX>,
    sent: Instant,
    operation: Operation,
}

impl Lease {
    /// A lease that nobody has asked for yet. `boot` is a number that no other boot has: from a counter in flash, or
    /// random.
    #[must_use]
    pub fn new(index: u8, boot: u32, config: Config) -> Self {
        let mut stem = String::new();
        // 25 characters at most.
        let _ = write!(stem, "device-{boot:08x}-{index}");
        Self {
            index,
            heartbeat: Heartbeat::new(config),
            stem,
            reservation: String::new(),
            sent: Instant::ORIGIN,
            operation: Operation::Create,
        }
    }

    /// The kernel, to be read.
    #[must_use]
    pub fn heartbeat(&self) -> &Heartbeat {
        &self.heartbeat
    }

    /// What was counted.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.heartbeat.stats()
    }

    /// Why it is not kept any more.
    #[must_use]
    pub fn stopped(&self) -> Option<StopReason> {
        self.heartbeat.stopped()
    }

    /// Tells the kernel, and does what it says. A report that answers nothing in flight is dropped (L2).
    pub fn tell<B: Board>(&mut self, event: Event, now: Instant, board: &mut B) {
        if let Ok(decision) = self.heartbeat.handle(event, now) {
            board.log(self.index, &decision, self.heartbeat.lead(now));
            if let Action::Send(attempt) = decision.action {
                self.send(&attempt, now, board);
            }
        }
    }

    /// An answer to attempt `attempt` has come, or none will.
    pub fn report<B: Board>(
        &mut self,
        attempt: u32,
        answer: Result<&[u8], Failure>,
        now: Instant,
        board: &mut B,
    ) {
        let id = AttemptId::new(attempt);
        if self.heartbeat.in_flight() != Some(id) {
            return; // too late
        }
        let outcome = match answer {
            Ok(bytes) => http::read(self.operation, bytes, &mut self.reservation),
            Err(failure) => Outcome::Failed(failure),
        };
        self.tell(outcome.timed(self.sent, now).of(id), now, board);
    }

    /// Does what is due, and says how long nothing will be; `None` once it has stopped.
    pub fn tick<B: Board>(&mut self, now: Instant, board: &mut B) -> Option<Millis> {
        loop {
            let decision = self.heartbeat.tick(now);
            match decision.action {
                Action::Wait(wait) => return wait,
                Action::Stop(_) => return None,
                Action::Send(attempt) => {
                    board.log(self.index, &decision, self.heartbeat.lead(now));
                    self.send(&attempt, now, board);
                }
            }
        }
    }

    fn send<B: Board>(&mut self, attempt: &Attempt, now: Instant, board: &mut B) {
        (self.sent, self.operation) = (now, attempt.operation);
        let names = Names { stem: &self.stem, reservation: &self.reservation };
        let mut request = String::<REQUEST_MAX>::new();
        if http::request(attempt, names, &mut request).is_ok() {
            let timeout = attempt.timeout.map_or(u64::MAX, Millis::get).saturating_sub(SLACK_MS);
            let exchange = Exchange { lease: self.index, attempt: attempt.id.get() };
            board.send(exchange, request.as_bytes(), Millis::new(timeout));
        }
    }
}
