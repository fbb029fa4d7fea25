//! What can be read from a lease at any time.

use leasebeat::{Instant, Millis};

use crate::lease::Lease;
use crate::words::{number, put, put_instant, put_rounded};

/// Reads everything (V1 to V6) for the reading in word 0 and the span in word 2: whether it is held for so long to word 2,
/// fence, danger and next deadline to 3, 4 and 5 (-1 for none), the lead to 6, the reason it has stopped for (-1) to 7, the
/// attempt in flight (-1) to 8, and attempts, retries, extensions and failures to 9 and on.
///
/// JavaScript rounds the reading up; the lead, the fence and the danger are rounded down, and the deadline up: against the
/// holder.
///
/// # Safety
/// `lease` is from `create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(lease: *const Lease) {
    // SAFETY: the caller's word.
    let heartbeat = unsafe { &(*lease).heartbeat };
    let now = Instant::from_nanos(number(0));
    put(2, f64::from(u8::from(heartbeat.is_held_for(Millis::new(number(2)), now))));
    put_instant(3, heartbeat.fence(), false);
    put_instant(4, heartbeat.danger(), false);
    put_instant(5, heartbeat.next_deadline(), true);
    put_rounded(6, Some(heartbeat.lead(now)));
    put(7, heartbeat.stopped().map_or(-1.0, |reason| f64::from(reason as u32)));
    put(8, heartbeat.in_flight().map_or(-1.0, |id| f64::from(id.get())));
    let stats = heartbeat.stats();
    put(9, f64::from(stats.attempts));
    put(10, f64::from(stats.retries));
    put(11, f64::from(stats.extensions));
    put(12, f64::from(stats.failures));
}
