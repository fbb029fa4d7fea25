//! The numbers of the ABI: each written out, and none ever used for anything else.

/// How a call ended: 0 or more where it did what it says, less where it refused and changed nothing.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_status_t {
    /// Done; every output is written.
    LEASEBEAT_OK = 0,
    /// Done, and there is none of what was asked for: no deadline, no fence. No output is written.
    LEASEBEAT_NONE = 1,
    /// leasebeat_fleet_poll: nothing is due before leasebeat_fleet_next_deadline. No output is written.
    LEASEBEAT_NOTHING_DUE = 2,

    /// A pointer that must point somewhere is NULL.
    LEASEBEAT_ERROR_NULL = -1,
    /// A pointer is not aligned for what it must point to.
    LEASEBEAT_ERROR_MISALIGNED = -2,
    /// Two areas overlap that must not: an output and the handle, or an output and what is read.
    LEASEBEAT_ERROR_OVERLAP = -3,
    /// The memory holds no heartbeat (tick widener, fleet) that this ABI version initialised.
    LEASEBEAT_ERROR_UNINITIALIZED = -4,
    /// A size is smaller than what it must hold, or no object can be that large.
    LEASEBEAT_ERROR_SIZE = -5,
    /// A reserved byte is not zero, or a byte of a newer config that this version does not know.
    LEASEBEAT_ERROR_RESERVED = -6,
    /// A bit of `present` is set that the struct does not have, or not for this kind of event.
    LEASEBEAT_ERROR_PRESENT = -7,

    /// No such leasebeat_event_kind_t.
    LEASEBEAT_ERROR_EVENT_KIND = -10,
    /// No such leasebeat_failure_t.
    LEASEBEAT_ERROR_FAILURE = -11,
    /// No such leasebeat_error_code_t.
    LEASEBEAT_ERROR_ERROR_CODE = -12,
    /// No such leasebeat_operation_t.
    LEASEBEAT_ERROR_OPERATION = -13,
    /// No such leasebeat_unknown_keys_t.
    LEASEBEAT_ERROR_UNKNOWN_KEYS = -14,
    /// No such leasebeat_fallback_t.
    LEASEBEAT_ERROR_FALLBACK = -15,
    /// A decision that no heartbeat made: an unknown action, rule, reason, operation or key.
    LEASEBEAT_ERROR_DECISION = -16,

    /// `extend_by_ms` is not from 1 to 86400000.
    LEASEBEAT_ERROR_EXTEND_BY_MS = -20,
    /// `request_timeout_ms` is present and 0.
    LEASEBEAT_ERROR_REQUEST_TIMEOUT_MS = -21,
    /// `clock_resolution_ns` is not from 0 to 10000000000.
    LEASEBEAT_ERROR_CLOCK_RESOLUTION_NS = -22,
    /// `max_wait_ms` is present and 0.
    LEASEBEAT_ERROR_MAX_WAIT_MS = -23,
    /// `hz` is 0.
    LEASEBEAT_ERROR_HZ = -24,
    /// `jitter_permille` is not from 0 to 500.
    LEASEBEAT_ERROR_JITTER_PERMILLE = -25,
    /// `beats_per_second` is set, and the fleet has no seconds to plan in.
    LEASEBEAT_ERROR_BEATS_PER_SECOND = -26,

    /// The event cannot happen now: a report of the wrong kind or with nothing in flight, or a second begin (L2).
    LEASEBEAT_ERROR_UNEXPECTED_EVENT = -30,
    /// The report names another attempt than the one in flight: usually a late answer, to be dropped (L2).
    LEASEBEAT_ERROR_STALE_ATTEMPT = -31,
    /// Only an event of the kind LEASEBEAT_EVENT_FAILED can be classified.
    LEASEBEAT_ERROR_NOT_A_FAILURE = -32,

    /// The text does not fit, and a part of it would be of no use. Only the needed length is written.
    LEASEBEAT_ERROR_BUFFER_TOO_SMALL = -40,

    /// The bytes are no snapshot, or one of a version that this library does not know.
    LEASEBEAT_ERROR_SNAPSHOT_FORMAT = -50,
    /// The snapshot's checksum does not match: it was altered or torn.
    LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM = -51,
    /// The snapshot's checksum matches and a value in it is none that a snapshot can have.
    LEASEBEAT_ERROR_SNAPSHOT_VALUE = -52,

    /// A fleet cannot have so many leases, classes or seconds: leasebeat_fleet_size says 0.
    LEASEBEAT_ERROR_FLEET_COUNTS = -60,
    /// The fleet has room for no further lease.
    LEASEBEAT_ERROR_FLEET_FULL = -61,
    /// The fleet has room for no further class.
    LEASEBEAT_ERROR_FLEET_CLASSES_FULL = -62,
    /// The fleet has no class of this number.
    LEASEBEAT_ERROR_FLEET_CLASS = -63,
    /// The fleet has no lease of this id: it was removed, or never was (FL1).
    LEASEBEAT_ERROR_FLEET_ID = -64,
}

