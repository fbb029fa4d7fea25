//! What the program takes of the board, read from where the linker put things.

use core::ptr::addr_of;

use cortex_m_semihosting::hprintln;
use leasebeat::{Config, Decision, Event, Heartbeat, Snapshot};

use super::stack;

unsafe extern "C" {
    static __stext: u32;
    static __etext: u32;
    static __srodata: u32;
    static __erodata: u32;
    static __sdata: u32;
    static __ebss: u32;
}

/// Prints the sizes of program and types, and what of the stack was used since [`stack::paint`].
pub fn print_sizes() {
    // Only their addresses are taken.
    let at = |symbol: *const u32| symbol as usize;
    let text = at(addr_of!(__etext)) - at(addr_of!(__stext));
    let rodata = at(addr_of!(__erodata)) - at(addr_of!(__srodata));
    let fixed = at(addr_of!(__ebss)) - at(addr_of!(__sdata));
    hprintln!(
        "program: .text {} .rodata {} static RAM {} stack at most {}",
        text,
        rodata,
        fixed,
        stack::used()
    );
    hprintln!(
        "types: Heartbeat {} Config {} Snapshot {} Event {} Decision {}",
        size_of::<Heartbeat>(),
        size_of::<Config>(),
        size_of::<Snapshot>(),
        size_of::<Event>(),
        size_of::<Decision>()
    );
}
