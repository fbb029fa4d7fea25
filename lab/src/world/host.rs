//! One host: its clock and timers, the messages under way, and the lease it wants.

use leasebeat::{Instant, Outcome};
use leasebeat_authority::ReservationId;

use super::clock::HostClock;
use super::random::Stream;
use super::server::Request;
use crate::invariants::Truth;
use crate::scenario::Mishap;

pub(super) const NEVER: u64 = u64::MAX;
/// Messages a host can have under way. Only one that never waits for an answer comes near it.
pub(super) const FLIGHTS: usize = 64;

/// A message under way, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flight {
    /// When it arrives.
    pub(super) at_ns: u64,
    pub(super) stage: Stage,
    pub(super) id: u32,
    pub(super) sent: Instant,
    pub(super) sent_ns: u64,
    /// How long its answer will take.
    pub(super) back_ns: u64,
    pub(super) mishap: Option<Mishap>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Stage {
    /// To the server.
    Request(Request),
    /// Back to the host.
    Answer(Outcome),
}

/// What the host is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Waiting to begin with another lease.
    Between,
    /// Creating the reservation by itself.
    Creating,
    /// The strategy is at work.
    Working,
}

/// The lease it has or wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lease {
    pub(super) reservation: ReservationId,
    /// Since when the server holds it.
    pub(super) since_ns: Option<u64>,
    /// When the server first does not hold it any more, as things stand.
    pub(super) expires_ns: u64,
    /// When the work is done.
    pub(super) done_ns: u64,
    /// Up to when the time for which it was believed in wrongly has been counted, and how long that was.
    pub(super) counted_to_ns: u64,
    pub(super) unknowing_ns: u64,
}

/// A host.
#[derive(Debug)]
pub(super) struct Host<S> {
    pub(super) strategy: S,
    pub(super) clock: HostClock,
    pub(super) phase: Phase,
    pub(super) lease: Lease,
    /// Leases so far.
    pub(super) leases: u64,
    /// Attempts so far, of all leases.
    pub(super) attempts: u32,
    /// The last request of this lease.
    pub(super) last_id: u32,
    /// When its timer fires.
    pub(super) wake_ns: u64,
    pub(super) flights: Vec<Flight>,
    /// It sleeps from one to the other.
    pub(super) asleep_from_ns: u64,
    pub(super) asleep_until_ns: u64,
    /// It learns on resume that it slept.
    pub(super) to_be_told: bool,
    /// When there is something to do for it.
    pub(super) next_ns: u64,
    pub(super) random: Stream,
}

/// What comes next for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Due {
    /// It resumes, and knows that it slept.
    Resume,
    /// The message with this index arrives.
    Flight(usize),
    /// The work is done.
    Done,
    /// Its timer fires.
    Timer,
}

impl<S> Host<S> {
    /// What comes first; what comes at the same time comes in the order of [`Due`].
    #[inline]
    pub(super) fn due(&self) -> (u64, Due) {
        let mut due = (self.wake_ns.max(self.asleep_until_ns), Due::Timer);
        let done_ns = self.lease.done_ns.max(self.asleep_until_ns);
        if done_ns <= due.0 {
            due = (done_ns, Due::Done);
        }
        for (index, flight) in self.flights.iter().enumerate().rev() {
            let at_ns = match flight.stage {
                Stage::Request(_) => flight.at_ns,
                Stage::Answer(_) => flight.at_ns.max(self.asleep_until_ns),
            };
            if at_ns <= due.0 {
                due = (at_ns, Due::Flight(index));
            }
        }
        if self.to_be_told && self.asleep_until_ns <= due.0 {
            due = (self.asleep_until_ns, Due::Resume);
        }
        due
    }

    #[inline]
    pub(super) fn truth(&self, at_ns: u64) -> Truth {
        let expires_at_ns = self.lease.since_ns.map(|_| self.lease.expires_ns);
        Truth { at_ns, expires_at_ns }
    }
}
