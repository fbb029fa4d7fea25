//! The structs of the ABI: flat, of fixed-width integers, without hidden padding.

use core::ffi::{c_char, c_void};

use crate::raw::{
    leasebeat_action_t, leasebeat_disposition_kind_t, leasebeat_error_code_t, leasebeat_event_kind_t,
    leasebeat_failure_t, leasebeat_fallback_t, leasebeat_key_t, leasebeat_operation_t, leasebeat_rule_t,
    leasebeat_stop_t, leasebeat_unknown_keys_t,
};

/// The version of this ABI. What a program was compiled with and what leasebeat_abi_version returns must be equal.
/// It is the number in the shared library's soname, and changes only where a present program would break.
pub const LEASEBEAT_ABI_VERSION: u32 = 1;

/// The words of a heartbeat's memory, more than are used.
pub const LEASEBEAT_HEARTBEAT_WORDS: usize = 32;

/// The words of a tick widener's memory.
pub const LEASEBEAT_TICKS_WORDS: usize = 4;

/// The bytes of a snapshot.
pub const LEASEBEAT_SNAPSHOT_SIZE: usize = 96;

/// leasebeat_config_t: `request_timeout_ms` is present.
pub const LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS: u32 = 1;
/// leasebeat_config_t: `max_wait_ms` is present.
pub const LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS: u32 = 2;

/// leasebeat_event_t: `attempt` is present.
pub const LEASEBEAT_EVENT_HAS_ATTEMPT: u8 = 1;
/// leasebeat_event_t: `rtt_ns` is present.
pub const LEASEBEAT_EVENT_HAS_RTT_NS: u8 = 2;
/// leasebeat_event_t: `remaining_ttl_ms` is present.
pub const LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS: u8 = 4;
/// leasebeat_event_t: `expires_at_ms` is present.
pub const LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS: u8 = 8;
/// leasebeat_event_t: `error_code` is present.
pub const LEASEBEAT_EVENT_HAS_ERROR_CODE: u8 = 16;
/// leasebeat_event_t: `retry_after_ms` is present.
pub const LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS: u8 = 32;

/// leasebeat_decision_t: `wait_ms` is present.
pub const LEASEBEAT_DECISION_HAS_WAIT_MS: u8 = 1;
/// leasebeat_decision_t: `timeout_ms` is present.
pub const LEASEBEAT_DECISION_HAS_TIMEOUT_MS: u8 = 2;

/// leasebeat_plan_t: `attempt_budget_ms` is present; otherwise it is unbounded.
pub const LEASEBEAT_PLAN_HAS_ATTEMPT_BUDGET_MS: u32 = 1;
/// leasebeat_plan_t: `retry_reserve_ms` is present; otherwise it is unbounded.
pub const LEASEBEAT_PLAN_HAS_RETRY_RESERVE_MS: u32 = 2;
/// leasebeat_plan_t: `delay_ms` is present; otherwise the lease is in the dead zone.
pub const LEASEBEAT_PLAN_HAS_DELAY_MS: u32 = 4;
/// leasebeat_plan_t: `largest_timeout_ms` is present; otherwise no timeout leaves a delay.
pub const LEASEBEAT_PLAN_HAS_LARGEST_TIMEOUT_MS: u32 = 8;
/// leasebeat_plan_t: `shortest_lead_ms` is present; otherwise no lead leaves a delay.
pub const LEASEBEAT_PLAN_HAS_SHORTEST_LEAD_MS: u32 = 16;

/// leasebeat_numbers_t: the numbers of the primary path, `lead_ms` and `safety_margin_ms`, are present.
pub const LEASEBEAT_NUMBERS_HAS_PRIMARY: u32 = 1;
/// leasebeat_numbers_t: `attempt_budget_ms` is present; otherwise it is unbounded.
pub const LEASEBEAT_NUMBERS_HAS_ATTEMPT_BUDGET_MS: u32 = 2;
/// leasebeat_numbers_t: `retry_reserve_ms` is present; otherwise it is unbounded.
pub const LEASEBEAT_NUMBERS_HAS_RETRY_RESERVE_MS: u32 = 4;
/// leasebeat_numbers_t: `window_ms` is present; otherwise it is unboundedly negative.
pub const LEASEBEAT_NUMBERS_HAS_WINDOW_MS: u32 = 8;
/// leasebeat_numbers_t: the numbers of the fallback, `grant_ms` and `clamped`, are present.
pub const LEASEBEAT_NUMBERS_HAS_FALLBACK: u32 = 16;

