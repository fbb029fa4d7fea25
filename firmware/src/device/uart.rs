//! A PL011 UART, polled: messages to and from the peer.

use core::ptr::{read_volatile, write_volatile};

use serde::{Deserialize, Serialize};

use crate::messages::MESSAGE_MAX;

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
pub struct Uart {
    buffer: [u8; MESSAGE_MAX],
}

impl Uart {
    /// Sets it up. To be called once.
    #[must_use]
    pub fn new() -> Self {
        write(LINE_CONTROL, FIFOS | EIGHT_BITS);
        write(CONTROL, ENABLED_BOTH_WAYS);
        Self { buffer: [0; MESSAGE_MAX] }
    }

    /// Sends a message.
    ///
    /// # Panics
    /// Where it is longer than [`MESSAGE_MAX`].
    pub fn send(&mut self, message: &impl Serialize) {
        let frame = postcard::to_slice_cobs(message, &mut self.buffer).expect("a message has room");
        for byte in frame {
            while read(FLAGS) & TRANSMIT_FULL != 0 {}
            write(DATA, u32::from(*byte));
        }
    }

    /// Waits for a message.
    ///
    /// # Panics
    /// Where it is none.
    pub fn receive<'a, T: Deserialize<'a>>(&'a mut self) -> T {
        let length = receive(&mut self.buffer);
        postcard::from_bytes_cobs(&mut self.buffer[..length]).expect("the peer speaks as agreed")
    }

    /// Waits for a message, leaves it framed in `frame`, and gives its length.
    ///
    /// # Panics
    /// Where it is longer than `frame`.
    pub fn receive_into(&mut self, frame: &mut [u8]) -> usize {
        receive(frame)
    }
}

fn receive(frame: &mut [u8]) -> usize {
    let mut length = 0;
    loop {
        while read(FLAGS) & RECEIVE_EMPTY != 0 {}
        // The low byte is the data.
        let byte = read(DATA).to_le_bytes()[0];
        frame[length] = byte;
        length += 1;
        if byte == 0 {
            return length;
        }
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
