//! One state of the small world, and every move that can follow.

use std::hash::{Hash, Hasher};

use leasebeat::{Action, Attempt, Config, Event, Failure, Instant, Millis, Outcome, Rule};

use super::scenario::Scenario;
use super::server::{Server, http};
use crate::Kernel;
use crate::invariants::{Monitor, Truth, Violation};
use crate::record::Told;

const MS: u64 = 1_000_000;
/// The client's clock at true time 0: far enough from its origin to step back.
const CLOCK_BASE_NS: u64 = 1_000_000 * MS;
const SLEEP_NS: u64 = 2_100 * MS;
const STEP_BACK_NS: u64 = 5_000 * MS;
/// Less than the millisecond that T4 and T5 forgive.
const EARLY_NS: u64 = 600_000;

/// What can happen next. Those that take one from the budget of faults say so in `is_fault`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// The server applies what is in flight.
    Apply,
    /// Its answer arrives.
    Answer,
    /// Time goes on, to the next point of the grid or the kernel's deadline. Past a deadline: a late timer.
    Advance,
    /// The timer fires; at no deadline: an early tick.
    Tick,
    /// The host finds the connection of a lost request or answer closed.
    Disconnected,
    /// A request that was given up is applied after all.
    ApplyLate,
    /// The answer to a request that was given up arrives.
    AnswerLate,
    /// The work is done.
    Close,
    /// Time goes on to just before the deadline, within the millisecond that T4 forgives.
    AdvanceEarly,
    /// The answer is handed over with a reading older than the last call's (T5).
    AnswerOvertaken,
    /// The request is lost.
    LoseRequest,
    /// It was applied, and the answer is lost.
    LoseAnswer,
    /// 503 without applying.
    Unavailable,
    /// It was applied, and the answer is no valid one.
    Garbled,
    /// 429 with a Retry-After of 0.
    ThrottledZero,
    /// 429 with a Retry-After of 1 s.
    ThrottledOne,
    /// 429 without a Retry-After.
    ThrottledUnsaid,
    /// The host gives the attempt up before the kernel does; it is still on its way.
    GivenUp,
    /// The machine sleeps, its clock with it, and the host is told.
    SleepTold,
    /// The machine sleeps, its clock with it, and nobody is told.
    SleepUntold,
    /// The clock steps back.
    StepBack,
    /// The host crashes and is restored from a snapshot.
    Restore,
    /// The server is replaced by one that does, or does not, say what remains.
    Flip,
}

impl Move {
    /// Every one.
    pub const ALL: [Self; 23] = [
        Self::Apply,
        Self::Answer,
        Self::Advance,
        Self::Tick,
        Self::Disconnected,
        Self::ApplyLate,
        Self::AnswerLate,
        Self::Close,
        Self::AdvanceEarly,
        Self::AnswerOvertaken,
        Self::LoseRequest,
        Self::LoseAnswer,
        Self::Unavailable,
        Self::Garbled,
        Self::ThrottledZero,
        Self::ThrottledOne,
        Self::ThrottledUnsaid,
        Self::GivenUp,
        Self::SleepTold,
        Self::SleepUntold,
        Self::StepBack,
        Self::Restore,
        Self::Flip,
    ];

    /// Whether it is one whatever the state.
    const fn is_fault(self) -> bool {
        self as u8 >= Self::AdvanceEarly as u8
    }
}

/// Where a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Stage {
    OnItsWay,
    Answered(Outcome),
    Lost,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Request {
    attempt: Attempt,
    /// The reading just before it left.
    sent: Instant,
    stage: Stage,
}

#[derive(Clone)]
pub(super) struct State<K> {
    kernel: K,
    monitor: Monitor<K>,
    server: Server,
    at_ns: u64,
    /// The client's clock less the true time.
    offset_ns: u64,
    last_reading_ns: u64,
    /// The reading at which the host's timer fires.
    timer_ns: Option<u64>,
    in_flight: Option<Request>,
    /// One that was given up and may still do something.
    given_up: Option<Request>,
    faults_left: u8,
    distrust_ns: Option<u64>,
    stopped: bool,
}

impl<K: Kernel> State<K> {
    pub(super) fn new(scenario: &Scenario, faults: u8) -> Self {
        let config = Config::new(scenario.settings).expect("settings in range");
        Self {
            kernel: K::new(config),
            monitor: Monitor::new(&config, 0).at_every_call(),
            server: Server::new(scenario.policy),
            at_ns: scenario.grid_ns,
            offset_ns: CLOCK_BASE_NS,
            last_reading_ns: 0,
            timer_ns: None,
            in_flight: None,
            given_up: None,
            faults_left: faults,
            distrust_ns: None,
            stopped: false,
        }
    }

