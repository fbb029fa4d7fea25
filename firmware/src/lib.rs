//! Keeps leases alive on a microcontroller, without a heap. `docs/FIRMWARE.md` is the guide.
//!
//! What runs anywhere: [`Board`], the little that the loop asks of the hardware; [`Lease`], one kernel with what its
//! requests need; [`mod@keep`], the loop; [`http`], requests out and answers in. [`link`] and [`messages`] are how it talks to
//! the peer on the host that plays modem and server, and [`mod@replay`] decides what the peer asks for. The `device` module is
//! the hardware: an LM3S6965 under QEMU.

#![cfg_attr(not(test), no_std)]

pub mod board;
#[cfg(all(target_arch = "arm", target_os = "none"))]
pub mod device;
pub mod http;
pub mod keep;
pub mod lease;
pub mod link;
pub mod messages;
pub mod replay;

#[cfg(doctest)]
#[doc = include_str!("../../docs/FIRMWARE.md")]
mod guide {}

pub use board::{Board, Exchange, Wake};
pub use keep::keep;
pub use lease::Lease;
