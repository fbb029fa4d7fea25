//! What goes between the owner of the leases and the connections: attempts one way, what became of them the other.

use std::sync::Arc;

use leasebeat::fleet::LeaseId;
use leasebeat::{Attempt, AttemptId, Instant, Outcome};

/// An attempt to be sent.
#[derive(Debug)]
pub struct Job {
    /// Whose it is.
    pub lease: LeaseId,
    /// Numbers the leases of this run, for their keys.
    pub serial: u64,
    /// What the kernel wants.
    pub attempt: Attempt,
    /// The server's name for the lease, once it is created.
    pub reservation: Option<Arc<str>>,
    /// When it was due.
    pub due: Instant,
    /// When it is given up.
    pub expires: Instant,
}

/// What became of it.
#[derive(Debug)]
pub struct Answer {
    /// Whose it is.
    pub lease: LeaseId,
    /// Which attempt it answers, so that a late one is nobody's (L2).
    pub attempt: AttemptId,
    /// What it proves. The round trip is still to be measured, up to when it is reported (T7).
    pub outcome: Outcome,
    /// The reservation that a create was granted.
    pub reservation: Option<Arc<str>>,
    /// When it was due.
    pub due: Instant,
    /// Just before it was written to the connection.
    pub sent: Instant,
}
