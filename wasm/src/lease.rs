//! Leases: made in the memory that JavaScript gives out and takes back.

#[cfg(feature = "full")]
use leasebeat::{Action, Decision, Rule};
use leasebeat::{Config, Fallback, Heartbeat, Settings};

use crate::words::{get, number, optional};

/// One lease's kernel, behind the address that JavaScript holds.
pub struct Lease {
    pub(crate) heartbeat: Heartbeat,
    /// What an explanation is asked for.
    #[cfg(feature = "full")]
    pub(crate) last: Decision,
}

/// What JavaScript gives to a lease.
const _: () = assert!(size_of::<Lease>() <= 208 && align_of::<Lease>() <= 16);

/// A lease. Words: `extend_by_ms` 0, `request_timeout_ms` 2, `max_wait_ms` 4, `clock_resolution_ns` 6, whether to refuse the
/// fallback 8.
///
/// # Safety
/// `lease` is the address of 208 bytes that nothing else uses, a multiple of 16.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn create(lease: *mut Lease) {
    let settings = Settings {
        request_timeout_ms: optional(2),
        max_wait_ms: optional(4),
        clock_resolution_ns: number(6),
        fallback: if get(8) > 0.0 { Fallback::Refuse } else { Fallback::Band },
        ..Settings::new(number(0))
    };
    let Ok(config) = Config::new(settings) else { return }; // JavaScript has excluded it
    let made = Lease {
        heartbeat: Heartbeat::new(config),
        #[cfg(feature = "full")]
        last: Decision { action: Action::Wait(None), rule: Rule::L1 },
    };
    // SAFETY: the caller's word.
    unsafe { lease.write(made) };
}