/// What happened to the host.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_event_kind_t {
    /// Create the reservation through the kernel; only as the first thing (L1).
    LEASEBEAT_EVENT_BEGIN = 1,
    /// A valid 200 to a create that was allowed. Also how a host hands in a reservation that it created itself:
    /// as the first event, without LEASEBEAT_EVENT_BEGIN.
    LEASEBEAT_EVENT_CREATED = 2,
    /// A valid 200 to a create that was denied, or to a dry run (L4).
    LEASEBEAT_EVENT_DENIED = 3,
    /// A valid 200 to an extend. Without `expires_at_ms` it is ambiguous (C1).
    LEASEBEAT_EVENT_EXTENDED = 4,
    /// An attempt failed, in the way that `failure` says.
    LEASEBEAT_EVENT_FAILED = 5,
    /// Time passed: a timer fired, early or late. The same as leasebeat_tick.
    LEASEBEAT_EVENT_TICK = 6,
    /// The host slept, or learned that its clock jumped: no measured time can be trusted (T6).
    LEASEBEAT_EVENT_TIMING_LOST = 7,
    /// The work is done, or nobody wants the lease any more (L5).
    LEASEBEAT_EVENT_CLOSE = 8,
}

/// How an attempt failed.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_failure_t {
    /// The enforced request timeout passed.
    LEASEBEAT_FAILURE_TIMEOUT = 1,
    /// The connection was refused, reset or lost.
    LEASEBEAT_FAILURE_CONNECTION = 2,
    /// A 200 that is not valid by the schema, or another answer that proves nothing (C1).
    LEASEBEAT_FAILURE_AMBIGUOUS = 3,
    /// An HTTP answer that is no success: `http_status`, and `error_code` and `retry_after_ms` where known.
    LEASEBEAT_FAILURE_HTTP = 4,
}

/// The protocol's error codes.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // each is the protocol's own name
pub enum leasebeat_error_code_t {
    LEASEBEAT_CODE_INVALID_REQUEST = 1,
    LEASEBEAT_CODE_UNAUTHORIZED = 2,
    LEASEBEAT_CODE_FORBIDDEN = 3,
    LEASEBEAT_CODE_NOT_FOUND = 4,
    LEASEBEAT_CODE_BUDGET_EXCEEDED = 5,
    LEASEBEAT_CODE_BUDGET_FROZEN = 6,
    LEASEBEAT_CODE_BUDGET_CLOSED = 7,
    LEASEBEAT_CODE_RESERVATION_EXPIRED = 8,
    LEASEBEAT_CODE_RESERVATION_FINALIZED = 9,
    LEASEBEAT_CODE_IDEMPOTENCY_MISMATCH = 10,
    LEASEBEAT_CODE_UNIT_MISMATCH = 11,
    LEASEBEAT_CODE_OVERDRAFT_LIMIT_EXCEEDED = 12,
    LEASEBEAT_CODE_DEBT_OUTSTANDING = 13,
    LEASEBEAT_CODE_MAX_EXTENSIONS_EXCEEDED = 14,
    LEASEBEAT_CODE_LIMIT_EXCEEDED = 15,
    LEASEBEAT_CODE_TENANT_CLOSED = 16,
    LEASEBEAT_CODE_INTERNAL_ERROR = 17,
}

/// What to do now.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_action_t {
    /// Send the attempt that the decision describes at once, and report what becomes of it.
    LEASEBEAT_ACTION_SEND = 1,
    /// Do nothing for `wait_ms`, then call leasebeat_tick; without a `wait_ms`, until the next event.
    LEASEBEAT_ACTION_WAIT = 2,
    /// The heartbeat has stopped for `reason`, and will say so to every further call. The lease may still be held:
    /// see leasebeat_fence.
    LEASEBEAT_ACTION_STOP = 3,
}

/// What an attempt asks of the server.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_operation_t {
    /// Create the reservation.
    LEASEBEAT_OPERATION_CREATE = 1,
    /// Extend it.
    LEASEBEAT_OPERATION_EXTEND = 2,
}

/// Which idempotency key an attempt carries.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_key_t {
    /// A new one: what came before is proven, or there was nothing.
    LEASEBEAT_KEY_FRESH = 1,
    /// The one of the attempt before: that may have been applied, and must not be applied twice.
    LEASEBEAT_KEY_SAME = 2,
}

