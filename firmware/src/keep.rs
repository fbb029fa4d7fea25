//! The loop: sleep as long as the kernels say, tell them what happened, send what they want sent.

use leasebeat::{Event, Failure, Instant, Millis, TickWidener};

use crate::board::{Board, Wake};
use crate::lease::Lease;

/// Room for an answer, head and body.
pub const ANSWER_MAX: usize = 1024;

/// The longest sleep: the counter must be read once a lap, and half a lap leaves room for a late wake. Set
/// [`max_wait_ms`](leasebeat::Settings::max_wait_ms) to it.
#[must_use]
pub fn longest_wait_ms<B: Board>() -> u64 {
    TickWidener::new(B::HZ).lap().get() / 2
}

/// Keeps `leases` until `done` says at some instant that the work is, or all have stopped. Then closes them.
pub fn keep<B: Board>(board: &mut B, leases: &mut [Lease], mut done: impl FnMut(Instant) -> bool) {
    let mut clock = TickWidener::new(B::HZ);
    let mut buffer = [0; ANSWER_MAX];
    let mut now = clock.widen(board.ticks());
    for lease in leases.iter_mut() {
        lease.tell(Event::Begin, now, board);
    }
    while !done(now) {
        // One tick a lease a wake: it does what is due, and costs next to nothing where nothing is.
        let Some(wait) = leases.iter_mut().filter_map(|lease| lease.tick(now, board)).min() else { break };
        let wake = board.sleep(wait.min(Millis::new(longest_wait_ms::<B>())), &mut buffer);
        now = clock.widen(board.ticks());
        let (exchange, answer) = match wake {
            Wake::Timer => continue,
            Wake::Resumed => {
                for lease in leases.iter_mut() {
                    lease.tell(Event::TimingLost, now, board);
                }
                continue;
            }
            Wake::Answer(exchange, bytes) => (exchange, Ok(bytes)),
            Wake::TimedOut(exchange) => (exchange, Err(Failure::Timeout)),
            Wake::Disconnected(exchange) => (exchange, Err(Failure::Connection)),
        };
        if let Some(lease) = leases.get_mut(usize::from(exchange.lease)) {
            lease.report(exchange.attempt, answer, now, board);
        }
    }
    for lease in leases.iter_mut() {
        lease.tell(Event::Close, now, board);
    }
}
