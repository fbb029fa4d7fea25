//! A modem and a counter that the peer simulates: requests really go over the UART, time goes as the peer says.

use core::num::NonZeroU32;

use leasebeat::{Decision, Millis, Stats};

use crate::board::{Board, Exchange, Wake};
use crate::device::Uart;
use crate::link::{receive, send};
use crate::messages::{FromModem, MESSAGE_MAX, Woke};

/// The board.
#[derive(Debug)]
pub struct Simulated {
    uart: Uart,
    ticks: u32,
}

impl Simulated {
    /// Meets the peer, which says what the counter reads.
    #[must_use]
    pub fn new() -> Self {
        let mut uart = Uart::new();
        let ticks = receive::<Woke<'_>>(&mut uart, &mut [0; MESSAGE_MAX]).ticks;
        Self { uart, ticks }
    }

    /// Tells the peer what a lease has come to.
    pub fn done(&mut self, stats: Stats) {
        send(&mut self.uart, &FromModem::Done(stats));
    }
}

impl Default for Simulated {
    fn default() -> Self {
        Self::new()
    }
}

impl Board for Simulated {
    const HZ: NonZeroU32 = NonZeroU32::new(1_000).expect("it is not 0");

    fn ticks(&mut self) -> u32 {
        self.ticks
    }

    fn send(&mut self, exchange: Exchange, request: &[u8], timeout: Millis) {
        send(&mut self.uart, &FromModem::Send { exchange, request, timeout });
    }

    fn sleep<'a>(&mut self, wait: Millis, buffer: &'a mut [u8]) -> Wake<'a> {
        send(&mut self.uart, &FromModem::Sleep(wait));
        let mut frame = [0; MESSAGE_MAX];
        let Woke { ticks, wake } = receive(&mut self.uart, &mut frame);
        self.ticks = ticks;
        match wake {
            Wake::Answer(exchange, bytes) => {
                // One that is too long is cut, and then proves nothing.
                let length = bytes.len().min(buffer.len());
                buffer[..length].copy_from_slice(&bytes[..length]);
                Wake::Answer(exchange, &buffer[..length])
            }
            Wake::Timer => Wake::Timer,
            Wake::TimedOut(exchange) => Wake::TimedOut(exchange),
            Wake::Disconnected(exchange) => Wake::Disconnected(exchange),
            Wake::Resumed => Wake::Resumed,
        }
    }

    fn log(&mut self, lease: u8, decision: &Decision, lead: Millis) {
        send(&mut self.uart, &FromModem::Log { lease, decision: *decision, lead });
    }
}
