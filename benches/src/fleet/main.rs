//! The program that `cargo xtask fleet` and `cargo xtask budgets` run under callgrind: what a fleet's calls cost, and what each
//! queue that it could have would cost. Each line it prints names what was counted, and how many calls.

mod heap;
mod queues;
mod traffic;
mod wheel;
mod worst;

use leasebeat::fleet::{ClassId, Fleet, FleetError, LeaseId};
use leasebeat::{Decision, Event, Instant};

use crate::traffic::{MS, Traffic};

// The names callgrind looks for. Not inlined, so that a call is a call; the fleet is inlined into it.

#[inline(never)]
fn measured_insert(fleet: &mut Fleet<'_>, class: ClassId) -> Result<LeaseId, FleetError> {
    fleet.insert(class)
}

#[inline(never)]
fn measured_handle(
    fleet: &mut Fleet<'_>,
    id: LeaseId,
    event: Event,
    now: Instant,
) -> Result<Decision, FleetError> {
    fleet.handle(id, event, now)
}

#[inline(never)]
fn measured_poll(fleet: &mut Fleet<'_>, now: Instant) -> Option<(LeaseId, Decision)> {
    fleet.poll(now)
}

#[inline(never)]
fn measured_remove(fleet: &mut Fleet<'_>, id: LeaseId) -> Result<(), FleetError> {
    fleet.remove(id)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let leases = arguments.next().and_then(|number| number.parse().ok()).expect("how many leases");
    match what.as_str() {
        "calls" => calls(leases),
        "worst" => worst::calls(leases),
        "queues" => queues::compare(leases),
        "herd" => queues::herd(leases),
        _ => panic!("expected calls, worst, queues or herd"),
    }
}

/// Creates all leases, and keeps them until each has beaten once or twice.
fn calls(leases: usize) {
    let mut traffic = Traffic::new(leases);
    traffic.run(u64::try_from(leases).expect("fewer than 2^64"), 90_000 * MS, |_, _| {});
    println!("insert {}", traffic.inserts);
    println!("handle {}", traffic.handles);
    println!("poll {}", traffic.polls);
}