/// leasebeat_disposition_t: `retry_after_ms` is present.
pub const LEASEBEAT_DISPOSITION_HAS_RETRY_AFTER_MS: u8 = 1;

/// leasebeat_answer_t: `retry_after` points to the header's bytes; otherwise the answer had none.
pub const LEASEBEAT_ANSWER_HAS_RETRY_AFTER: u8 = 1;

/// One heartbeat: memory that the caller provides, on the stack, in a struct or anywhere, and that leasebeat_init
/// fills. It owns nothing, so there is nothing to free. It may be copied by assignment to ask "what if"; the copy
/// is a heartbeat of its own. Its words mean nothing to the caller; to carry a lease elsewhere use
/// leasebeat_snapshot.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct leasebeat_heartbeat_t {
    /// Private.
    pub opaque: [u64; LEASEBEAT_HEARTBEAT_WORDS],
}

/// What a host sets. Let leasebeat_config_init fill it, then change what you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct leasebeat_config_t {
    /// `sizeof` of this struct as the caller was compiled. A smaller, older one is taken with the defaults of what
    /// it lacks; a larger, newer one only if what this version does not know is zero.
    pub size: u32,
    /// Which of the optional fields are present: LEASEBEAT_CONFIG_HAS_...
    pub present: u32,
    /// How much each extension asks for, in ms: 1 to 86400000. Usually the TTL the lease was created with.
    pub extend_by_ms: u64,
    /// Optional. How long one whole attempt may take until its failure is reported, in ms: 1 or more. It bounds
    /// connect, write, read and noticing the failure, late timers included, so enforce somewhat less on the wire.
    /// Without it no delay can be proved safe, and the heartbeat stops soon (P3, P5).
    pub request_timeout_ms: u64,
    /// By how much two readings of the clock may understate the time between them, in ns: 0 to 10000000000 (T3).
    pub clock_resolution_ns: u64,
    /// Optional. The longest wait that the host's timer can take, in ms: 1 or more. Longer waits are cut to it, and
    /// the tick that follows gives the rest.
    pub max_wait_ms: u64,
    /// What to do with a server that does not say how long the lease still lives.
    pub fallback: leasebeat_fallback_t,
    /// Zero.
    pub reserved: [u8; 7],
}

/// Something that happened. Zero it first, then set `kind` and what the kind has; a field whose bit is not set in
/// `present` is not read.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_event_t {
    /// What happened.
    pub kind: leasebeat_event_kind_t,
    /// LEASEBEAT_EVENT_FAILED: how.
    pub failure: leasebeat_failure_t,
    /// LEASEBEAT_FAILURE_HTTP, optional: the code in the answer's body.
    pub error_code: leasebeat_error_code_t,
    /// Which of the optional fields are present: LEASEBEAT_EVENT_HAS_...
    pub present: u8,
    /// Any report, optional: the `attempt` of the decision it answers. Set it: a late answer to another attempt is then
    /// an error instead of a surprise (L2).
    pub attempt: u32,
    /// LEASEBEAT_FAILURE_HTTP: the status of the answer.
    pub http_status: u16,
    /// Zero.
    pub reserved: [u8; 6],
    /// Success, optional: the round trip in ns on the monotonic clock, from just before the send to the `now_ns` it is
    /// reported with (T7). Absent where it was not measured reliably; that is never read as zero (P2).
    pub rtt_ns: u64,
    /// Success, optional: the body's `remaining_ttl_ms`.
    pub remaining_ttl_ms: u64,
    /// Success, optional: the body's `expires_at_ms`, on the server's clock.
    pub expires_at_ms: u64,
    /// LEASEBEAT_FAILURE_HTTP, optional: the Retry-After as leasebeat_parse_retry_after gives it.
    pub retry_after_ms: u64,
}

