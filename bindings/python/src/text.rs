//! The ABI's texts: static names, and texts written into a buffer.

use std::ffi::{CStr, c_char};

use leasebeat_ffi::{
    leasebeat_action_name, leasebeat_error_code_name, leasebeat_key_name, leasebeat_operation_name,
    leasebeat_rule_name, leasebeat_status_t as status, leasebeat_status_text, leasebeat_stop_name,
};
use pyo3::PyResult;

use crate::error::done;

fn known(name: *const c_char) -> &'static str {
    // SAFETY: every name of the ABI is static and ends with a NUL.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("unknown")
}

pub(crate) fn of_status(status: i32) -> &'static str {
    known(leasebeat_status_text(status))
}

pub(crate) fn of_action(action: u8) -> &'static str {
    known(leasebeat_action_name(action))
}

pub(crate) fn of_operation(operation: u8) -> &'static str {
    known(leasebeat_operation_name(operation))
}

pub(crate) fn of_key(key: u8) -> &'static str {
    known(leasebeat_key_name(key))
}

pub(crate) fn of_stop(reason: u8) -> &'static str {
    known(leasebeat_stop_name(reason))
}

pub(crate) fn of_rule(rule: u8) -> &'static str {
    known(leasebeat_rule_name(rule))
}

pub(crate) fn of_code(code: u8) -> &'static str {
    known(leasebeat_error_code_name(code))
}

/// The number that has this name.
pub(crate) fn number_of(name: &str, names: fn(u8) -> &'static str) -> Option<u8> {
    (1..=u8::MAX).find(|number| names(*number) == name)
}

/// Every name there is, for a message.
pub(crate) fn all(names: fn(u8) -> &'static str) -> String {
    let names: Vec<&str> = (1..=u8::MAX).map(names).filter(|name| *name != "unknown").collect();
    names.join(", ")
}

/// What `write` writes into a buffer of a capacity, with its length; `None` where there is nothing to write.
pub(crate) fn written(
    mut write: impl FnMut(*mut c_char, usize, *mut usize) -> status,
) -> PyResult<Option<String>> {
    let mut buffer = vec![0_u8; 1_024];
    let mut length = 0;
    if !done(write(buffer.as_mut_ptr().cast(), buffer.len(), &raw mut length))? {
        return Ok(None);
    }
    buffer.truncate(length);
    Ok(Some(String::from_utf8_lossy(&buffer).into_owned()))
}
