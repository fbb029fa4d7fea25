//! Versions, sizes and the configuration.

use core::ffi::c_char;

use leasebeat::{Config, ConfigError, ConfigField, Fallback, Millis, Plan, Settings};

use crate::codes::leasebeat_fallback_t as fallback;
use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_CLOCK_RESOLUTION_NS, LEASEBEAT_ERROR_EXTEND_BY_MS, LEASEBEAT_ERROR_FALLBACK,
    LEASEBEAT_ERROR_MAX_WAIT_MS, LEASEBEAT_ERROR_PRESENT, LEASEBEAT_ERROR_REQUEST_TIMEOUT_MS,
    LEASEBEAT_ERROR_RESERVED, LEASEBEAT_ERROR_SIZE, LEASEBEAT_OK,
};
use crate::memory::{Checked, apart, bytes, sound};
use crate::text::Buffer;
use crate::types::{
    LEASEBEAT_ABI_VERSION, LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS, LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS,
    leasebeat_config_t, leasebeat_heartbeat_t, leasebeat_plan_t,
};
use crate::view::plan_from;

/// The ABI version of this library; compare it with LEASEBEAT_ABI_VERSION where a library is loaded at run time.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_abi_version() -> u32 {
    LEASEBEAT_ABI_VERSION
}

/// The bytes of a heartbeat in this library, for languages that cannot read this header. It is a multiple of 8, and so
/// is the alignment that the memory needs.
#[unsafe(no_mangle)]
pub extern "C" fn leasebeat_sizeof() -> usize {
    size_of::<leasebeat_heartbeat_t>()
}

/// The smallest config there has been: that of the first version.
const FIRST_SIZE: u32 = 48;
const SIZE: u32 = 48;
const _: () = assert!(SIZE as usize == size_of::<leasebeat_config_t>());
/// No config will be larger, so a larger size is a mistake.
const SIZE_MAX: u32 = 4_096;

/// Fills a config with the defaults: no request timeout, an exact clock, no longest wait, the fallback allowed.
///
/// @param config        written
/// @param size          `sizeof *config`
/// @param extend_by_ms  how much each extension asks for; checked by leasebeat_init
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE
///
/// # Safety
/// It is the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_config_init(
    config: *mut leasebeat_config_t,
    size: usize,
    extend_by_ms: u64,
) -> leasebeat_status_t {
    if let Err(error) = sound(config) {
        return error;
    }
    let size = u32::try_from(size).unwrap_or(u32::MAX);
    if !(FIRST_SIZE..=SIZE_MAX).contains(&size) {
        return LEASEBEAT_ERROR_SIZE;
    }
    if let Err(error) = bytes(config.cast(), size as usize) {
        return error;
    }
    // SAFETY: sound, and `size` bytes of it are the caller's; a newer caller's tail is zero, which is its default.
    unsafe {
        config.cast::<u8>().write_bytes(0, size as usize);
        (*config).size = size;
        (*config).extend_by_ms = extend_by_ms;
    }
    LEASEBEAT_OK
}

