//! The calls that make a fleet and change it.

use leasebeat::Instant;
use leasebeat::fleet::{ClassId, LeaseId, Pace};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_BEATS_PER_SECOND, LEASEBEAT_ERROR_JITTER_PERMILLE, LEASEBEAT_ERROR_OVERLAP,
    LEASEBEAT_ERROR_RESERVED, LEASEBEAT_ERROR_SIZE, LEASEBEAT_NOTHING_DUE, LEASEBEAT_OK,
};
use crate::config::config_of;
use crate::convert::{event_of, write_decision};
use crate::fleet_memory::{Counts, find, fits, make, refused};
use crate::fleet_types::{leasebeat_fleet_t, leasebeat_pace_t};
use crate::memory::{Checked, apart, bytes, overlap, peek, sound};
use crate::types::{leasebeat_config_t, leasebeat_decision_t, leasebeat_event_t, leasebeat_heartbeat_t};

/// The bytes that a fleet needs: 160 for each lease, and some for the rest.
///
/// @param leases   how many at most: 1 to 4294967294
/// @param classes  how many different configs they share: 1 to 65535
/// @param seconds  how far ahead beats are planned, as many as the longest wait has seconds; 0 without `beats_per_second`
/// @return 0 where there can be no such fleet
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_fleet_size(leases: u32, classes: u32, seconds: u32) -> usize {
    Counts { leases, classes, seconds }.size()
}

/// Makes an empty fleet. It writes all of its memory once.
///
/// @param fleet    memory to make it in, aligned to 8; what was there is lost
/// @param bytes    how many there are: at least leasebeat_fleet_size of these counts. What is more stays untouched
/// @param leases   as in leasebeat_fleet_size
/// @param classes  as in leasebeat_fleet_size
/// @param seconds  as in leasebeat_fleet_size
/// @param pace     read, not kept; NULL: each beat leaves when it is due
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _OVERLAP, _FLEET_COUNTS; of the pace _SIZE, _RESERVED,
///         _JITTER_PERMILLE, _BEATS_PER_SECOND
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_init(
    fleet: *mut leasebeat_fleet_t,
    bytes: usize,
    leases: u32,
    classes: u32,
    seconds: u32,
    pace: *const leasebeat_pace_t,
) -> leasebeat_status_t {
    let counts = Counts { leases, classes, seconds };
    let check = || -> Checked<Pace> {
        fits(fleet, bytes, counts)?;
        if pace.is_null() {
            return Ok(Pace::default());
        }
        // SAFETY: by this function's contract.
        let (read, size) = unsafe { pace_of(pace, seconds) }?;
        if overlap(fleet, counts.size(), pace, size) {
            return Err(LEASEBEAT_ERROR_OVERLAP);
        }
        Ok(read)
    };
    match check() {
        Err(error) => error,
        Ok(pace) => {
            // SAFETY: it fits, and is the caller's.
            unsafe { make(fleet, counts, pace) };
            LEASEBEAT_OK
        }
    }
}

const PACE_SIZE: usize = size_of::<leasebeat_pace_t>();
/// No pace will be larger, so a larger size is a mistake.
const PACE_SIZE_MAX: usize = 4_096;

/// The pace at `pace`, and its size.
///
/// # Safety
/// As many bytes as its size says are the caller's to read.
unsafe fn pace_of(pace: *const leasebeat_pace_t, seconds: u32) -> Checked<(Pace, usize)> {
    sound(pace)?;
    // SAFETY: sound, and every pace begins with its size.
    let size = unsafe { (*pace).size } as usize;
    if !(PACE_SIZE..=PACE_SIZE_MAX).contains(&size) {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    bytes(pace.cast(), size)?;
    for offset in PACE_SIZE..size {
        // SAFETY: within the size that the pace has.
        if unsafe { pace.cast::<u8>().add(offset).read() } != 0 {
            return Err(LEASEBEAT_ERROR_RESERVED);
        }
    }
    // SAFETY: sound, and so large; any bytes are a pace.
    let leasebeat_pace_t { size: _, jitter_permille, beats_per_second, reserved, seed } =
        unsafe { pace.read() };
    if reserved != 0 {
        return Err(LEASEBEAT_ERROR_RESERVED);
    }
    let Some(jitter_permille) = u16::try_from(jitter_permille).ok().filter(|permille| *permille <= 500)
    else {
        return Err(LEASEBEAT_ERROR_JITTER_PERMILLE);
    };
    if beats_per_second != 0 && seconds == 0 {
        return Err(LEASEBEAT_ERROR_BEATS_PER_SECOND);
    }
    Ok((Pace { seed, jitter_permille, beats_per_second }, size))
}

/// Adds a config for leases to share.
///
/// @param fleet     changed, where the call succeeds
/// @param config    read, not kept
/// @param class_id  the number of the class, from 0 in the order of their adding
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED, _FLEET_CLASSES_FULL; as
///         leasebeat_config_check
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_add_class(
    fleet: *mut leasebeat_fleet_t,
    config: *const leasebeat_config_t,
    class_id: *mut u16,
) -> leasebeat_status_t {
    let add = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(class_id)?;
        // SAFETY: as before.
        let parsed = unsafe { config_of(config) }?;
        apart(class_id, config)?;
        // SAFETY: as before; the config was copied.
        let class = unsafe { found.with(|fleet| fleet.add_class(parsed)) }.map_err(refused)?;
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { class_id.write(class.get()) };
        Ok(())
    };
    add().err().unwrap_or(LEASEBEAT_OK)
}