/// Why the heartbeat stopped. Most stops leave a proven lease: see leasebeat_fence.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_stop_t {
    /// The host closed it (L5).
    LEASEBEAT_STOP_CLOSED = 1,
    /// The create was denied, or was a dry run (L4).
    LEASEBEAT_STOP_NOT_GRANTED = 2,
    /// Two creates with the same key proved nothing; the reservation may exist (L4).
    LEASEBEAT_STOP_CREATE_AMBIGUOUS = 3,
    /// Two successes in a row left no delay: the lease is shorter than its retry reserve (P5).
    LEASEBEAT_STOP_LEASE_TOO_SHORT = 4,
    /// No complete attempt plus margin provably fits before the lease ends (R2, R8, T6).
    LEASEBEAT_STOP_NO_SAFE_RETRY = 5,
    /// The one retry of a window of exactly zero failed too (R3).
    LEASEBEAT_STOP_ZERO_WINDOW_SPENT = 6,
    /// Two failures without any time between them (R4).
    LEASEBEAT_STOP_NO_PROGRESS = 7,
    /// The server asked for a wait that does not fit, or did not say for how long (R6, F6, L4).
    LEASEBEAT_STOP_THROTTLED = 8,
    /// The server refused the request (C4).
    LEASEBEAT_STOP_REJECTED = 9,
    /// The server answered with neither success, failure nor refusal (C4).
    LEASEBEAT_STOP_UNEXPECTED_STATUS = 10,
    /// The server says that the lease has expired (C3).
    LEASEBEAT_STOP_RESERVATION_EXPIRED = 11,
    /// The server says that the reservation was committed or released (C3).
    LEASEBEAT_STOP_RESERVATION_FINALIZED = 12,
    /// The server grants no further extension (C3).
    LEASEBEAT_STOP_MAX_EXTENSIONS_EXCEEDED = 13,
    /// The tenant is closed for good (C3).
    LEASEBEAT_STOP_TENANT_CLOSED = 14,
    /// The server knows no such reservation (C3).
    LEASEBEAT_STOP_NOT_FOUND = 15,
    /// The server does not say how long the lease lives, and the config refuses to guess (F1).
    LEASEBEAT_STOP_REMAINING_TTL_ABSENT = 16,
}

/// The rule that decided. leasebeat_describe says it in words.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_rule_t {
    /// Not due yet: wait for what is left.
    LEASEBEAT_RULE_T4 = 1,
    /// Timing was lost.
    LEASEBEAT_RULE_T6 = 2,
    /// The create is sent, or nothing is to be done before it.
    LEASEBEAT_RULE_L1 = 3,
    /// An attempt is in flight: wait for what is left of its timeout.
    LEASEBEAT_RULE_L3 = 4,
    /// A create failed or was denied.
    LEASEBEAT_RULE_L4 = 5,
    /// Closed, or stopped before.
    LEASEBEAT_RULE_L5 = 6,
    /// The server's answer is permanent.
    LEASEBEAT_RULE_C3 = 7,
    /// The server refused, or answered with an unexpected status.
    LEASEBEAT_RULE_C4 = 8,
    /// A success leaves a positive delay: wait it, then beat.
    LEASEBEAT_RULE_P4 = 9,
    /// A success leaves none.
    LEASEBEAT_RULE_P5 = 10,
    /// No complete retry plus margin fits.
    LEASEBEAT_RULE_R2 = 11,
    /// The window is exactly zero.
    LEASEBEAT_RULE_R3 = 12,
    /// No time between two failures.
    LEASEBEAT_RULE_R4 = 13,
    /// Retry with the same key.
    LEASEBEAT_RULE_R5 = 14,
    /// Retry when the throttling server allows it, or never.
    LEASEBEAT_RULE_R6 = 15,
    /// A recovery wait ended too late for another attempt.
    LEASEBEAT_RULE_R8 = 16,
    /// The server does not say how long the lease lives.
    LEASEBEAT_RULE_F1 = 17,
    /// A create without the field: extend at once.
    LEASEBEAT_RULE_F3 = 18,
    /// An extension without the field: beat by what it granted.
    LEASEBEAT_RULE_F4 = 19,
    /// Enough lead is proved: skip a beat.
    LEASEBEAT_RULE_F5 = 20,
    /// A failure in fallback: same key after the cadence.
    LEASEBEAT_RULE_F6 = 21,
}

/// What a failure means for the lease.
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_disposition_kind_t {
    /// It may not have been applied, and another attempt with the same key may succeed (C1, C2).
    LEASEBEAT_DISPOSITION_TRANSIENT = 1,
    /// 429: as transient, but not before `retry_after_ms`, where the answer had a valid one (C2, C5).
    LEASEBEAT_DISPOSITION_THROTTLED = 2,
    /// The lease is gone or can grow no more: stop for `reason` (C3).
    LEASEBEAT_DISPOSITION_PERMANENT = 3,
    /// The server refuses this very request (C4).
    LEASEBEAT_DISPOSITION_REJECTED = 4,
    /// A status that is neither success, failure nor refusal, such as a redirect (C4).
    LEASEBEAT_DISPOSITION_UNEXPECTED_STATUS = 5,
}

/// What to do with a server that does not say how long the lease still lives (F1).
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_fallback_t {
    /// Measure grants and beat on a best effort (F2-F7). The default.
    LEASEBEAT_FALLBACK_BAND = 0,
    /// Stop with LEASEBEAT_STOP_REMAINING_TTL_ABSENT: proof or nothing.
    LEASEBEAT_FALLBACK_REFUSE = 1,
}

/// What a key of an answer's body is that the schema does not name (W6).
#[repr(u8)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum leasebeat_unknown_keys_t {
    /// It makes the answer ambiguous. The default, as the schema says.
    LEASEBEAT_UNKNOWN_KEYS_REJECT = 0,
    /// It is skipped, well-formed but unread, for a client that must outlive a newer server.
    LEASEBEAT_UNKNOWN_KEYS_IGNORE = 1,
}
