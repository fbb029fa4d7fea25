//! The host's side of the firmware. `keep ELF` plays a server behind a faulty modem in virtual time, and judges whether a
//! lease lapsed; `replay ELF` has a board under QEMU decide every vector and random traces and decode a corpus of answers,
//! and compares all that it says with the expected lines and with the kernel on this machine. `replay COMMAND ARGUMENT…`
//! asks a program on another machine, such as one under qemu-user.

mod board;
mod faults;
mod http;
mod keep;
mod replay;
mod server;
mod walk;

use std::error::Error;
use std::process::ExitCode;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((job, program)) if job == "keep" => keep::run(program),
        Some((job, program)) if job == "replay" => replay::run(program),
        _ => Err("usage: leasebeat-firmware-peer keep|replay PROGRAM [ARGUMENT]…".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer: {error}");
            ExitCode::FAILURE
        }
    }
}
