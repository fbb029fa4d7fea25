//! What an answer is, where the host has read it itself.

use core::ffi::c_char;

use leasebeat::{Disposition, Millis, classify, parse_retry_after};

use crate::codes::leasebeat_disposition_kind_t::{
    LEASEBEAT_DISPOSITION_PERMANENT, LEASEBEAT_DISPOSITION_REJECTED, LEASEBEAT_DISPOSITION_THROTTLED,
    LEASEBEAT_DISPOSITION_TRANSIENT, LEASEBEAT_DISPOSITION_UNEXPECTED_STATUS,
};
use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_NOT_A_FAILURE, LEASEBEAT_ERROR_OPERATION, LEASEBEAT_ERROR_OVERLAP,
    LEASEBEAT_ERROR_RESERVED, LEASEBEAT_NONE, LEASEBEAT_OK,
};
use crate::convert::{FAILED, failure_of, has_reserved, operation_of, stop_number};
use crate::memory::{apart, overlap, slice, sound};
use crate::raw::leasebeat_operation_t;
use crate::types::{LEASEBEAT_DISPOSITION_HAS_RETRY_AFTER_MS, leasebeat_disposition_t, leasebeat_event_t};

/// What the failure of an attempt means for the lease. The heartbeat classifies what it is told by itself; this is for
/// a host that wants to know.
///
/// @param operation    what the attempt asked for
/// @param event        a failure: of the kind LEASEBEAT_EVENT_FAILED
/// @param disposition  written
/// @return LEASEBEAT_OK; LEASEBEAT_ERROR_NULL, _MISALIGNED, _OVERLAP, _OPERATION, _NOT_A_FAILURE; of the event
///         _RESERVED, _PRESENT, _FAILURE, _ERROR_CODE
///
/// # Safety
/// All are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_classify(
    operation: leasebeat_operation_t,
    event: *const leasebeat_event_t,
    disposition: *mut leasebeat_disposition_t,
) -> leasebeat_status_t {
    let check = || {
        sound(disposition)?;
        sound(event)?;
        apart(disposition, event)?;
        // SAFETY: sound, and the caller's; any bytes are an event.
        let event = unsafe { &*event };
        let operation = operation_of(operation).ok_or(LEASEBEAT_ERROR_OPERATION)?;
        if has_reserved(event) {
            return Err(LEASEBEAT_ERROR_RESERVED);
        }
        if event.kind != FAILED {
            return Err(LEASEBEAT_ERROR_NOT_A_FAILURE);
        }
        Ok(classify(operation, &failure_of(event)?))
    };
    match check() {
        Err(error) => error,
        Ok(found) => {
            // SAFETY: sound, and the caller's.
            unsafe { disposition.write(disposition_from(found)) };
            LEASEBEAT_OK
        }
    }
}

/// Parses the value of a Retry-After header (C5): decimal seconds with spaces and tabs around them, and nothing else.
///
/// @param header          its bytes, not NUL-terminated; NULL only with a length of 0
/// @param length          how many
/// @param retry_after_ms  written
/// @return LEASEBEAT_OK; LEASEBEAT_NONE: it is not valid, and counts as absent; LEASEBEAT_ERROR_NULL, _MISALIGNED, _SIZE,
///         _OVERLAP
///
/// # Safety
/// Both are the caller's, in full.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leasebeat_parse_retry_after(
    header: *const c_char,
    length: usize,
    retry_after_ms: *mut u64,
) -> leasebeat_status_t {
    let check = || {
        sound(retry_after_ms)?;
        // SAFETY: by this function's contract.
        let bytes = unsafe { slice(header.cast(), length) }?;
        if overlap(retry_after_ms, size_of::<u64>(), header, length) {
            return Err(LEASEBEAT_ERROR_OVERLAP);
        }
        Ok(parse_retry_after(bytes))
    };
    match check() {
        Err(error) => error,
        Ok(None) => LEASEBEAT_NONE,
        Ok(Some(delay)) => {
            // SAFETY: sound, and the caller's.
            unsafe { retry_after_ms.write(delay.get()) };
            LEASEBEAT_OK
        }
    }
}

fn disposition_from(disposition: Disposition) -> leasebeat_disposition_t {
    let mut out = leasebeat_disposition_t::default();
    out.kind = match disposition {
        Disposition::Transient => LEASEBEAT_DISPOSITION_TRANSIENT,
        Disposition::Throttled(delay) => {
            out.present = if delay.is_some() { LEASEBEAT_DISPOSITION_HAS_RETRY_AFTER_MS } else { 0 };
            out.retry_after_ms = delay.map_or(0, Millis::get);
            LEASEBEAT_DISPOSITION_THROTTLED
        }
        Disposition::Permanent(reason) => {
            out.reason = stop_number(reason);
            LEASEBEAT_DISPOSITION_PERMANENT
        }
        Disposition::Rejected => LEASEBEAT_DISPOSITION_REJECTED,
        Disposition::UnexpectedStatus => LEASEBEAT_DISPOSITION_UNEXPECTED_STATUS,
    } as u8;
    out
}
