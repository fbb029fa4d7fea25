//! Errors of the ABI as exceptions.

use leasebeat_ffi::leasebeat_status_t as status;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

use crate::text;

create_exception!(
    leasebeat,
    LeasebeatError,
    PyException,
    "What leasebeat refuses; nothing has changed then."
);
create_exception!(leasebeat, Misuse, LeasebeatError, "The event cannot happen now (L2). Drop it, and go on.");
create_exception!(
    leasebeat,
    UnexpectedEvent,
    Misuse,
    "A report of the wrong kind, or with nothing in flight."
);
create_exception!(
    leasebeat,
    StaleAttempt,
    Misuse,
    "A late answer to another attempt than the one in flight."
);
create_exception!(
    leasebeat,
    SnapshotError,
    LeasebeatError,
    "The bytes are no snapshot that can be restored."
);

/// Whether the call did what it says: false where there is none of what was asked for.
#[inline]
pub(crate) fn done(result: status) -> PyResult<bool> {
    match result {
        status::LEASEBEAT_OK => Ok(true),
        status::LEASEBEAT_NONE => Ok(false),
        refused => Err(refusal(refused)),
    }
}

#[cold]
fn refusal(refused: status) -> PyErr {
    let what = text::of_status(refused as i32);
    match refused {
        status::LEASEBEAT_ERROR_UNEXPECTED_EVENT => UnexpectedEvent::new_err(what),
        status::LEASEBEAT_ERROR_STALE_ATTEMPT => StaleAttempt::new_err(what),
        status::LEASEBEAT_ERROR_SNAPSHOT_FORMAT
        | status::LEASEBEAT_ERROR_SNAPSHOT_CHECKSUM
        | status::LEASEBEAT_ERROR_SNAPSHOT_VALUE
        | status::LEASEBEAT_ERROR_SIZE => SnapshotError::new_err(what),
        // The rest this package has checked before it calls, or cannot happen.
        _ => PyValueError::new_err(what),
    }
}
