//! JSON Lines, read one by one in bounded memory.

use std::io::{self, BufRead, Read};

/// Why a line cannot be had.
#[derive(Debug)]
pub enum LineError {
    /// The input cannot be read.
    Io(io::Error),
    /// A line is not what it should be.
    Line {
        /// Which, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
}

#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: R,
    longest: usize,
    number: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    /// No line may have more bytes than `longest`, its line feed not counted.
    pub(crate) fn new(input: R, longest: usize) -> Self {
        Self { input, longest, number: 0, buffer: Vec::new() }
    }

    /// The number of the last line, from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The next line that is not blank.
    pub(crate) fn next_line(&mut self) -> Result<Option<&[u8]>, LineError> {
        loop {
            self.buffer.clear();
            let most = self.longest as u64 + 2;
            let read = self.input.by_ref().take(most).read_until(b'\n', &mut self.buffer);
            if read.map_err(LineError::Io)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if self.buffer.last() == Some(&b'\n') {
                self.buffer.pop();
            }
            if self.buffer.len() > self.longest {
                let what = format!("the line is longer than {} bytes", self.longest);
                return Err(LineError::Line { line: self.number, what });
            }
            if self.buffer.iter().any(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
                return Ok(Some(&self.buffer));
            }
        }
    }
}

impl std::fmt::Display for LineError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read: {error}"),
            Self::Line { line, what } => write!(f, "line {line}: {what}"),
        }
    }
}

impl std::error::Error for LineError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Line { .. } => None,
        }
    }
}
