//! What C sees of a fleet.

use crate::raw::leasebeat_stop_t;

/// Words for the stop reasons of leasebeat_fleet_totals_t, more than there are.
pub const LEASEBEAT_FLEET_STOPS: usize = 32;

/// A fleet in memory of the caller's, of which only the library knows the inside.
pub struct leasebeat_fleet_t {
    _private: [leasebeat_stop_t; 0],
}

/// How a fleet spreads its beats. Zero it and set its size: then it spreads nothing.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_pace_t {
    /// `sizeof(leasebeat_pace_t)`.
    pub size: u32,
    /// How much earlier than due a beat may leave, in thousandths of its wait: 0 (no jitter) to 500 (FL3).
    pub jitter_permille: u32,
    /// How many beats may be planned for one second; 0 is no limit. It needs a fleet with seconds (FL4).
    pub beats_per_second: u32,
    /// Zero.
    pub reserved: u32,
    /// What the jitter is drawn from. The same seed gives the same beats.
    pub seed: u64,
}

/// What a fleet has counted over all its leases, the removed ones included. Each sticks at its maximum.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct leasebeat_fleet_totals_t {
    /// How many leases there are now, the stopped ones included: a lease stays until it is removed.
    pub leases: u64,
    /// Leases inserted or adopted.
    pub inserted: u64,
    /// Leases removed.
    pub removed: u64,
    /// Attempts to be sent.
    pub sends: u64,
    /// Of those, beats that were brought forward (FL3, FL4).
    pub early: u64,
    /// Leases that stopped, by leasebeat_stop_t. At a number that is no reason: 0.
    pub stopped: [u64; LEASEBEAT_FLEET_STOPS],
    /// Zero.
    pub reserved: [u64; 3],
}