/// What to do now, and by which rule. Fields that the action does not have are zero.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_decision_t {
    /// What to do.
    pub action: leasebeat_action_t,
    /// The rule that decided.
    pub rule: leasebeat_rule_t,
    /// Stop: why.
    pub reason: leasebeat_stop_t,
    /// Send: what.
    pub operation: leasebeat_operation_t,
    /// Send: whether with a new idempotency key.
    pub key: leasebeat_key_t,
    /// Which of the optional fields are present: LEASEBEAT_DECISION_HAS_...
    pub present: u8,
    /// Zero.
    pub reserved: [u8; 2],
    /// Send: the attempt's number, from 1, sticking at its maximum. Name it in the report.
    pub attempt: u32,
    /// Send: counts the fresh keys, from 1, and sticks at its maximum. Derive the idempotency key from it: two
    /// attempts with the same generation carry the same key.
    pub key_generation: u32,
    /// Wait, optional: for how long, 1 ms or more. Absent: until the next event.
    pub wait_ms: u64,
    /// Send, optional: by when its failure must have been reported. Enforce somewhat less on the wire.
    pub timeout_ms: u64,
    /// Send: what an extend asks for.
    pub extend_by_ms: u64,
}

/// Counts since the heartbeat was made. Each sticks at its maximum.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_stats_t {
    /// Sends, creates included.
    pub attempts: u32,
    /// Sends that repeated a key.
    pub retries: u32,
    /// Extensions that a valid answer proved.
    pub extensions: u32,
    /// Attempts that failed, timed out or proved nothing.
    pub failures: u32,
    /// Zero.
    pub reserved: [u32; 4],
}

/// What a timeout, a lead and a round trip come to (P3, P4).
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_plan_t {
    /// Which of the optional fields are present: LEASEBEAT_PLAN_HAS_...
    pub present: u32,
    /// Zero.
    pub reserved: u32,
    /// What timers and the network may steal besides an attempt.
    pub safety_margin_ms: u64,
    /// Optional. How long one attempt may take until its failure is known.
    pub attempt_budget_ms: u64,
    /// Optional. What the delay keeps in reserve: two attempts and the margin.
    pub retry_reserve_ms: u64,
    /// Optional. How long after an answer the next beat follows.
    pub delay_ms: u64,
    /// Optional. The largest request timeout that leaves a delay.
    pub largest_timeout_ms: u64,
    /// Optional. The shortest lead that leaves a delay with this timeout.
    pub shortest_lead_ms: u64,
}

/// The numbers that a decision was based on.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_numbers_t {
    /// Which of the fields are present: LEASEBEAT_NUMBERS_HAS_...
    pub present: u32,
    /// Fallback: 1 where the server was found to clamp (F4), otherwise 0.
    pub clamped: u32,
    /// Primary: the lead proved at that instant; of a success, its lead floor (P2).
    pub lead_ms: u64,
    /// Primary: P3.
    pub safety_margin_ms: u64,
    /// Primary: P3.
    pub attempt_budget_ms: u64,
    /// Primary: P3.
    pub retry_reserve_ms: u64,
    /// Primary: lead - attempt budget - safety margin, cut to 64 bits (R1).
    pub window_ms: i64,
    /// Fallback: the last measured grant; 0 where it was not measured or not positive (F2).
    pub grant_ms: u64,
}

/// What a failure means.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_disposition_t {
    /// What it means.
    pub kind: leasebeat_disposition_kind_t,
    /// Permanent: what the heartbeat would stop for.
    pub reason: leasebeat_stop_t,
    /// Which of the optional fields are present: LEASEBEAT_DISPOSITION_HAS_...
    pub present: u8,
    /// Zero.
    pub reserved: [u8; 5],
    /// Throttled, optional: not before so long.
    pub retry_after_ms: u64,
}

/// A raw HTTP answer, as leasebeat_decode reads it. Zero it first.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct leasebeat_answer_t {
    /// What it answers.
    pub operation: leasebeat_operation_t,
    /// What a key is that the schema does not name.
    pub unknown_keys: leasebeat_unknown_keys_t,
    /// The status code.
    pub status: u16,
    /// Which of the optional fields are present: LEASEBEAT_ANSWER_HAS_...
    pub present: u8,
    /// Zero.
    pub reserved: [u8; 3],
    /// Optional. The Retry-After header's value; it is not NUL-terminated. NULL only with a length of 0.
    pub retry_after: *const c_char,
    /// Its length in bytes.
    pub retry_after_length: usize,
    /// The body; it is not NUL-terminated. NULL only with a length of 0.
    pub body: *const c_void,
    /// Its length in bytes.
    pub body_length: usize,
}

/// A wrapping 32-bit tick counter, widened to a clock of nanoseconds. Memory that the caller provides, as a heartbeat.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct leasebeat_ticks_t {
    /// Private.
    pub opaque: [u64; LEASEBEAT_TICKS_WORDS],
}
