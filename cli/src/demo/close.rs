//! When to close the lease: after a while, or when somebody asks for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::signal::asked_to_stop;

/// The end of the demo.
#[derive(Debug)]
pub(super) struct Close {
    length: Duration,
    interrupted: AtomicBool,
}

impl Close {
    pub(super) fn after(length: Duration) -> Self {
        Self { length, interrupted: AtomicBool::new(false) }
    }

    /// Whether it came by a signal.
    pub(super) fn interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Waits for it.
    pub(super) async fn wait(&self) {
        tokio::select! {
            () = tokio::time::sleep(self.length) => {}
            () = asked_to_stop() => self.interrupted.store(true, Ordering::Relaxed),
        }
    }
}
