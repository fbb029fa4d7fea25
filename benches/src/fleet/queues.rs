//! The queues that a fleet could have, with what its leases ask of one: a recorded run of real kernels.

use leasebeat::Heartbeat;
use leasebeat::fleet::{Fleet, LeaseId};

use crate::heap::Heap;
use crate::traffic::{MS, Traffic};
use crate::wheel::Wheel;

/// 1.05 ms. All queues count in it, so that they agree on what is due.
const TICK_SHIFT: u32 = 20;

/// What a queue of deadlines does. A slot stands in it once at most.
pub(crate) trait Timers {
    /// Queues a slot for `at`, wherever it stands.
    fn set(&mut self, slot: u32, at: u64);
    /// Takes a slot out.
    fn remove(&mut self, slot: u32);
    /// A slot that is due at `now`, which stays.
    fn first(&mut self, now: u64) -> Option<(u32, u64)>;
    /// When to ask again.
    fn next(&self) -> Option<u64>;
}

#[derive(Clone, Copy)]
enum Asked {
    Set(u32, u64),
    Remove(u32),
    First(u64),
}

/// Replays what was asked; the number of answers, and their sum.
#[inline(always)]
#[allow(clippy::inline_always)] // each queue's replay is one function, by whose name it is counted
fn replay(timers: &mut impl Timers, asked: &[Asked]) -> (u64, u64) {
    let (mut due, mut sum) = (0, 0);
    for asked in asked {
        match *asked {
            Asked::Set(slot, at) => timers.set(slot, at),
            Asked::Remove(slot) => timers.remove(slot),
            Asked::First(now) => {
                if let Some((_, at)) = timers.first(now) {
                    (due, sum) = (due + 1, sum + at);
                }
                std::hint::black_box(timers.next());
            }
        }
    }
    (due, sum)
}

#[inline(never)]
fn measured_heap2(timers: &mut Heap<2>, asked: &[Asked]) -> (u64, u64) {
    replay(timers, asked)
}

#[inline(never)]
fn measured_heap4(timers: &mut Heap<4>, asked: &[Asked]) -> (u64, u64) {
    replay(timers, asked)
}

#[inline(never)]
fn measured_heap8(timers: &mut Heap<8>, asked: &[Asked]) -> (u64, u64) {
    replay(timers, asked)
}

#[inline(never)]
fn measured_wheel(timers: &mut Wheel, asked: &[Asked]) -> (u64, u64) {
    replay(timers, asked)
}

/// Replays one recorded run on each queue; they must agree on what was due when.
pub(crate) fn compare(leases: usize) {
    replay_all(leases, &record(leases));
}

/// All beats in the same second, and one poll when it begins.
pub(crate) fn herd(leases: usize) {
    let ahead = (40_000 * MS) >> TICK_SHIFT;
    let second = (1_000 * MS) >> TICK_SHIFT;
    let slots = 0..u32::try_from(leases).expect("fewer than 2^32");
    let asked: Vec<_> = slots.map(|slot| Asked::Set(slot, ahead + u64::from(slot) % second)).collect();
    let (mut heap2, mut heap4, mut heap8) =
        (Heap::<2>::new(leases), Heap::<4>::new(leases), Heap::<8>::new(leases));
    let mut wheel = Wheel::new(leases);
    replay(&mut heap2, &asked);
    replay(&mut heap4, &asked);
    replay(&mut heap8, &asked);
    replay(&mut wheel, &asked);
    // The poll and what it leads to: the lease's attempt has ten seconds.
    let first = [Asked::First(ahead), Asked::Set(0, ahead + 10 * second)];
    println!("heap2 1 {:?}", measured_heap2(&mut heap2, &first));
    println!("heap4 1 {:?}", measured_heap4(&mut heap4, &first));
    println!("heap8 1 {:?}", measured_heap8(&mut heap8, &first));
    println!("wheel 1 {:?}", measured_wheel(&mut wheel, &first));
}

fn replay_all(leases: usize, asked: &[Asked]) {
    let calls = asked.len();
    let results = [
        ("heap2", measured_heap2(&mut Heap::new(leases), asked)),
        ("heap4", measured_heap4(&mut Heap::new(leases), asked)),
        ("heap8", measured_heap8(&mut Heap::new(leases), asked)),
        ("wheel", measured_wheel(&mut Wheel::new(leases), asked)),
    ];
    for (name, result) in results {
        assert_eq!(result, results[0].1, "{name} found other things due");
        println!("{name} {calls} {result:?}");
    }
}

/// What a fleet asks of its queue while its leases are created and each has beaten once or twice.
fn record(leases: usize) -> Vec<Asked> {
    let mut asked = Vec::with_capacity(leases * 8);
    let mut known = vec![None; leases];
    let count = u64::try_from(leases).expect("fewer than 2^64");
    Traffic::new(leases).run(count, 90_000 * MS, |fleet, seen| match seen {
        crate::traffic::Seen::Poll(now_ns) => asked.push(Asked::First(now_ns.div_ceil(1 << TICK_SHIFT))),
        crate::traffic::Seen::Lease(id) => {
            let (slot, at) = (slot(id), deadline(fleet, id));
            let known = &mut known[slot as usize];
            if *known != at {
                *known = at;
                asked.push(at.map_or(Asked::Remove(slot), |at| Asked::Set(slot, at)));
            }
        }
    });
    asked
}

fn deadline(fleet: &Fleet<'_>, id: LeaseId) -> Option<u64> {
    let heartbeat: Heartbeat = fleet.get(id).expect("no lease is removed");
    heartbeat.next_deadline().map(|at| at.as_nanos() >> TICK_SHIFT)
}

#[allow(clippy::cast_possible_truncation)] // the low half on purpose
fn slot(id: LeaseId) -> u32 {
    id.to_u64() as u32
}
