//! Replaying a trace as a stream.

use std::io::{self, BufRead};

use leasebeat::{Config, Decision, Event, Heartbeat, Instant, Misuse};

use crate::header::{self, HeaderError};
use crate::line;
use crate::lines::{LineError, Lines};

/// The longest line read, in bytes and without its line feed: a bound on memory that no event comes near.
const LINE_MAX: usize = 65_536;

/// One event of a trace, decided.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The line it stands on, from 1.
    pub line: u64,
    /// When it happened.
    pub at: Instant,
    /// What happened.
    pub event: Event,
    /// What the kernel decided.
    pub decision: Result<Decision, Misuse>,
}

/// A trace being replayed: the kernel, and the lines still to read.
#[derive(Debug)]
pub struct Replay<R> {
    lines: Lines<R>,
    heartbeat: Heartbeat,
}

/// Why a replay ended early.
#[derive(Debug)]
pub enum ReplayError {
    /// The trace cannot be read.
    Io(io::Error),
    /// A line is not what the format says.
    Line {
        /// Which, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The header's configuration is out of range or of the wrong type.
    Config {
        /// The header's line, from 1.
        line: u64,
        /// Which field, its value, and its range.
        what: String,
    },
}

impl<R: BufRead> Replay<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`ReplayError::Config`] where the header is one and its configuration is not.
    pub fn new(input: R) -> Result<Self, ReplayError> {
        let mut lines = Lines::new(input, LINE_MAX);
        let Some(text) = lines.next_line()? else {
            return Err(ReplayError::Line {
                line: 1,
                what: "the trace is empty; expected a header".to_owned(),
            });
        };
        let config = header::parse(text);
        let line = lines.number();
        let config: Config = config.map_err(|error| match error {
            HeaderError::Line(what) => ReplayError::Line { line, what },
            HeaderError::Config(what) => ReplayError::Config { line, what },
        })?;
        Ok(Self { lines, heartbeat: Heartbeat::new(config) })
    }

    /// Reads and decides the next event; `None` at the end of the trace.
    ///
    /// # Errors
    /// Where the next line is no event. The steps before it stand.
    pub fn next_step(&mut self) -> Result<Option<Step>, ReplayError> {
        let Some(text) = self.lines.next_line()? else { return Ok(None) };
        let parsed = line::parse(text);
        let line = self.lines.number();
        let (at, event) = parsed.map_err(|what| ReplayError::Line { line, what })?;
        let decision = self.heartbeat.handle(event, at);
        Ok(Some(Step { line, at, event, decision }))
    }

    /// The kernel, as the steps so far have left it.
    pub fn heartbeat(&self) -> &Heartbeat {
        &self.heartbeat
    }
}

impl From<LineError> for ReplayError {
    fn from(error: LineError) -> Self {
        match error {
            LineError::Io(error) => Self::Io(error),
            LineError::Line { line, what } => Self::Line { line, what },
        }
    }
}

impl std::fmt::Display for ReplayError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => write!(f, "cannot read the trace: {error}"),
            Self::Line { line, what } => write!(f, "line {line}: {what}"),
            Self::Config { line, what } => write!(f, "line {line}: invalid config: {what}"),
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Line { .. } | Self::Config { .. } => None,
        }
    }
}
