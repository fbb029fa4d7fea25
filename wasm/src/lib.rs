//! The kernel for JavaScript, as functions over numbers: the package around it (`npm/`) has the objects, the errors
//! and the units.
//!
//! Every 64-bit number comes in as two `f64` whose sum it is, so that a `number` needs no `BigInt` on its way and a
//! `BigInt` loses nothing ([`number`]). What a decision says comes back as a packed `u32` and, where that is not
//! enough, in a few words of memory that JavaScript reads in place ([`out`]). Arguments are checked in JavaScript, which
//! knows their names.

#![no_std]

mod decision;
mod lease;
mod memory;
mod number;
mod out;
mod text;
mod time;
mod view;

#[cfg(feature = "full")]
mod decode;
#[cfg(feature = "full")]
mod explain;
#[cfg(feature = "full")]
mod plan;

use core::panic::PanicInfo;

#[link(wasm_import_module = "leasebeat_can_panic")]
unsafe extern "C" {
    /// Nobody provides it: if any code could panic, the module would import it, and a test would see that.
    fn leasebeat_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: it takes nothing and does not return.
    unsafe { leasebeat_can_panic() }
}
