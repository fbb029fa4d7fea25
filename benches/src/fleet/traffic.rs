//! What a gateway goes through: leases created one after the other, beaten, answered, and now and then failed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leasebeat::fleet::{Class, ClassId, Fleet, LeaseId, Memory, Pace, Place, Second, Slot};
use leasebeat::{
    Action, AttemptId, Config, Decision, Event, Failure, HttpFailure, Instant, Millis, Outcome, Settings,
    Success,
};

use crate::measured_insert as insert;
use crate::{measured_handle as handle, measured_poll as poll};

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const TTL_MS: u64 = 60_000;
/// Leases are created over this span: about as long as one waits for its beat.
const RAMP_NS: u64 = 40_000 * MS;

/// Memory that is never given back: the program ends.
pub(crate) fn fleet(leases: usize, seconds: usize, pace: Pace) -> Fleet<'static> {
    let memory = Memory {
        slots: Vec::leak(vec![Slot::EMPTY; leases]),
        queue: Vec::leak(vec![Place::EMPTY; leases]),
        classes: Vec::leak(vec![Class::EMPTY; 1]),
        seconds: Vec::leak(vec![Second::EMPTY; seconds]),
    };
    Fleet::new(memory, pace)
}

pub(crate) fn config() -> Config {
    let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(TTL_MS) };
    Config::new(settings).expect("in range")
}

pub(crate) fn success(remaining_ms: u64, rtt_ns: u64, now_ns: u64) -> Success {
    Success {
        rtt_ns: Some(rtt_ns),
        remaining_ttl_ms: Some(remaining_ms),
        expires_at_ms: Some(1_785_585_600_000 + now_ns / MS + remaining_ms),
    }
}

/// Draws numbers: the same in every run.
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        // Knuth's MMIX generator, whose high bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// An answer on its way: when it comes, of which lease and attempt, how long it took, and what is drawn for it.
type Answer = (u64, u64, u32, u64, u64);

/// A host, its fleet, and the answers on their way.
pub(crate) struct Traffic {
    pub(crate) fleet: Fleet<'static>,
    class: ClassId,
    answers: BinaryHeap<Reverse<Answer>>,
    draw: Draw,
    pub(crate) inserts: u64,
    pub(crate) handles: u64,
    pub(crate) polls: u64,
}

impl Traffic {
    pub(crate) fn new(leases: usize) -> Self {
        let mut fleet = fleet(leases, 0, Pace::default());
        let class = fleet.add_class(config()).expect("there is room for one");
        let answers = BinaryHeap::with_capacity(leases);
        Self { fleet, class, answers, draw: Draw(1), inserts: 0, handles: 0, polls: 0 }
    }

    /// Creates all leases, and keeps them until `until`; `seen` is told of each lease whose kernel was called, and of
    /// each poll.
    pub(crate) fn run(&mut self, leases: u64, until_ns: u64, mut seen: impl FnMut(&Fleet<'_>, Seen)) {
        let mut created = 0;
        loop {
            let creation = (created < leases).then(|| created * (RAMP_NS / leases));
            let answer = self.answers.peek().map(|Reverse(answer)| answer.0);
            let due = self.fleet.next_deadline().map(Instant::as_nanos);
            let Some(now_ns) = [creation, answer, due].into_iter().flatten().min() else { return };
            if now_ns > until_ns {
                return;
            }
            if due == Some(now_ns) {
                self.polls += 1;
                seen(&self.fleet, Seen::Poll(now_ns));
                let (id, decision) =
                    poll(&mut self.fleet, Instant::from_nanos(now_ns)).expect("something is due");
                self.act(id, &decision, now_ns);
                seen(&self.fleet, Seen::Lease(id));
            } else if creation == Some(now_ns) {
                created += 1;
                self.create(now_ns, &mut seen);
            } else if let Some(Reverse((_, id, attempt, rtt_ns, drawn))) = self.answers.pop() {
                let outcome = outcome(drawn, rtt_ns, now_ns);
                let event = Event::Report { attempt: Some(AttemptId::new(attempt)), outcome };
                self.tell(LeaseId::from_u64(id), event, now_ns, &mut seen);
            }
        }
    }

    fn create(&mut self, now_ns: u64, seen: &mut impl FnMut(&Fleet<'_>, Seen)) {
        self.inserts += 1;
        let id = insert(&mut self.fleet, self.class).expect("there is room");
        let success = success(TTL_MS, (5 + self.draw.below(195)) * MS, now_ns);
        self.tell(id, Outcome::Created(success).into(), now_ns, seen);
    }

    fn tell(&mut self, id: LeaseId, event: Event, now_ns: u64, seen: &mut impl FnMut(&Fleet<'_>, Seen)) {
        self.handles += 1;
        let now = Instant::from_nanos(now_ns);
        let decision = handle(&mut self.fleet, id, event, now).expect("it answers what is in flight");
        self.act(id, &decision, now_ns);
        seen(&self.fleet, Seen::Lease(id));
    }

    /// Sends: an answer will come after 5 to 200 ms, but for one of 200, which never comes.
    fn act(&mut self, id: LeaseId, decision: &Decision, now_ns: u64) {
        let Action::Send(attempt) = decision.action else { return };
        let drawn = self.draw.below(1_000);
        if drawn < 5 {
            return;
        }
        let rtt_ns = (5 + self.draw.below(195)) * MS + self.draw.below(MS);
        self.answers.push(Reverse((now_ns + rtt_ns, id.to_u64(), attempt.id.get(), rtt_ns, drawn)));
    }
}

/// What has just been done, for who looks on.
#[derive(Clone, Copy)]
pub(crate) enum Seen {
    Poll(u64),
    Lease(LeaseId),
}

/// Of 200 attempts one is refused with 429, one with 503, three lose their connection, and the others extend.
fn outcome(drawn: u64, rtt_ns: u64, now_ns: u64) -> Outcome {
    let http = |status, retry_after| Failure::Http(HttpFailure { status, code: None, retry_after });
    match drawn {
        5..10 => Outcome::Failed(http(429, Some(Millis::new(1_000)))),
        10..15 => Outcome::Failed(http(503, None)),
        15..30 => Outcome::Failed(Failure::Connection),
        _ => Outcome::Extended(success(TTL_MS, rtt_ns, now_ns)),
    }
}
