//! The kernel for JavaScript, as a few functions over numbers: the package around it (`npm/`) has the objects, the errors
//! and the units.
//!
//! JavaScript writes what a call is given into [`words`], as `f64` so that a `number` goes in as it is, and reads there
//! what it says. A 64-bit number takes two words, of which the first counts millions: a `BigInt` loses nothing. Arguments are
//! checked in JavaScript, which knows their names; it also gives out the memory that leases and bodies lie in.
//!
//! Nothing here needs a binding generator: what it would add (a table of JavaScript objects, glue for strings and
//! classes) would be more than a tenth of all that is shipped, and none of it would be used.

#![no_std]

mod decision;
mod lease;
mod view;
mod words;

#[cfg(feature = "full")]
mod decode;
#[cfg(feature = "full")]
mod explain;
#[cfg(feature = "full")]
mod plan;
#[cfg(feature = "full")]
mod text;

use core::panic::PanicInfo;

#[link(wasm_import_module = "leasebeat_can_panic")]
unsafe extern "C" {
    /// Nobody provides it: if any code could panic, the module would import it and could not be instantiated.
    fn leasebeat_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    // SAFETY: it takes nothing and does not return.
    unsafe { leasebeat_can_panic() }
}
