//! Numbers that come in from Python: refused with the field, the value and the range.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

/// An integer from `least` to `most`. A bool is none, and neither is a float.
#[inline]
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) if (least..=most).contains(&number) && !value.is_instance_of::<PyBool>() => Ok(number),
        _ => Err(refused(name, value, least, most)),
    }
}

/// The same where None is a value.
#[inline]
pub(crate) fn optional(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    least: u64,
    most: u64,
) -> PyResult<Option<u64>> {
    value.map(|value| number(name, value, least, most)).transpose()
}

#[cold]
fn refused(name: &str, value: &Bound<'_, PyAny>, least: u64, most: u64) -> PyErr {
    let shown = value.repr().map_or_else(|_| "something".to_owned(), |text| text.to_string());
    let is_integer = !value.is_instance_of::<PyBool>()
        && (value.is_instance_of::<PyInt>() || value.hasattr("__index__").unwrap_or(false));
    if is_integer {
        PyValueError::new_err(format!("{name} is {shown}; it must be from {least} to {most}"))
    } else {
        PyTypeError::new_err(format!("{name} is {shown}; it must be an integer from {least} to {most}"))
    }
}

/// A name out of a few.
pub(crate) fn named(field: &str, name: &str, names: fn(u8) -> &'static str) -> PyResult<u8> {
    crate::text::number_of(name, names).ok_or_else(|| {
        PyValueError::new_err(format!("{field} is {name:?}; it must be one of {}", crate::text::all(names)))
    })
}
