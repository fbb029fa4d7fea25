//! Recording: the trace of what the kernel was told, and beside it what it decided.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use leasebeat::Config;

use super::client::Step;

/// Writes both files, or nothing where no recording was asked for.
#[derive(Debug)]
pub(super) struct Recorder(Option<Files>);

#[derive(Debug)]
struct Files {
    path: PathBuf,
    trace: BufWriter<File>,
    decisions: BufWriter<File>,
    /// The first error: the lease is kept on, and the recording is given up.
    failed: Option<io::Error>,
}

impl Recorder {
    pub(super) fn create(path: Option<&Path>, config: &Config) -> Result<Self, String> {
        let Some(path) = path else { return Ok(Self(None)) };
        let beside = {
            let mut name = path.as_os_str().to_owned();
            name.push(".decisions.jsonl");
            PathBuf::from(name)
        };
        let create = |path: &Path| {
            File::create(path).map(BufWriter::new).map_err(|error| format!("{}: {error}", path.display()))
        };
        let mut trace = create(path)?;
        let decisions = create(&beside)?;
        leasebeat_trace::write_header(&mut trace, config, "recorded by leasebeat demo")
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(Some(Files { path: path.to_owned(), trace, decisions, failed: None })))
    }

    pub(super) fn write(&mut self, step: &Step<'_>) {
        let Some(files) = &mut self.0 else { return };
        if files.failed.is_none() {
            let written = leasebeat_trace::write_event(&mut files.trace, step.at, &step.event)
                .and_then(|()| leasebeat_trace::write_decision(&mut files.decisions, &step.decision));
            files.failed = written.err();
        }
    }

    pub(super) fn finish(self) -> Result<(), String> {
        let Some(Files { path, mut trace, mut decisions, failed }) = self.0 else { return Ok(()) };
        let flushed = trace.flush().and_then(|()| decisions.flush());
        match failed.or(flushed.err()) {
            Some(error) => Err(format!("{}: {error}", path.display())),
            None => Ok(()),
        }
    }
}