    pub(super) fn begin(
        &mut self,
        scenario: &Scenario,
        told: Option<&mut Vec<Told>>,
    ) -> Result<(), Violation> {
        self.tell(scenario, Event::Begin, 0, told)
    }

    /// Whether a move can be made here.
    pub(super) fn may(&self, scenario: &Scenario, next: Move) -> bool {
        // Nothing but lost timing can change anything after a stop.
        let after_stop = matches!(next, Move::AnswerLate | Move::SleepTold | Move::Restore | Move::StepBack);
        if (self.stopped && !after_stop) || (self.faults_left == 0 && self.costs(scenario, next)) {
            return false;
        }
        let own = self.in_flight.map(|request| request.stage);
        let late = self.given_up.map(|request| request.stage);
        match next {
            Move::Apply
            | Move::LoseRequest
            | Move::Unavailable
            | Move::ThrottledZero
            | Move::ThrottledOne
            | Move::ThrottledUnsaid => matches!(own, Some(Stage::OnItsWay)),
            Move::LoseAnswer | Move::Answer | Move::Garbled => matches!(own, Some(Stage::Answered(_))),
            // A reading from before the send would be no overtaken answer.
            Move::AnswerOvertaken => self.in_flight.is_some_and(|own| {
                let received_ns = self.reading_ns(scenario) - EARLY_NS;
                let overtaken = received_ns >= own.sent.as_nanos() && received_ns < self.last_reading_ns;
                overtaken && matches!(own.stage, Stage::Answered(_))
            }),
            Move::GivenUp => matches!(own, Some(Stage::OnItsWay | Stage::Answered(_))),
            Move::Disconnected => matches!(own, Some(Stage::Lost)),
            Move::ApplyLate => matches!(late, Some(Stage::OnItsWay)),
            Move::AnswerLate => matches!(late, Some(Stage::Answered(_))),
            Move::Advance => self.next_ns(scenario) <= scenario.horizon_ns,
            Move::AdvanceEarly => {
                let next_ns = self.next_ns(scenario);
                self.due_at_ns(scenario) == Some(next_ns) && next_ns > self.at_ns + EARLY_NS
            }
            Move::Tick
            | Move::Close
            | Move::SleepTold
            | Move::SleepUntold
            | Move::StepBack
            | Move::Restore
            | Move::Flip => true,
        }
    }

    /// Whether it takes a fault from the budget here.
    pub(super) fn costs(&self, scenario: &Scenario, next: Move) -> bool {
        match next {
            // A late timer.
            Move::Advance => self.due_at_ns(scenario).is_some_and(|due| due <= self.at_ns),
            // An early one; after AdvanceEarly it is due by T4.
            Move::Tick => self.due_at_ns(scenario).is_none_or(|due| due > self.at_ns + EARLY_NS),
            _ => next.is_fault(),
        }
    }

    /// Makes a move that may be made.
    pub(super) fn make(
        &mut self,
        scenario: &Scenario,
        next: Move,
        told: Option<&mut Vec<Told>>,
    ) -> Result<(), Violation> {
        self.faults_left -= u8::from(self.costs(scenario, next));
        match next {
            Move::Apply => self.in_flight = self.in_flight.map(|request| self.applied(scenario, request)),
            Move::ApplyLate => self.given_up = self.given_up.map(|request| self.applied(scenario, request)),
            Move::LoseRequest | Move::LoseAnswer => {
                self.in_flight = self.in_flight.map(|request| Request { stage: Stage::Lost, ..request });
            }
            Move::Advance => self.at_ns = self.next_ns(scenario),
            Move::AdvanceEarly => self.at_ns = self.next_ns(scenario) - EARLY_NS,
            Move::SleepUntold => {
                self.sleep();
                self.distrust_ns = Some(self.at_ns);
            }
            Move::StepBack => {
                self.offset_ns -= STEP_BACK_NS;
                self.distrust_ns = Some(self.at_ns);
            }
            Move::Flip => self.server.flip(),
            Move::Restore => {
                // What the restored one is told first is what the one before is told here (I7).
                let (restored, _) = self.kernel.restored(Instant::from_nanos(self.reading_ns(scenario)));
                self.tell(scenario, Event::TimingLost, 0, told)?;
                self.kernel = restored;
            }
            Move::AnswerOvertaken => {
                let event = answer(self.in_flight.take(), self.reading_ns(scenario) - EARLY_NS);
                self.tell(scenario, event, EARLY_NS, told)?;
            }
            _ => {
                let event = self.event(scenario, next);
                self.tell(scenario, event, 0, told)?;
            }
        }
        Ok(())
    }

