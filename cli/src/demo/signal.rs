//! When to close the lease: after a while, or when somebody asks for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
            () = signal() => self.interrupted.store(true, Ordering::Relaxed),
        }
    }
}

#[cfg(unix)]
async fn signal() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                () = interrupt() => {}
            }
        }
        Err(_) => interrupt().await,
    }
}

#[cfg(not(unix))]
async fn signal() {
    interrupt().await;
}

/// Ctrl-C; never, where the system has no such thing.
async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
