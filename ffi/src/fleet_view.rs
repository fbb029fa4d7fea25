//! What can be read from a fleet without changing it.

use leasebeat::fleet::{Fleet, LeaseId};
use leasebeat::{Heartbeat, Instant, StopReason};

use crate::codes::leasebeat_status_t::{self, LEASEBEAT_ERROR_SIZE, LEASEBEAT_NONE, LEASEBEAT_OK};
use crate::convert::stop_number;
use crate::fleet_memory::{find, refused};
use crate::fleet_types::{leasebeat_fleet_t, leasebeat_fleet_totals_t};
use crate::memory::{Checked, apart, put};
use crate::types::leasebeat_heartbeat_t;

/// When leasebeat_fleet_poll has something to say next: what a host's one timer is set to.
///
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: not before the next event; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_next_deadline(
    fleet: *mut leasebeat_fleet_t,
    deadline_ns: *mut u64,
) -> leasebeat_status_t {
    let read = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(deadline_ns)?;
        #[allow(clippy::redundant_closure_for_method_calls)] // the method is of one lifetime only
        // SAFETY: as before.
        let deadline = unsafe { found.read(|fleet| fleet.next_deadline()) }.ok_or(LEASEBEAT_NONE)?;
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { deadline_ns.write(deadline.as_nanos()) };
        Ok(())
    };
    read().err().unwrap_or(LEASEBEAT_OK)
}

/// A copy of a lease as a heartbeat of its own, for leasebeat_lead, leasebeat_fence, leasebeat_explain, leasebeat_snapshot
/// and whatever else there is. What is done with the copy does not change the fleet.
///
/// @param fleet      read
/// @param id         which lease
/// @param heartbeat  memory for the copy; may not lie in the fleet
/// @param size       its bytes, `sizeof *heartbeat`: at least leasebeat_sizeof()
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _OVERLAP, _UNINITIALIZED, _FLEET_ID
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_get(
    fleet: *mut leasebeat_fleet_t,
    id: u64,
    heartbeat: *mut leasebeat_heartbeat_t,
    size: usize,
) -> leasebeat_status_t {
    let get = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(heartbeat)?;
        if size < size_of::<leasebeat_heartbeat_t>() {
            return Err(LEASEBEAT_ERROR_SIZE);
        }
        // SAFETY: as before.
        let kernel = unsafe { found.read(|fleet| fleet.get(LeaseId::from_u64(id))) }.map_err(refused)?;
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { put(heartbeat, kernel) };
        Ok(())
    };
    get().err().unwrap_or(LEASEBEAT_OK)
}

/// The lease behind another in the order of their memory: to go through all. A lease may be removed on the way.
///
/// @param fleet  read
/// @param after  the lease before, or 0 for the first
/// @param id     the next lease
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: there is no further one; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_next(
    fleet: *mut leasebeat_fleet_t,
    after: u64,
    id: *mut u64,
) -> leasebeat_status_t {
    let next = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(id)?;
        // SAFETY: as before.
        let next = unsafe { found.read(|fleet| fleet.next_id(cursor(after))) }.ok_or(LEASEBEAT_NONE)?;
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { id.write(next.to_u64()) };
        Ok(())
    };
    next().err().unwrap_or(LEASEBEAT_OK)
}

/// The next lease, behind another in the order of their memory, whose danger (leasebeat_danger) is at `by_ns` or before:
/// it is lost soon, unless an answer comes. A lease of which nothing is proved has no danger.
///
/// @param fleet      read
/// @param by_ns      how far to look ahead
/// @param after      the lease that was found before, or 0 for the first
/// @param id         the lease
/// @param danger_ns  its danger; may not lie in the id
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: there is no further one; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_in_danger(
    fleet: *mut leasebeat_fleet_t,
    by_ns: u64,
    after: u64,
    id: *mut u64,
    danger_ns: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { scan(fleet, by_ns, after, id, danger_ns, Heartbeat::danger) }.err().unwrap_or(LEASEBEAT_OK)
}

/// The next lease, behind another in the order of their memory, whose fence (leasebeat_fence) is at `by_ns` or before:
/// what it guards has to stop there. A lease of which nothing is proved has no fence.
///
/// @param fleet     read
/// @param by_ns     how far to look ahead
/// @param after     the lease that was found before, or 0 for the first
/// @param id        the lease
/// @param fence_ns  its fence; may not lie in the id
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: there is no further one; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP,
///         _UNINITIALIZED
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_fenced(
    fleet: *mut leasebeat_fleet_t,
    by_ns: u64,
    after: u64,
    id: *mut u64,
    fence_ns: *mut u64,
) -> leasebeat_status_t {
    // SAFETY: by this function's contract.
    unsafe { scan(fleet, by_ns, after, id, fence_ns, Heartbeat::fence) }.err().unwrap_or(LEASEBEAT_OK)
}

/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
unsafe fn scan(
    fleet: *mut leasebeat_fleet_t,
    by_ns: u64,
    after: u64,
    id: *mut u64,
    at_ns: *mut u64,
    read: fn(&Heartbeat) -> Option<Instant>,
) -> Checked {
    // SAFETY: by this function's contract.
    let found = unsafe { find(fleet) }?;
    found.output(id)?;
    found.output(at_ns)?;
    apart(id, at_ns)?;
    let by = Instant::from_nanos(by_ns);
    let first = |fleet: &Fleet<'_>| {
        let mut after = cursor(after);
        loop {
            let next = fleet.next_id(after)?;
            let at = fleet.get(next).ok().and_then(|kernel| read(&kernel));
            if let Some(at) = at.filter(|at| *at <= by) {
                return Some((next, at));
            }
            after = Some(next);
        }
    };
    // SAFETY: as before.
    let (next, at) = unsafe { found.read(first) }.ok_or(LEASEBEAT_NONE)?;
    // SAFETY: sound, the caller's, and not in the fleet.
    unsafe {
        id.write(next.to_u64());
        at_ns.write(at.as_nanos());
    }
    Ok(())
}

fn cursor(after: u64) -> Option<LeaseId> {
    (after != 0).then(|| LeaseId::from_u64(after))
}

/// What has been counted.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_totals(
    fleet: *mut leasebeat_fleet_t,
    totals: *mut leasebeat_fleet_totals_t,
) -> leasebeat_status_t {
    let read = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(totals)?;
        // SAFETY: as before.
        let (len, counted) = unsafe { found.read(|fleet| (fleet.len(), *fleet.totals())) };
        let mut out = leasebeat_fleet_totals_t {
            leases: u64::try_from(len).unwrap_or(u64::MAX),
            inserted: counted.inserted,
            removed: counted.removed,
            sends: counted.sends,
            early: counted.early,
            ..Default::default()
        };
        for reason in StopReason::ALL {
            if let Some(count) = out.stopped.get_mut(usize::from(stop_number(*reason))) {
                *count = counted.stopped(*reason);
            }
        }
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { totals.write(out) };
        Ok(())
    };
    read().err().unwrap_or(LEASEBEAT_OK)
}
