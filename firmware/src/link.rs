//! The line to the peer: messages, and what a call takes of the stack where that can be seen.

use serde::{Deserialize, Serialize};

use crate::messages::MESSAGE_MAX;

/// A line that carries bytes.
pub trait Link {
    /// Sends bytes.
    fn write(&mut self, bytes: &[u8]);

    /// Waits for the next byte.
    fn read(&mut self) -> u8;

    /// Calls `call`, and says how many bytes of the stack that took; 0 where it is not measured.
    fn measure<A, B, C, R>(&mut self, call: fn(A, B, C) -> R, a: A, b: B, c: C) -> (R, usize) {
        (call(a, b, c), 0)
    }
}

/// Sends a message.
///
/// # Panics
/// Where it is longer than [`MESSAGE_MAX`].
pub fn send(link: &mut impl Link, message: &impl Serialize) {
    let mut frame = [0; MESSAGE_MAX];
    link.write(postcard::to_slice_cobs(message, &mut frame).expect("a message has room"));
}

/// Waits for a message, and reads it out of `frame`.
///
/// # Panics
/// Where it is none.
pub fn receive<'a, T: Deserialize<'a>>(link: &mut impl Link, frame: &'a mut [u8; MESSAGE_MAX]) -> T {
    let mut length = 0;
    loop {
        let byte = link.read();
        frame[length] = byte;
        length += 1;
        if byte == 0 {
            return postcard::from_bytes_cobs(&mut frame[..length]).expect("the peer speaks as agreed");
        }
    }
}
