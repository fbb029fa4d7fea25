//! What can be read from a lease at any time.

use leasebeat::{Instant, Millis};

use crate::lease::Lease;
use crate::time::{millis, up};
use crate::words::{put, put_rounded, whole};

/// Reads everything (V1 to V6) for the reading in word 0 and the span in word 2: whether it is held for so long to word 2,
/// fence, danger and next deadline to 3, 4 and 5 (-1 for none), the lead to 6, the reason it has stopped for (-1) to 7, the
/// attempt in flight (-1) to 8, and attempts, retries, extensions and failures to 9 and on.
///
/// The reading rounds up, the lead, the fence and the danger down, and the deadline up: against the holder.
///
/// # Safety
/// `lease` is from `lease_new`, and not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn read(lease: *const Lease) {
    // SAFETY: the caller's word.
    let heartbeat = unsafe { &(*lease).heartbeat };
    let now = Instant::from_nanos(up(0));
    put(2, f64::from(u8::from(heartbeat.is_held_for(Millis::new(whole(2)), now))));
    let instants = [heartbeat.fence(), heartbeat.danger(), heartbeat.next_deadline()];
    for (index, at) in (3..).zip(instants) {
        put(index, at.map_or(-1.0, |at| millis(at, index == 5)));
    }
    put_rounded(6, Some(heartbeat.lead(now).get()));
    put(7, heartbeat.stopped().map_or(-1.0, |reason| f64::from(reason as u32)));
    put(8, heartbeat.in_flight().map_or(-1.0, |id| f64::from(id.get())));
    let stats = heartbeat.stats();
    for (index, count) in (9..).zip([stats.attempts, stats.retries, stats.extensions, stats.failures]) {
        put(index, f64::from(count));
    }
}
