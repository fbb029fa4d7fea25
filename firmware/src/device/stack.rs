//! How deep the stack goes: painted before, looked at after. No interrupt may come meanwhile; none is enabled here.

use core::arch::asm;
use core::hint::black_box;
use core::ptr::addr_of;

const PAINT: u32 = 0x5AA5_C33C;
/// As far below a call as is painted and looked at; a call that goes deeper counts as so deep.
const DEPTH: usize = 2 * 1024;

unsafe extern "C" {
    static __ebss: u32;
    static _stack_start: u32;
}

/// Paints all of the stack that is free. To be called first of all.
pub fn paint() {
    let low = addr_of!(__ebss) as usize;
    // SAFETY: nothing lives between the statics and the stack pointer.
    unsafe { paint_from(low) };
}

/// Bytes of the stack that were used since [`paint`], at the deepest.
#[must_use]
pub fn used() -> usize {
    let top = addr_of!(_stack_start) as usize;
    top - first_used(addr_of!(__ebss) as usize, top)
}

/// Calls `call`, and says how many bytes of the stack that took at the deepest. What it is handed and what it gives
/// back is its caller's, which has them anyway.
#[inline(never)]
pub fn of<A, B, C, R>(call: fn(A, B, C) -> R, a: A, b: B, c: C) -> (R, usize) {
    let pointer: usize;
    // SAFETY: it only reads the stack pointer, which stays as it is until this function returns.
    unsafe { asm!("mov {}, sp", out(reg) pointer, options(nomem, nostack, preserves_flags)) };
    // SAFETY: this function's frame ends at the pointer, and there are 64 KiB of RAM.
    unsafe { paint_from(pointer - DEPTH) };
    // The optimiser may not look inside, or its frame would be part of this one.
    let result = black_box(call)(a, b, c);
    (result, pointer - first_used(pointer - DEPTH, pointer))
}

/// Paints from `low` up to the stack pointer: in assembly, for then it has no frame that could be painted over.
///
/// # Safety
/// Nothing may live between `low` and the stack pointer.
#[inline(always)]
#[allow(clippy::inline_always)] // a frame of its own would be what is looked for
unsafe fn paint_from(low: usize) {
    // SAFETY: the caller's.
    unsafe {
        asm!(
            "2: cmp {at}, sp",
            "bhs 3f",
            "str {paint}, [{at}]",
            "adds {at}, #4",
            "b 2b",
            "3:",
            at = inout(reg) low => _,
            paint = in(reg) PAINT,
        );
    }
}

/// The lowest address from `low` on that is not painted any more.
#[inline(always)]
#[allow(clippy::inline_always)] // a frame of its own would be what is looked for
fn first_used(low: usize, high: usize) -> usize {
    let mut at = low;
    // SAFETY: it only reads, in assembly so that no frame comes into its way.
    unsafe {
        asm!(
            "2: cmp {at}, {high}",
            "bhs 3f",
            "ldr {word}, [{at}]",
            "cmp {word}, {paint}",
            "bne 3f",
            "adds {at}, #4",
            "b 2b",
            "3:",
            at = inout(reg) at,
            high = in(reg) high,
            paint = in(reg) PAINT,
            word = out(reg) _,
            options(nostack, readonly),
        );
    }
    at
}
