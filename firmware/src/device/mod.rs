//! The hardware: an LM3S6965 with a UART to the peer, under QEMU.

mod memory;
mod simulated;
pub mod stack;
mod uart;

pub use memory::print_sizes;
pub use simulated::Simulated;
pub use uart::Uart;

use core::panic::PanicInfo;

use cortex_m_semihosting::{debug, hprintln};

/// Ends the emulation. On a board there is no end.
pub fn exit(success: bool) -> ! {
    debug::exit(if success { debug::EXIT_SUCCESS } else { debug::EXIT_FAILURE });
    loop {
        cortex_m::asm::wfi();
    }
}

/// The kernel has no panic (`tests/bare-metal` shows it); what talks to the peer may.
#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    hprintln!("{}", info);
    exit(false)
}