    /// The moves that tell the kernel something, and do little else.
    fn event(&mut self, scenario: &Scenario, next: Move) -> Event {
        let outcome = match next {
            Move::Close => return Event::Close,
            Move::SleepTold => {
                self.sleep();
                return Event::TimingLost;
            }
            Move::Answer => return answer(self.in_flight.take(), self.reading_ns(scenario)),
            Move::AnswerLate => return answer(self.given_up.take(), self.reading_ns(scenario)),
            Move::Disconnected => Outcome::Failed(Failure::Connection),
            Move::GivenUp => {
                self.given_up = self.in_flight;
                Outcome::Failed(Failure::Timeout)
            }
            Move::Garbled => Outcome::Failed(Failure::Ambiguous),
            Move::Unavailable => http(503, None, None),
            Move::ThrottledZero => http(429, None, Some(Millis::ZERO)),
            Move::ThrottledOne => http(429, None, Some(Millis::new(1_000))),
            Move::ThrottledUnsaid => http(429, None, None),
            _ => return Event::Tick,
        };
        let stage = Stage::Answered(outcome);
        answer(self.in_flight.take().map(|own| Request { stage, ..own }), self.reading_ns(scenario))
    }

    fn sleep(&mut self) {
        self.at_ns += SLEEP_NS;
        self.offset_ns -= SLEEP_NS;
    }

    /// The next point of the grid, or the kernel's deadline before it.
    fn next_ns(&self, scenario: &Scenario) -> u64 {
        let grid_ns = (self.at_ns / scenario.grid_ns + 1) * scenario.grid_ns;
        self.due_at_ns(scenario).filter(|due| *due > self.at_ns).map_or(grid_ns, |due| due.min(grid_ns))
    }

    /// The true time at which the client's clock first reads what the timer was set to.
    fn due_at_ns(&self, scenario: &Scenario) -> Option<u64> {
        let quantum = scenario.settings.clock_resolution_ns.max(1);
        Some((self.timer_ns?.div_ceil(quantum) * quantum).saturating_sub(self.offset_ns))
    }

    fn reading_ns(&self, scenario: &Scenario) -> u64 {
        let quantum = scenario.settings.clock_resolution_ns.max(1);
        (self.at_ns + self.offset_ns) / quantum * quantum
    }

    fn applied(&mut self, scenario: &Scenario, request: Request) -> Request {
        let Attempt { operation, key_generation, extend_by, .. } = request.attempt;
        let outcome = self.server.ask(operation, key_generation, extend_by, scenario.ttl_ms, self.at_ns);
        Request { stage: Stage::Answered(outcome), ..request }
    }

    /// Tells the kernel, with a reading taken `back_ns` ago.
    fn tell(
        &mut self,
        scenario: &Scenario,
        event: Event,
        back_ns: u64,
        told: Option<&mut Vec<Told>>,
    ) -> Result<(), Violation> {
        let now = Instant::from_nanos(self.reading_ns(scenario) - back_ns);
        let truth = Truth { at_ns: self.at_ns - back_ns, expires_at_ns: self.server.expires_at_ns() };
        let distrust_ns = self.distrust_ns.take();
        if let Some(at_ns) = distrust_ns {
            self.monitor.distrust(at_ns);
        }
        if let Some(told) = told {
            told.push(Told { event, now, truth, distrust_ns });
        }
        self.last_reading_ns = now.as_nanos();
        let Ok(decision) = self.monitor.call(&mut self.kernel, event, now, &truth)? else { return Ok(()) };
        let asked = matches!(event, Event::Tick | Event::TimingLost);
        let still_waits = asked && decision.rule == Rule::L3 && matches!(decision.action, Action::Wait(_));
        if !still_waits {
            self.given_up = self.in_flight.take().filter(|own| own.stage != Stage::Lost).or(self.given_up);
        }
        let timer = |after: Option<Millis>| after.map(|after| now.as_nanos() + after.get() * MS);
        match decision.action {
            Action::Send(attempt) => {
                self.timer_ns = timer(attempt.timeout);
                self.in_flight = Some(Request { attempt, sent: now, stage: Stage::OnItsWay });
            }
            Action::Wait(wait) => self.timer_ns = timer(wait),
            Action::Stop(_) => {
                self.timer_ns = None;
                self.stopped = true;
            }
        }
        Ok(())
    }
}

/// The report of an answer that was received at `received_ns`.
fn answer(request: Option<Request>, received_ns: u64) -> Event {
    match request {
        Some(Request { attempt, sent, stage: Stage::Answered(outcome) }) => {
            outcome.timed(sent, Instant::from_nanos(received_ns)).of(attempt.id)
        }
        // No move allows it.
        _ => Event::Tick,
    }
}

impl<K: Kernel> Hash for State<K> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.kernel.hash(hasher);
        self.monitor.hash_memory(hasher);
        self.server.hash(hasher);
        (self.at_ns, self.offset_ns, self.last_reading_ns, self.timer_ns).hash(hasher);
        (self.in_flight, self.given_up, self.faults_left, self.distrust_ns).hash(hasher);
    }
}
