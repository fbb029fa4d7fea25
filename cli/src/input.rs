//! What a command reads, a file or standard input, and how reading it line by line ends.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::ExitCode;

use crate::exit;

/// Opens `path`; `-` is standard input.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, ExitCode> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin()));
    }
    match File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(exit::bad_input(format_args!("{}: {error}", path.display()))),
    }
}

/// Why the lines were not all read and answered.
pub(crate) enum Problem<E> {
    /// From some line on they are not what they should be.
    Input(E),
    /// What they come to cannot be written.
    Output(io::Error),
}

/// How the command ends that read `path` line by line.
pub(crate) fn ended<E: Display>(result: Result<(), Problem<E>>, path: &Path) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(Problem::Input(error)) => exit::bad_input(format_args!("{}: {error}", path.display())),
        Err(Problem::Output(error)) => written(Err(error)),
    }
}

/// How the command ends that has written what it had to say, or could not.
pub(crate) fn written(result: io::Result<()>) -> ExitCode {
    match result {
        // A reader that has seen enough, as `head` does, is no error.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            exit::bad_input(format_args!("cannot write: {error}"))
        }
        _ => ExitCode::SUCCESS,
    }
}
