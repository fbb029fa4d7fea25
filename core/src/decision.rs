//! Decisions: what the kernel wants done, by which rule, and what that was based on.

use crate::time::Millis;

/// What to do now, and by which rule. Printed with `{}` it is one line for a log;
/// [`Heartbeat::explain`](crate::Heartbeat::explain) adds the numbers and the remedy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decision {
    /// What to do.
    pub action: Action,
    /// The rule that decided.
    pub rule: Rule,
}

impl Decision {
    pub(crate) const fn stop(reason: StopReason, rule: Rule) -> Self {
        Self { action: Action::Stop(reason), rule }
    }

    pub(crate) const fn wait_for_event(rule: Rule) -> Self {
        Self { action: Action::Wait(None), rule }
    }
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Action {
    /// Send this attempt at once, and report what becomes of it.
    Send(Attempt),
    /// Do nothing for so long, 1 ms or more, then [`tick`](crate::Heartbeat::tick). `None`: until the next event.
    Wait(Option<Millis>),
    /// The kernel has stopped, and will say so to every further call. The lease may still be held: see
    /// [`fence`](crate::Heartbeat::fence).
    Stop(StopReason),
}

/// One attempt, described. The host sends it, enforces its timeout, and measures its round trip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Attempt {
    /// Name it in the report, so that a late answer is nobody's (L2).
    pub id: AttemptId,
    /// Counts the fresh keys, from 1, and sticks at its maximum. A host can derive the idempotency key from
    /// it: two attempts with the same generation carry the same key.
    pub key_generation: u32,
    /// What to send.
    pub operation: Operation,
    /// Whether its idempotency key is a new one.
    pub key: Key,
    /// What an extend asks for: its `extend_by_ms`.
    pub extend_by: Millis,
    /// By when its failure must have been reported: what the kernel budgets for one attempt. Enforce somewhat
    /// less on the wire (see [`Settings::request_timeout_ms`](crate::Settings)). `None`: none is known.
    pub timeout: Option<Millis>,
}

/// The number of an attempt: 1, 2, 3 …, sticking at its maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AttemptId(u32);

impl AttemptId {
    /// The attempt numbered `number`.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub const fn get(self) -> u32 {
        self.0
    }
}

named! {
    /// What an attempt asks of the server.
    Operation, as_str, "`create` or `extend`, as in a trace.";
    /// Create the reservation.
    Create = "create",
    /// Extend it.
    Extend = "extend",
}

named! {
    /// Which idempotency key an attempt carries.
    Key, as_str, "`fresh` or `same`, as in a trace.";
    /// A new one: what came before is proven, or there was nothing.
    Fresh = "fresh",
    /// The one of the attempt before: that may have been applied, and must not be applied twice.
    Same = "same",
}

named! {
    /// Why the kernel stopped. Most stops leave a proven lease: see [`Heartbeat::fence`](crate::Heartbeat::fence).
    #[non_exhaustive]
    StopReason, as_str, "The reason's name, as in a trace.";
    /// The host closed it (L5).
    Closed = "closed",
    /// The create was denied, or was a dry run (L4).
    NotGranted = "not-granted",
    /// Two creates with the same key proved nothing; the reservation may exist (L4).
    CreateAmbiguous = "create-ambiguous",
    /// Two successes in a row left no delay: the lease is shorter than its retry reserve (P5).
    LeaseTooShort = "lease-too-short",
    /// No complete attempt plus margin provably fits before the lease ends (R2, R8, T6).
    NoSafeRetry = "no-safe-retry",
    /// The one retry of a window of exactly zero failed too (R3).
    ZeroWindowSpent = "zero-window-spent",
    /// Two failures without any time between them (R4).
    NoProgress = "no-progress",
    /// The server asked for a wait that does not fit, or did not say for how long (R6, F6, L4).
    Throttled = "throttled",
    /// The server refused the request (C4).
    Rejected = "rejected",
    /// The server answered with neither success, failure nor refusal (C4).
    UnexpectedStatus = "unexpected-status",
    /// The server says that the lease has expired (C3).
    ReservationExpired = "reservation-expired",
    /// The server says that the reservation was committed or released (C3).
    ReservationFinalized = "reservation-finalized",
    /// The server grants no further extension (C3).
    MaxExtensionsExceeded = "max-extensions-exceeded",
    /// The tenant is closed for good (C3).
    TenantClosed = "tenant-closed",
    /// The server knows no such reservation (C3).
    NotFound = "not-found",
    /// The server does not say how long the lease lives, and the host refuses to guess (F1).
    RemainingTtlAbsent = "remaining-ttl-absent",
}

named! {
    /// The rule that decided, as `docs/RULES.md` numbers them.
    #[non_exhaustive]
    Rule, id, "The rule's id, such as `R5`.";
    /// Not due yet: wait for what is left.
    T4 = "T4",
    /// Timing was lost.
    T6 = "T6",
    /// The create is sent, or nothing is to be done before it.
    L1 = "L1",
    /// An attempt is in flight: wait for what is left of its timeout.
    L3 = "L3",
    /// A create failed or was denied.
    L4 = "L4",
    /// Closed, or stopped before.
    L5 = "L5",
    /// The server's answer is permanent.
    C3 = "C3",
    /// The server refused, or answered with an unexpected status.
    C4 = "C4",
    /// A success leaves a positive delay: wait it, then beat.
    P4 = "P4",
    /// A success leaves none.
    P5 = "P5",
    /// No complete retry plus margin fits.
    R2 = "R2",
    /// The window is exactly zero.
    R3 = "R3",
    /// No time between two failures.
    R4 = "R4",
    /// Retry with the same key.
    R5 = "R5",
    /// Retry when the throttling server allows it, or never.
    R6 = "R6",
    /// A recovery wait ended too late for another attempt.
    R8 = "R8",
    /// The server does not say how long the lease lives.
    F1 = "F1",
    /// A create without the field: extend at once.
    F3 = "F3",
    /// An extension without the field: beat by what it granted.
    F4 = "F4",
    /// Enough lead is proved: skip a beat.
    F5 = "F5",
    /// A failure in fallback: same key after the cadence.
    F6 = "F6",
}

impl StopReason {
    /// Whether the server has said that the lease is no more, whatever was proved before.
    pub(crate) const fn disproves_the_lease(self) -> bool {
        matches!(
            self,
            Self::NotGranted
                | Self::ReservationExpired
                | Self::ReservationFinalized
                | Self::TenantClosed
                | Self::NotFound
        )
    }
}

named! {
    /// A wrong use of the kernel. Nothing has changed, the clock included (L2).
    Misuse, as_str, "The misuse's name, as in a trace.";
    /// A report of the wrong kind, a report with nothing in flight, or a second `Begin`.
    UnexpectedEvent = "unexpected-event",
    /// The report answers an attempt that is not the one in flight: usually a late answer, to be dropped.
    StaleAttempt = "stale-attempt",
}

impl core::error::Error for Misuse {}
