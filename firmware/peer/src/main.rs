//! The host's side of the firmware under QEMU. `keep ELF` plays a server behind a faulty modem in virtual time, and
//! judges whether a lease lapsed; `replay ELF` has the board decide every vector and decode a corpus of answers, and
//! compares all that it says with the expected lines and with the kernel on this machine.

mod board;
mod faults;
mod http;
mod keep;
mod replay;
mod server;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["keep", elf] => keep::run(Path::new(elf)),
        ["replay", elf] => replay::run(Path::new(elf)),
        _ => Err("usage: leasebeat-firmware-peer keep|replay ELF".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer: {error}");
            ExitCode::FAILURE
        }
    }
}
