//! Raw HTTP answers, and what a failure means.

use leasebeat_ffi::{
    LEASEBEAT_ANSWER_HAS_RETRY_AFTER, LEASEBEAT_DISPOSITION_HAS_RETRY_AFTER_MS, leasebeat_answer_t,
    leasebeat_classify, leasebeat_decode, leasebeat_decode_problem, leasebeat_decode_reservation_id,
    leasebeat_disposition_kind_t as kind, leasebeat_disposition_t, leasebeat_event_t,
    leasebeat_parse_retry_after, leasebeat_unknown_keys_t,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::done;
use crate::event::{self, Event};
use crate::number::{named, number};
use crate::text::{self, written};

/// The event to report, the reservation's id, and what is wrong.
type Decoded = (Py<PyAny>, Option<String>, Option<String>);

/// Decodes a raw HTTP answer to the event to report.
#[pyfunction]
#[pyo3(signature = (operation, status, body, retry_after, unknown_keys))]
pub(crate) fn decode(
    py: Python<'_>,
    operation: &str,
    status: &Bound<'_, PyAny>,
    body: &[u8],
    retry_after: Option<&[u8]>,
    unknown_keys: &str,
) -> PyResult<Decoded> {
    let unknown_keys = match unknown_keys {
        "reject" => leasebeat_unknown_keys_t::LEASEBEAT_UNKNOWN_KEYS_REJECT,
        "ignore" => leasebeat_unknown_keys_t::LEASEBEAT_UNKNOWN_KEYS_IGNORE,
        other => {
            let what = format!("unknown_keys is {other:?}; it must be \"reject\" or \"ignore\"");
            return Err(PyValueError::new_err(what));
        }
    };
    let answer = leasebeat_answer_t {
        operation: named("operation", operation, text::of_operation)?,
        unknown_keys: unknown_keys as u8,
        status: u16::try_from(number("status", status, 0, u16::MAX.into())?).unwrap_or(0),
        present: if retry_after.is_some() { LEASEBEAT_ANSWER_HAS_RETRY_AFTER } else { 0 },
        reserved: [0; 3],
        retry_after: retry_after.map_or(std::ptr::null(), |header| header.as_ptr().cast()),
        retry_after_length: retry_after.map_or(0, <[u8]>::len),
        body: body.as_ptr().cast(),
        body_length: body.len(),
    };
    let mut event = leasebeat_event_t::default();
    // SAFETY: the answer's bytes are borrowed for as long as this function runs.
    done(unsafe { leasebeat_decode(&raw const answer, &raw mut event) })?;
    // SAFETY: as before.
    let id = written(|buffer, capacity, length| unsafe {
        leasebeat_decode_reservation_id(&raw const answer, buffer, capacity, length)
    })?;
    // SAFETY: as before.
    let problem = written(|buffer, capacity, length| unsafe {
        leasebeat_decode_problem(&raw const answer, buffer, capacity, length)
    })?;
    Ok((event::object(py, event)?, id, problem))
}

const TRANSIENT: u8 = kind::LEASEBEAT_DISPOSITION_TRANSIENT as u8;
const THROTTLED: u8 = kind::LEASEBEAT_DISPOSITION_THROTTLED as u8;
const REJECTED: u8 = kind::LEASEBEAT_DISPOSITION_REJECTED as u8;
const PERMANENT: u8 = kind::LEASEBEAT_DISPOSITION_PERMANENT as u8;

/// What a failure means: its kind, the reason it would stop for, and a Retry-After in ms.
#[pyfunction]
pub(crate) fn classify(
    operation: &str,
    failed: PyRef<'_, Event>,
) -> PyResult<(&'static str, Option<&'static str>, Option<u64>)> {
    let operation = named("operation", operation, text::of_operation)?;
    let mut disposition = leasebeat_disposition_t::default();
    // SAFETY: all are this function's own, or borrowed.
    done(unsafe { leasebeat_classify(operation, &raw const failed.raw, &raw mut disposition) })?;
    let name = match disposition.kind {
        TRANSIENT => "transient",
        THROTTLED => "throttled",
        REJECTED => "rejected",
        PERMANENT => "permanent",
        _ => "unexpected-status",
    };
    let reason = (disposition.reason != 0).then(|| text::of_stop(disposition.reason));
    let has_delay = disposition.present & LEASEBEAT_DISPOSITION_HAS_RETRY_AFTER_MS != 0;
    Ok((name, reason, has_delay.then_some(disposition.retry_after_ms)))
}

/// The value of a Retry-After header in ms; None where it is not valid, and counts as absent (C5).
#[pyfunction]
pub(crate) fn parse_retry_after(header: &[u8]) -> PyResult<Option<u64>> {
    let mut retry_after_ms = 0;
    // SAFETY: the header is borrowed for as long as this function runs.
    let valid = done(unsafe {
        leasebeat_parse_retry_after(header.as_ptr().cast(), header.len(), &raw mut retry_after_ms)
    })?;
    Ok(valid.then_some(retry_after_ms))
}
