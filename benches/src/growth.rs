//! How long a fleet's calls take among so many leases: an object of JSON a line, each the mean of a call over as many
//! calls as there are leases, and of five such rounds the median, the least and the most. What they cost in instructions
//! is counted of real traffic (`leasebeat-fleet-bench`).

use std::hint::black_box;
use std::time::Instant as Clock;

use leasebeat::fleet::{Class, Fleet, LeaseId, Memory, Pace, Place, Slot};
use leasebeat::{Action, Config, Event, Instant, Outcome, Settings, Success};

const ROUNDS: usize = 5;
const MS: u64 = 1_000_000;

fn main() {
    let leases: usize =
        std::env::args().nth(1).and_then(|number| number.parse().ok()).expect("how many leases");
    let mut rounds: Vec<[f64; 3]> = (0..ROUNDS).map(|_| round(leases)).collect();
    let bytes = size_of::<Slot>() + size_of::<Place>();
    for (call, name) in ["insert", "handle", "poll"].into_iter().enumerate() {
        rounds.sort_by(|a, b| a[call].total_cmp(&b[call]));
        let [least, median, most] = [0, ROUNDS / 2, ROUNDS - 1].map(|at| rounds[at][call]);
        println!(
            r#"{{"name":"{name}","leases":{leases},"ns":{median:.2},"ns_low":{least:.2},"ns_high":{most:.2},"bytes_per_lease":{bytes}}}"#
        );
    }
}

/// Nanoseconds of an insert, of a success in random order, and of a poll that sends.
fn round(leases: usize) -> [f64; 3] {
    let (mut slots, mut queue) = (vec![Slot::EMPTY; leases], vec![Place::EMPTY; leases]);
    let (mut classes, mut seconds) = ([Class::EMPTY; 1], []);
    let memory =
        Memory { slots: &mut slots, queue: &mut queue, classes: &mut classes, seconds: &mut seconds };
    let mut fleet = Fleet::new(memory, Pace::default());
    let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) };
    let class = fleet.add_class(Config::new(settings).expect("in range")).expect("there is room");

    let mut ids: Vec<LeaseId> = Vec::with_capacity(leases);
    let insert = timed(leases, |_| ids.push(fleet.insert(class).expect("there is room")));
    shuffle(&mut ids);
    let mut draw = Draw(7);
    let handle = timed(leases, |index| {
        let success = Success {
            rtt_ns: Some(20 * MS),
            remaining_ttl_ms: Some(60_000 + draw.below(60_000)),
            expires_at_ms: Some(1_785_585_660_000),
        };
        let event: Event = Outcome::Created(success).into();
        let now = Instant::from_nanos(20 * MS + index as u64);
        black_box(fleet.handle(ids[index], event, now).expect("it is new"));
    });
    // When all are due, and none has timed out.
    let now = Instant::from_nanos(110_000 * MS);
    let poll = timed(leases, |_| {
        let (_, decision) = fleet.poll(now).expect("it is due");
        assert!(matches!(decision.action, Action::Send(_)), "a beat is sent");
    });
    [insert, handle, poll]
}

/// Nanoseconds of one of so many calls.
#[allow(clippy::cast_precision_loss)] // far below 2^53
fn timed(calls: usize, mut call: impl FnMut(usize)) -> f64 {
    let start = Clock::now();
    (0..calls).for_each(&mut call);
    start.elapsed().as_nanos() as f64 / calls as f64
}

/// Numbers that are the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn shuffle(ids: &mut [LeaseId]) {
    let mut draw = Draw(1);
    for index in (1..ids.len()).rev() {
        let with = usize::try_from(draw.below(index as u64 + 1)).expect("below the length");
        ids.swap(index, with);
    }
}
