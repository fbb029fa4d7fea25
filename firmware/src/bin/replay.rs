//! Decides what the peer asks for: on a board over its UART, elsewhere over standard input and output.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board {
    use cortex_m_rt::entry;
    use leasebeat_firmware::device::{Uart, exit, print_sizes, stack};
    use leasebeat_firmware::replay::replay;

    #[entry]
    fn main() -> ! {
        stack::paint();
        replay(&mut Uart::new());
        print_sizes();
        exit(true)
    }
}

#[cfg(not(target_os = "none"))]
mod pipe {
    use std::io::{BufRead, StdinLock, StdoutLock, Write};

    use leasebeat_firmware::link::Link;

    /// Standard input and output. Without the peer at the other end there is nothing to do.
    pub(crate) struct Pipe(pub(crate) StdinLock<'static>, pub(crate) StdoutLock<'static>);

    impl Link for Pipe {
        fn write(&mut self, bytes: &[u8]) {
            self.1.write_all(bytes).and_then(|()| self.1.flush()).expect("the peer reads");
        }

        fn read(&mut self) -> u8 {
            let byte = *self.0.fill_buf().expect("the peer writes").first().expect("the peer ends it");
            self.0.consume(1);
            byte
        }
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    leasebeat_firmware::replay::replay(&mut pipe::Pipe(std::io::stdin().lock(), std::io::stdout().lock()));
}