/// Whether a config can be used, and why not: a sentence that names the field, its value and its range.
///
/// @param config    read
/// @param buffer    the sentence, empty for a config that can be used; NULL only with a capacity of 0
/// @param capacity  its bytes; a longer text is cut between two characters, and always ends with a NUL
/// @param length    the length of the whole text without its NUL, in bytes; may be NULL
/// @return LEASEBEAT_OK; of the arguments LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _SIZE; of the config _SIZE,
///         _RESERVED, _PRESENT, _FALLBACK, _EXTEND_BY_MS, _REQUEST_TIMEOUT_MS, _CLOCK_RESOLUTION_NS or _MAX_WAIT_MS.
///         The text is written with the last four too.
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_config_check(
    config: *const leasebeat_config_t,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> leasebeat_status_t {
    let check = || {
        let buffer = Buffer::new(buffer, capacity, length)?;
        // SAFETY: by this function's contract.
        let settings = unsafe { settings_of(config) }?;
        // SAFETY: as before; the size was found to be in range.
        buffer.apart(config.cast(), unsafe { (*config).size } as usize)?;
        Ok((buffer, settings))
    };
    match check() {
        Err(error) => error,
        Ok((buffer, settings)) => match Config::new(settings) {
            // SAFETY: the buffer is the caller's, and lies apart.
            Ok(_) => unsafe {
                buffer.write(|_| Ok(()));
                LEASEBEAT_OK
            },
            // SAFETY: as before.
            Err(error) => unsafe {
                buffer.write(|writer| error.write_to(writer));
                refused(&error)
            },
        },
    }
}

/// What a config comes to before anything is sent: the cadence, or the dead zone and the largest safe timeout.
///
/// @param config      read
/// @param lead_ms     the least `remaining_ttl_ms` to expect, less the round trip
/// @param max_rtt_ms  the slowest round trip to expect
/// @param plan        written
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP; as leasebeat_config_check
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_plan_config(
    config: *const leasebeat_config_t,
    lead_ms: u64,
    max_rtt_ms: u64,
    plan: *mut leasebeat_plan_t,
) -> leasebeat_status_t {
    let check = || {
        sound(plan)?;
        // SAFETY: by this function's contract.
        let parsed = unsafe { config_of(config) }?;
        apart(plan, config)?;
        Ok(parsed)
    };
    match check() {
        Err(error) => error,
        Ok(config) => {
            let planned = Plan::new(&config, Millis::new(lead_ms), Millis::new(max_rtt_ms));
            // SAFETY: sound, and the caller's.
            unsafe { plan.write(plan_from(&planned)) };
            LEASEBEAT_OK
        }
    }
}

/// The configuration at `config`.
///
/// # Safety
/// As many bytes as its size says are the caller's to read.
pub(crate) unsafe fn config_of(config: *const leasebeat_config_t) -> Checked<Config> {
    // SAFETY: by this function's contract.
    let settings = unsafe { settings_of(config) }?;
    Config::new(settings).map_err(|error| refused(&error))
}

/// # Safety
/// As of [`config_of`].
unsafe fn settings_of(config: *const leasebeat_config_t) -> Checked<Settings> {
    sound(config)?;
    // SAFETY: sound, and every config begins with its size.
    let size = unsafe { (*config).size };
    if !(FIRST_SIZE..=SIZE_MAX).contains(&size) {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    bytes(config.cast(), size as usize)?;
    for offset in SIZE..size {
        // SAFETY: within the size that the config has.
        if unsafe { config.cast::<u8>().add(offset as usize).read() } != 0 {
            return Err(LEASEBEAT_ERROR_RESERVED);
        }
    }
    // SAFETY: sound, and so large; any bytes are a config.
    let config = unsafe { &*config };
    if config.reserved != [0; 7] {
        return Err(LEASEBEAT_ERROR_RESERVED);
    }
    let known = LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS | LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS;
    if config.present & !known != 0 {
        return Err(LEASEBEAT_ERROR_PRESENT);
    }
    let present = |bit, value| (config.present & bit != 0).then_some(value);
    Ok(Settings {
        extend_by_ms: config.extend_by_ms,
        request_timeout_ms: present(LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS, config.request_timeout_ms),
        clock_resolution_ns: config.clock_resolution_ns,
        max_wait_ms: present(LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS, config.max_wait_ms),
        fallback: fallback_of(config.fallback).ok_or(LEASEBEAT_ERROR_FALLBACK)?,
    })
}

crate::convert::numbered! {
    fallback_number, fallback_of, Fallback, fallback:
    Band = LEASEBEAT_FALLBACK_BAND,
    Refuse = LEASEBEAT_FALLBACK_REFUSE,
}

fn refused(error: &ConfigError) -> leasebeat_status_t {
    match error.field {
        ConfigField::RequestTimeoutMs => LEASEBEAT_ERROR_REQUEST_TIMEOUT_MS,
        ConfigField::ClockResolutionNs => LEASEBEAT_ERROR_CLOCK_RESOLUTION_NS,
        ConfigField::MaxWaitMs => LEASEBEAT_ERROR_MAX_WAIT_MS,
        _ => LEASEBEAT_ERROR_EXTEND_BY_MS,
    }
}
