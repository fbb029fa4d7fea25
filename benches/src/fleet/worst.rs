//! Calls that cost as much as one can: the queue is passed through from end to end, and for a beat every second that may be
//! looked at is full (FL4).

use leasebeat::fleet::Pace;
use leasebeat::{Action, Event, Instant, Outcome};

use crate::traffic::{MS, config, fleet, success};
use crate::{measured_handle as handle, measured_insert as insert, measured_poll as poll, measured_remove};

/// So many calls of each kind.
const ROUNDS: u64 = 100;
/// An hour: so long a wait has more seconds than are looked at.
const HOUR_MS: u64 = 3_600_000;

pub(crate) fn calls(leases: usize) {
    let pace = Pace { seed: 1, jitter_permille: 0, beats_per_second: 1 };
    let mut fleet = fleet(leases, 4_096, pace);
    let class = fleet.add_class(config()).expect("there is room for one");
    let created = |ms, at| Event::from(Outcome::Created(success(ms, MS, at)));

    // Most are due in the first minute; the others leave no room in the seconds at the hour's end.
    let bulk = u64::try_from(leases).expect("fewer than 2^64") - ROUNDS - 1;
    for number in 0..bulk {
        let id = fleet.insert(class).expect("there is room");
        let ttl_ms = if number < 2_000 { HOUR_MS } else { 60_000 };
        fleet.handle(id, created(ttl_ms, 0), Instant::from_nanos(number)).expect("it is new");
    }
    let mut now = Instant::from_nanos(bulk);
    for _ in 0..ROUNDS {
        // From the queue's end to its beginning.
        let id = insert(&mut fleet, class).expect("there is room");
        println!("insert 1");
        handle(&mut fleet, id, created(23_000, 0), now).expect("it is new");
        println!("handle 1");
    }
    for _ in 0..ROUNDS {
        // From its beginning to where ten seconds end.
        now = now.max(fleet.next_deadline().expect("leases wait"));
        let (id, decision) = poll(&mut fleet, now).expect("it is due");
        println!("poll 1");
        assert!(matches!(decision.action, Action::Send(_)));
        // From there to the hour's end, whose seconds are full.
        let extended = Outcome::Extended(success(HOUR_MS - now.as_nanos() / MS, MS, now.as_nanos()));
        handle(&mut fleet, id, extended.into(), now).expect("it is in flight");
        println!("handle 1");
        let first = fleet.next_id(None).expect("leases are there");
        measured_remove(&mut fleet, first).expect("it is there");
        println!("remove 1");
    }
}
