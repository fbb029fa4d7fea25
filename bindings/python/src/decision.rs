//! Decisions: a class for each action, immutable, each with the ABI's flat struct inside.

use std::hash::{DefaultHasher, Hash, Hasher};

use leasebeat_ffi::{
    LEASEBEAT_DECISION_HAS_TIMEOUT_MS, LEASEBEAT_DECISION_HAS_WAIT_MS, leasebeat_action_t,
    leasebeat_decision_t, leasebeat_describe,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::event::shown;
use crate::text::{self, written};

/// What to do now, and by which rule: Send, Wait or Stop.
#[pyclass(frozen, subclass, module = "leasebeat")]
pub(crate) struct Decision {
    pub(crate) raw: leasebeat_decision_t,
}

#[pymethods]
impl Decision {
    /// The rule that decided, such as "R5".
    #[getter]
    fn rule(&self) -> &'static str {
        text::of_rule(self.raw.rule)
    }

    /// "send", "wait" or "stop".
    #[getter]
    fn action(&self) -> &'static str {
        text::of_action(self.raw.action)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().raw == self.raw)
    }

    fn __hash__(&self) -> u64 {
        let raw = &self.raw;
        let mut hasher = DefaultHasher::new();
        (raw.action, raw.rule, raw.reason, raw.attempt, raw.key_generation, raw.wait_ms).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        shown(slf.as_any())
    }

    /// One line for a log.
    fn __str__(&self) -> PyResult<String> {
        // SAFETY: all are this function's own.
        let write = |buffer, capacity, length| unsafe {
            leasebeat_describe(&raw const self.raw, buffer, capacity, length)
        };
        Ok(written(write)?.unwrap_or_default())
    }
}

/// Send this attempt at once, and report what becomes of it.
#[pyclass(frozen, extends = Decision, module = "leasebeat")]
pub(crate) struct Send;

#[pymethods]
impl Send {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(
            py,
            ["operation", "key", "attempt", "key_generation", "extend_by_ms", "timeout_ms", "rule"],
        )
    }

    #[getter]
    fn operation(slf: PyRef<'_, Self>) -> &'static str {
        text::of_operation(slf.as_super().raw.operation)
    }

    #[getter]
    fn key(slf: PyRef<'_, Self>) -> &'static str {
        text::of_key(slf.as_super().raw.key)
    }

    #[getter]
    fn attempt(slf: PyRef<'_, Self>) -> u32 {
        slf.as_super().raw.attempt
    }

    #[getter]
    fn key_generation(slf: PyRef<'_, Self>) -> u32 {
        slf.as_super().raw.key_generation
    }

    #[getter]
    fn extend_by_ms(slf: PyRef<'_, Self>) -> u64 {
        slf.as_super().raw.extend_by_ms
    }

    #[getter]
    fn timeout_ms(slf: PyRef<'_, Self>) -> Option<u64> {
        let raw = &slf.as_super().raw;
        (raw.present & LEASEBEAT_DECISION_HAS_TIMEOUT_MS != 0).then_some(raw.timeout_ms)
    }
}

/// Do nothing for `ms`, 1 or more, then tick. None: until the next event.
#[pyclass(frozen, extends = Decision, module = "leasebeat")]
pub(crate) struct Wait;

#[pymethods]
impl Wait {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["ms", "rule"])
    }

    #[getter]
    fn ms(slf: PyRef<'_, Self>) -> Option<u64> {
        let raw = &slf.as_super().raw;
        (raw.present & LEASEBEAT_DECISION_HAS_WAIT_MS != 0).then_some(raw.wait_ms)
    }
}

/// The heartbeat has stopped, and says so to every further call.
#[pyclass(frozen, extends = Decision, module = "leasebeat")]
pub(crate) struct Stop;

#[pymethods]
impl Stop {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["reason", "rule"])
    }

    #[getter]
    fn reason(slf: PyRef<'_, Self>) -> &'static str {
        text::of_stop(slf.as_super().raw.reason)
    }
}

/// What was decided, in its class.
#[inline]
pub(crate) fn object(py: Python<'_>, raw: leasebeat_decision_t) -> PyResult<Py<PyAny>> {
    const SEND: u8 = leasebeat_action_t::LEASEBEAT_ACTION_SEND as u8;
    const WAIT: u8 = leasebeat_action_t::LEASEBEAT_ACTION_WAIT as u8;
    let decision = PyClassInitializer::from(Decision { raw });
    Ok(match raw.action {
        WAIT => Py::new(py, decision.add_subclass(Wait))?.into_any(),
        SEND => Py::new(py, decision.add_subclass(Send))?.into_any(),
        _ => Py::new(py, decision.add_subclass(Stop))?.into_any(),
    })
}
