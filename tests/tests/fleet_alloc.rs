//! A fleet allocates nothing once its host has given it memory: counted by the allocator of this program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use leasebeat::fleet::{Fleet, Pace};
use leasebeat::{Action, AttemptId, Config, Event, Failure, Instant, Outcome, Settings, Success};
use leasebeat_tests::fleet::memory;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is the system's; counting allocates nothing.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: by this function's contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: by this function's contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LEASES: usize = 2_000;
const MS: u64 = 1_000_000;

#[test]
fn nothing_is_allocated_whatever_a_fleet_is_told() {
    let pace = Pace { seed: 1, jitter_permille: 100, beats_per_second: 200 };
    let memory = memory(LEASES, 1, 64);
    let before = ALLOCATIONS.get();
    let sent = lives(Fleet::new(memory, pace));
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(sent > 4 * LEASES as u64, "{sent} requests are few");
    drop(Box::new(sent));
    assert_eq!(ALLOCATIONS.get() - before, 1, "the allocator counts");
}

/// Every lease beats several times, some attempts fail, some leases are removed and others take their memory.
fn lives(mut fleet: Fleet<'_>) -> u64 {
    let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) };
    let class = fleet.add_class(Config::new(settings).expect("in range")).expect("there is room");
    let proved = |now: u64| Success {
        rtt_ns: Some(20 * MS),
        remaining_ttl_ms: Some(60_000),
        expires_at_ms: Some(1_785_585_600_000 + now / MS + 60_000),
    };
    let begin = |fleet: &mut Fleet<'_>, now| {
        let id = fleet.insert(class).expect("there is room");
        let created = Event::Report { attempt: None, outcome: Outcome::Created(proved(now)) };
        fleet.handle(id, created, Instant::from_nanos(now)).expect("it is new");
    };
    for lease in 0..LEASES {
        begin(&mut fleet, lease as u64 * MS);
    }
    assert!(fleet.insert(class).is_err(), "it is full");
    let mut polls = 0_u64;
    while polls < 6 * LEASES as u64 {
        let now = fleet.next_deadline().expect("every lease waits for something");
        let Some((id, decision)) = fleet.poll(now) else { panic!("it is due") };
        polls += 1;
        let Action::Send(attempt) = decision.action else { continue };
        let report = |outcome| Event::Report { attempt: Some(attempt.id), outcome };
        let event = match polls % 11 {
            0 => report(Outcome::Failed(Failure::Connection)),
            1 => continue, // never answered: the kernel gives it up
            _ => report(Outcome::Extended(proved(now.as_nanos()))),
        };
        fleet.handle(id, event, now).expect("it is in flight");
        let stale = Event::Report { attempt: Some(AttemptId::new(u32::MAX)), outcome: Outcome::Denied };
        assert!(fleet.handle(id, stale, now).is_err());
        if polls.is_multiple_of(97) {
            fleet.remove(id).expect("it is there");
            begin(&mut fleet, now.as_nanos());
        }
    }
    assert!(fleet.in_danger(Instant::from_nanos(u64::MAX)).count() > 0);
    fleet.totals().sends
}
