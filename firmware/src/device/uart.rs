//! A PL011 UART, polled: messages to and from the peer.

use core::ptr::{read_volatile, write_volatile};

use crate::device::stack;
use crate::link::Link;

const BASE: usize = 0x4000_C000;
const DATA: usize = BASE;
const FLAGS: usize = BASE + 0x18;
const LINE_CONTROL: usize = BASE + 0x2C;
const CONTROL: usize = BASE + 0x30;

const RECEIVE_EMPTY: u32 = 1 << 4;
const TRANSMIT_FULL: u32 = 1 << 5;
const FIFOS: u32 = 1 << 4;
const EIGHT_BITS: u32 = 3 << 5;
const ENABLED_BOTH_WAYS: u32 = 1 | 1 << 8 | 1 << 9;

/// UART 0. There is one.
#[derive(Debug)]
pub struct Uart(());

impl Uart {
    /// Sets it up. To be called once.
    #[must_use]
    pub fn new() -> Self {
        write(LINE_CONTROL, FIFOS | EIGHT_BITS);
        write(CONTROL, ENABLED_BOTH_WAYS);
        Self(())
    }
}

impl Link for Uart {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            while read(FLAGS) & TRANSMIT_FULL != 0 {}
            write(DATA, u32::from(*byte));
        }
    }

    fn read(&mut self) -> u8 {
        while read(FLAGS) & RECEIVE_EMPTY != 0 {}
        // The low byte is the data.
        read(DATA).to_le_bytes()[0]
    }

    fn measure<A, B, C, R>(&mut self, call: fn(A, B, C) -> R, a: A, b: B, c: C) -> (R, usize) {
        stack::of(call, a, b, c)
    }
}

impl Default for Uart {
    fn default() -> Self {
        Self::new()
    }
}

fn read(register: usize) -> u32 {
    // SAFETY: it is a register of the UART, and reading it twice is what is wanted.
    unsafe { read_volatile(register as *const u32) }
}

fn write(register: usize, value: u32) {
    // SAFETY: it is a register of the UART, which nobody else uses.
    unsafe { write_volatile(register as *mut u32, value) }
}