/// Adds a lease that has sent nothing, as leasebeat_init makes it. Next: LEASEBEAT_EVENT_BEGIN or _CREATED (L1).
///
/// @param fleet     changed, where the call succeeds
/// @param class_id  of leasebeat_fleet_add_class
/// @param id        names the lease in this fleet: never 0, and never the name of another lease (FL1)
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED, _FLEET_CLASS, _FLEET_FULL
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_insert(
    fleet: *mut leasebeat_fleet_t,
    class_id: u16,
    id: *mut u64,
) -> leasebeat_status_t {
    let insert = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(id)?;
        // SAFETY: as before.
        let inserted = unsafe { found.with(|fleet| fleet.insert(ClassId::new(class_id))) };
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { id.write(inserted.map_err(refused)?.to_u64()) };
        Ok(())
    };
    insert().err().unwrap_or(LEASEBEAT_OK)
}

/// Adds a lease that goes on as a heartbeat would, with the config of the class from here on: one that was restored from
/// a snapshot, or kept alone so far.
///
/// @param fleet      changed, where the call succeeds
/// @param class_id   of leasebeat_fleet_add_class
/// @param heartbeat  read, not kept
/// @param id         as in leasebeat_fleet_insert
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED, _FLEET_CLASS, _FLEET_FULL
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_adopt(
    fleet: *mut leasebeat_fleet_t,
    class_id: u16,
    heartbeat: *const leasebeat_heartbeat_t,
    id: *mut u64,
) -> leasebeat_status_t {
    let adopt = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(id)?;
        // SAFETY: as before.
        let kernel = *unsafe { peek(heartbeat) }?;
        apart(id, heartbeat)?;
        // SAFETY: as before; the heartbeat was copied.
        let adopted = unsafe { found.with(|fleet| fleet.adopt(ClassId::new(class_id), &kernel)) };
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { id.write(adopted.map_err(refused)?.to_u64()) };
        Ok(())
    };
    adopt().err().unwrap_or(LEASEBEAT_OK)
}

/// Forgets a lease, whatever it is doing; its memory is free for another. An answer that comes later has a stale id. The
/// server is told nothing.
///
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _UNINITIALIZED, _FLEET_ID
///
/// # Safety
/// It is the caller's, in full, and nobody else uses it meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_remove(
    fleet: *mut leasebeat_fleet_t,
    id: u64,
) -> leasebeat_status_t {
    let remove = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        // SAFETY: as before.
        unsafe { found.with(|fleet| fleet.remove(LeaseId::from_u64(id))) }.map_err(refused)
    };
    remove().err().unwrap_or(LEASEBEAT_OK)
}

/// Takes in one event of a lease that happened at `now_ns`, and says what to do for it. As leasebeat_handle.
///
/// @param fleet     changed, where the call succeeds
/// @param id        whose event
/// @param event     what happened; read, not kept
/// @param now_ns    of the one clock of the fleet
/// @param decision  what to do; may not lie in the fleet
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED, _FLEET_ID; of the event as
///         leasebeat_handle
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_handle(
    fleet: *mut leasebeat_fleet_t,
    id: u64,
    event: *const leasebeat_event_t,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    let handle = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(decision)?;
        sound(event)?;
        // SAFETY: sound, and the caller's; any bytes are an event. It is taken apart before the fleet is touched.
        let event = event_of(unsafe { &*event })?;
        let now = Instant::from_nanos(now_ns);
        // SAFETY: as before.
        let decided = unsafe { found.with(|fleet| fleet.handle(LeaseId::from_u64(id), event, now)) };
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe { write_decision(decision, &decided.map_err(refused)?) };
        Ok(())
    };
    handle().err().unwrap_or(LEASEBEAT_OK)
}

/// What is due at `now_ns`: one lease and its decision, in the order of the deadlines. Call it until nothing is due. The
/// decision may be a wait, where a beat can be skipped (F5): then there is nothing to do for that lease.
///
/// @param fleet     changed, where a lease is due
/// @param now_ns    of the one clock of the fleet
/// @param id        the lease; may not lie in the fleet
/// @param decision  what to do for it; may lie neither in the fleet nor in the id
/// @return LEASEBEAT_OK; LEASEBEAT_NOTHING_DUE; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the fleet meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_fleet_poll(
    fleet: *mut leasebeat_fleet_t,
    now_ns: u64,
    id: *mut u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    let poll = || -> Checked {
        // SAFETY: by this function's contract.
        let found = unsafe { find(fleet) }?;
        found.output(id)?;
        found.output(decision)?;
        apart(id, decision)?;
        // SAFETY: as before.
        let polled = unsafe { found.with(|fleet| fleet.poll(Instant::from_nanos(now_ns))) };
        let (due, decided) = polled.ok_or(LEASEBEAT_NOTHING_DUE)?;
        // SAFETY: sound, the caller's, and not in the fleet.
        unsafe {
            id.write(due.to_u64());
            write_decision(decision, &decided);
        }
        Ok(())
    };
    poll().err().unwrap_or(LEASEBEAT_OK)
}
