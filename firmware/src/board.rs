//! What the loop asks of the hardware: a counter, a modem, and to sleep until one of them has something.

use leasebeat::{Decision, Millis};
use serde::{Deserialize, Serialize};

/// A board with a modem. `device::Simulated` is one for QEMU; write your own for yours.
pub trait Board {
    /// The free-running counter of [`HZ`](Self::HZ): it wraps after 2³² ticks.
    fn ticks(&mut self) -> u32;

    /// How many ticks are a second.
    const HZ: core::num::NonZeroU32;

    /// Starts to send a request, and returns. What becomes of it comes out of [`sleep`](Self::sleep); after `timeout`
    /// that is [`Wake::TimedOut`].
    fn send(&mut self, exchange: Exchange, request: &[u8], timeout: Millis);

    /// Sleeps for `wait`, or until something happens. A board that stopped its counter meanwhile says
    /// [`Wake::Resumed`]. An answer is put into `buffer`.
    fn sleep<'a>(&mut self, wait: Millis, buffer: &'a mut [u8]) -> Wake<'a>;

    /// A line for a log: what was decided for a lease, and what lead it has now.
    fn log(&mut self, lease: u8, decision: &Decision, lead: Millis);
}

/// Whose request it is: named again with its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Which lease's.
    pub lease: u8,
    /// The kernel's number of the attempt.
    pub attempt: u32,
}

/// Why a board woke.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wake<'a> {
    /// The time to sleep is over.
    Timer,
    /// An HTTP answer is there, head and body.
    Answer(Exchange, #[serde(borrow)] &'a [u8]),
    /// No answer came in time.
    TimedOut(Exchange),
    /// The connection was refused, reset or lost.
    Disconnected(Exchange),
    /// The board slept so deeply that its counter stood still.
    Resumed,
}
