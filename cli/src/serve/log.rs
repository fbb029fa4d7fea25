//! The log: one JSON object a line, written by a thread of its own so that a slow reader holds up no request.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use serde::Serialize;

/// Lines that wait to be written. What comes when it is full is dropped, and counted.
const WAITING_MAX: usize = 10_000;

/// What became of one request.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Entry {
    pub(super) event: &'static str,
    /// The server's time when the answer was made, in ms since the epoch.
    pub(super) time_ms: u64,
    pub(super) request_id: String,
    pub(super) trace_id: String,
    /// `create`, `extend`, … or `other`.
    pub(super) operation: &'static str,
    pub(super) tenant: Option<String>,
    pub(super) key: Option<String>,
    pub(super) reservation_id: Option<String>,
    /// Something was changed by it: not so for a refusal and a replay.
    pub(super) applied: bool,
    pub(super) replayed: bool,
    /// As it was written, where one was played.
    pub(super) fault: Option<String>,
    /// `None`: no answer was sent.
    pub(super) status: Option<u16>,
    /// The error code.
    pub(super) error: Option<&'static str>,
    pub(super) message: Option<String>,
    /// What was left of the reservation just before, for a request that found one; in ms.
    pub(super) remaining_before_ms: Option<u64>,
    pub(super) expires_at_ms: Option<u64>,
    pub(super) remaining_ttl_ms: Option<u64>,
}

/// Where lines go.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    /// `None` is the end.
    lines: Option<SyncSender<Option<String>>>,
    dropped: Arc<AtomicU64>,
}

impl Log {
    /// A log to a file, or to standard output.
    pub(super) fn start(path: Option<&Path>) -> Result<(Self, JoinHandle<()>), String> {
        let mut to: Box<dyn Write + Send> = match path {
            Some(path) => Box::new(
                std::fs::File::create(path).map_err(|error| format!("--log {}: {error}", path.display()))?,
            ),
            None => Box::new(std::io::stdout()),
        };
        let (sender, lines) = sync_channel::<Option<String>>(WAITING_MAX);
        let dropped = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&dropped);
        let thread = std::thread::spawn(move || {
            while let Ok(Some(line)) = lines.recv() {
                // One write a line, so that a reader meets no half of one. A reader that has gone stops nothing.
                let _ = to.write_all(line.as_bytes()).and_then(|()| to.flush());
                let missing = counted.swap(0, Ordering::Relaxed);
                if missing > 0 {
                    let _ = writeln!(to, "{{\"event\":\"log-dropped\",\"lines\":{missing}}}");
                }
            }
        });
        Ok((Self { lines: Some(sender), dropped }, thread))
    }

    /// No log at all.
    pub(super) fn none() -> Self {
        Self { lines: None, dropped: Arc::default() }
    }

    pub(super) fn write(&self, line: &impl Serialize) {
        let Some(lines) = &self.lines else { return };
        let Ok(mut text) = serde_json::to_string(line) else { return };
        text.push('\n');
        if lines.try_send(Some(text)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
    /// Ends the log: what was written before this comes out, what comes later does not.
    pub(super) fn end(&self) {
        if let Some(lines) = &self.lines {
            // It fails only where the thread has ended already.
            let _ = lines.send(None);
        }
    }
}
