//! A heartbeat carried to another process or boot, as bytes.
//!
//! The format, all of it little-endian: the four bytes `LBS` and the version 1, the CRC-32 of what follows, then the words
//! of [`pack`] in their order.

use core::ffi::c_void;

use leasebeat::{Config, Fallback, Millis, Settings, Snapshot, SnapshotState, Stats};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_NULL, LEASEBEAT_ERROR_OVERLAP, LEASEBEAT_ERROR_SIZE,
    LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM, LEASEBEAT_ERROR_SNAPSHOT_FORMAT, LEASEBEAT_ERROR_SNAPSHOT_VALUE,
    LEASEBEAT_OK,
};
use crate::config::{fallback_number, fallback_of};
use crate::convert::{key_number, key_of, stop_number, stop_of, write_decision};
use crate::memory::{Checked, apart, bytes, overlap, peek, put, slice, sound};
use crate::types::{LEASEBEAT_SNAPSHOT_SIZE, leasebeat_decision_t, leasebeat_heartbeat_t};

const MAGIC: [u8; 4] = *b"LBS\x01";
/// Words behind the magic number and the checksum.
const WORDS: usize = LEASEBEAT_SNAPSHOT_SIZE / 8 - 1;

const HAS_REQUEST_TIMEOUT: u8 = 1;
const HAS_MAX_WAIT: u8 = 2;
const HAS_THROTTLED: u8 = 4;
const HAS_ZERO_DELAY: u8 = 8;
const HAS_FALLBACK: u8 = 16;

/// Writes what of a heartbeat still means something on another clock: LEASEBEAT_SNAPSHOT_SIZE bytes of a fixed,
/// versioned, little-endian format with a checksum. Take one after each decision to send and before the attempt leaves:
/// restored from an older one the heartbeat counts that send's `key_generation` again, and a key that was used would be
/// used twice.
///
/// @param heartbeat  read
/// @param snapshot   written; need not be aligned
/// @param size       its bytes, at least LEASEBEAT_SNAPSHOT_SIZE
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _OVERLAP, _UNINITIALIZED
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_snapshot(
    heartbeat: *const leasebeat_heartbeat_t,
    snapshot: *mut c_void,
    size: usize,
) -> leasebeat_status_t {
    let check = || {
        let out = snapshot.cast::<u8>();
        if out.is_null() {
            return Err(LEASEBEAT_ERROR_NULL);
        }
        if size < LEASEBEAT_SNAPSHOT_SIZE {
            return Err(LEASEBEAT_ERROR_SIZE);
        }
        bytes(out, size)?;
        if overlap(out, LEASEBEAT_SNAPSHOT_SIZE, heartbeat, size_of::<leasebeat_heartbeat_t>()) {
            return Err(LEASEBEAT_ERROR_OVERLAP);
        }
        // SAFETY: by this function's contract.
        Ok(unsafe { peek(heartbeat) }?.snapshot())
    };
    match check() {
        Err(error) => error,
        Ok(taken) => {
            // SAFETY: so many bytes are the caller's; an array of bytes needs no alignment.
            unsafe { snapshot.cast::<[u8; LEASEBEAT_SNAPSHOT_SIZE]>().write(encode(&taken)) };
            LEASEBEAT_OK
        }
    }
}

/// Makes a heartbeat of a snapshot, on a clock that reads `now_ns`, and says what it wants done first: what
/// LEASEBEAT_EVENT_TIMING_LOST would have it do (T6). A lease that was waiting for a beat is extended at once. An attempt
/// that was in flight may still be reported by its number.
///
/// @param heartbeat  memory to make it in, as in leasebeat_init
/// @param size       its bytes, `sizeof *heartbeat`
/// @param snapshot   read, not kept; need not be aligned
/// @param length     its bytes, LEASEBEAT_SNAPSHOT_SIZE
/// @param now_ns     as in leasebeat_handle
/// @param decision   what to do; may not lie in the heartbeat
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE, _OVERLAP; of the snapshot _SNAPSHOT_FORMAT,
///         _SNAPSHOT_CHECKSUM, _SNAPSHOT_VALUE
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_restore(
    heartbeat: *mut leasebeat_heartbeat_t,
    size: usize,
    snapshot: *const c_void,
    length: usize,
    now_ns: u64,
    decision: *mut leasebeat_decision_t,
) -> leasebeat_status_t {
    let check = || {
        sound(heartbeat)?;
        sound(decision)?;
        if size < size_of::<leasebeat_heartbeat_t>() {
            return Err(LEASEBEAT_ERROR_SIZE);
        }
        apart(decision, heartbeat)?;
        if snapshot.is_null() {
            return Err(LEASEBEAT_ERROR_NULL);
        }
        // SAFETY: by this function's contract.
        decode(unsafe { slice(snapshot.cast(), length) }?)
    };
    match check() {
        Err(error) => error,
        Ok(taken) => {
            let (kernel, decided) = taken.restore(leasebeat::Instant::from_nanos(now_ns));
            // SAFETY: both are sound, apart from each other, and the caller's.
            unsafe {
                put(heartbeat, kernel);
                write_decision(decision, &decided);
            }
            LEASEBEAT_OK
        }
    }
}

