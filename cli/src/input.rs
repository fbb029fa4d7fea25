//! What a command reads: a file, or standard input.

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
