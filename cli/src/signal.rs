//! Being asked to stop: Ctrl-C, or the signal by which a service is ended.

/// Waits until somebody asks.
#[cfg(unix)]
pub(crate) async fn asked_to_stop() {
    use tokio::signal::unix::{SignalKind, signal};

    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = terminate.recv() => {}
                () = interrupted() => {}
            }
        }
        Err(_) => interrupted().await,
    }
}

/// Waits until somebody asks.
#[cfg(not(unix))]
pub(crate) async fn asked_to_stop() {
    interrupted().await;
}

/// Ctrl-C; never, where the system has no such thing.
async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