fn encode(snapshot: &Snapshot) -> [u8; LEASEBEAT_SNAPSHOT_SIZE] {
    let words = pack(snapshot).map(u64::to_le_bytes);
    let checksum = crc32(words.as_flattened()).to_le_bytes();
    let mut out = [0; LEASEBEAT_SNAPSHOT_SIZE];
    for (slot, byte) in out.iter_mut().zip(MAGIC.iter().chain(&checksum).chain(words.as_flattened())) {
        *slot = *byte;
    }
    out
}

fn decode(bytes: &[u8]) -> Checked<Snapshot> {
    if bytes.len() != LEASEBEAT_SNAPSHOT_SIZE {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    let (head, words) = bytes.split_at_checked(8).ok_or(LEASEBEAT_ERROR_SIZE)?;
    let (magic, checksum) = head.split_at_checked(4).ok_or(LEASEBEAT_ERROR_SIZE)?;
    if magic != MAGIC {
        return Err(LEASEBEAT_ERROR_SNAPSHOT_FORMAT);
    }
    if checksum != crc32(words).to_le_bytes() {
        return Err(LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM);
    }
    let mut packed = [0; WORDS];
    for (slot, word) in packed.iter_mut().zip(words.chunks_exact(8)) {
        *slot = word.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
    }
    let snapshot = unpack(&packed).ok_or(LEASEBEAT_ERROR_SNAPSHOT_VALUE)?;
    // Each snapshot has one form, so whatever `unpack` did not look at must be as `pack` writes it.
    if pack(&snapshot) == packed { Ok(snapshot) } else { Err(LEASEBEAT_ERROR_SNAPSHOT_VALUE) }
}

fn pack(snapshot: &Snapshot) -> [u64; WORDS] {
    let settings = Settings::from(snapshot.config);
    let (state, reason, throttled, in_fallback) = match snapshot.state {
        SnapshotState::Idle => (0, 0, None, false),
        SnapshotState::Creating => (1, 0, None, false),
        SnapshotState::Extending { fallback } => (2, 0, None, fallback),
        SnapshotState::Beat => (3, 0, None, false),
        SnapshotState::Recovery => (4, 0, None, false),
        SnapshotState::Fallback { throttled } => (5, 0, throttled, false),
        SnapshotState::Stopped(reason) => (6, stop_number(reason), None, false),
    };
    let bit = |set: bool, bit| if set { bit } else { 0 };
    let bits = bit(settings.request_timeout_ms.is_some(), HAS_REQUEST_TIMEOUT)
        | bit(settings.max_wait_ms.is_some(), HAS_MAX_WAIT)
        | bit(throttled.is_some(), HAS_THROTTLED)
        | bit(snapshot.zero_delay, HAS_ZERO_DELAY)
        | bit(in_fallback, HAS_FALLBACK);
    let pair = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
    let counted = snapshot.stats;
    [
        settings.extend_by_ms,
        settings.request_timeout_ms.unwrap_or(0),
        settings.clock_resolution_ns,
        settings.max_wait_ms.unwrap_or(0),
        snapshot.margin.get(),
        snapshot.cadence.get(),
        throttled.map_or(0, Millis::get),
        pair(counted.attempts, counted.extensions),
        pair(counted.failures, snapshot.key_generations),
        u64::from_le_bytes([
            state,
            reason,
            key_number(snapshot.key),
            fallback_number(settings.fallback),
            bits,
            0,
            0,
            0,
        ]),
        0,
    ]
}

fn unpack(words: &[u64; WORDS]) -> Option<Snapshot> {
    let [
        extend_by_ms,
        timeout,
        clock_resolution_ns,
        max_wait,
        margin,
        cadence,
        throttled,
        sent,
        failed,
        codes,
        _,
    ] = *words;
    let [state, reason, key, fallback, bits, ..] = codes.to_le_bytes();
    let known = |bit, value| (bits & bit != 0).then_some(value);
    let fallback: Fallback = fallback_of(fallback)?;
    let settings = Settings {
        extend_by_ms,
        request_timeout_ms: known(HAS_REQUEST_TIMEOUT, timeout),
        clock_resolution_ns,
        max_wait_ms: known(HAS_MAX_WAIT, max_wait),
        fallback,
    };
    let throttled = known(HAS_THROTTLED, throttled).map(Millis::new);
    let state = match state {
        0 => SnapshotState::Idle,
        1 => SnapshotState::Creating,
        2 => SnapshotState::Extending { fallback: bits & HAS_FALLBACK != 0 },
        3 => SnapshotState::Beat,
        4 => SnapshotState::Recovery,
        5 => SnapshotState::Fallback { throttled },
        6 => SnapshotState::Stopped(stop_of(reason)?),
        _ => return None,
    };
    let (attempts, extensions) = halves(sent);
    let (failures, key_generations) = halves(failed);
    let retries = attempts.saturating_sub(key_generations);
    Some(Snapshot {
        config: Config::new(settings).ok()?,
        state,
        key: key_of(key)?,
        margin: Millis::new(margin),
        cadence: Millis::new(cadence),
        zero_delay: bits & HAS_ZERO_DELAY != 0,
        stats: Stats { attempts, retries, extensions, failures },
        key_generations,
    })
}

#[allow(clippy::cast_possible_truncation)] // the halves, on purpose
const fn halves(word: u64) -> (u32, u32) {
    (word as u32, (word >> 32) as u32)
}

/// CRC-32 as zlib has it, a bit at a time: a snapshot is short, and a table would be long.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
        }
    }
    !crc
}
