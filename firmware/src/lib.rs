//! Keeps leases alive on a microcontroller, without a heap. `docs/FIRMWARE.md` is the guide.
//!
//! What runs anywhere: [`Board`], the little that the loop asks of the hardware; [`Lease`], one kernel with what its
//! requests need; [`keep`], the loop; [`http`], requests out and answers in; [`messages`], how the simulated hardware
//! talks to its peer. The `device` module is that hardware: an LM3S6965 under QEMU.

#![cfg_attr(not(test), no_std)]

pub mod board;
#[cfg(target_os = "none")]
pub mod device;
pub mod http;
pub mod keep;
pub mod lease;
pub mod messages;

pub use board::{Board, Exchange, Wake};
pub use keep::keep;
pub use lease::Lease;
