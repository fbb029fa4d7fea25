//! Events: a class for each kind, immutable, each with the ABI's flat struct inside.

use std::hash::{DefaultHasher, Hash, Hasher};

use leasebeat_ffi::leasebeat_event_kind_t as kind;
use leasebeat_ffi::{
    LEASEBEAT_EVENT_HAS_ATTEMPT, LEASEBEAT_EVENT_HAS_ERROR_CODE, LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS,
    LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS, LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS, LEASEBEAT_EVENT_HAS_RTT_NS,
    leasebeat_event_t, leasebeat_failure_t,
};
use pyo3::PyClass;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::number::{named, number, optional};
use crate::text;

type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// Something that happened. Its kinds are Begin, Created, Denied, Extended, Failed, Tick, TimingLost and Close.
#[pyclass(frozen, subclass, module = "leasebeat")]
pub(crate) struct Event {
    pub(crate) raw: leasebeat_event_t,
}

const FAILURES: [&str; 4] = ["timeout", "connection", "ambiguous", "http"];

fn of_failure(number: u8) -> &'static str {
    FAILURES.get(usize::from(number).wrapping_sub(1)).copied().unwrap_or("unknown")
}

const HTTP: u8 = leasebeat_failure_t::LEASEBEAT_FAILURE_HTTP as u8;

impl Event {
    fn of(kind: kind) -> Self {
        Self { raw: leasebeat_event_t { kind: kind as u8, ..leasebeat_event_t::default() } }
    }

    fn in_class<K: PyClass<BaseType = Self>>(self, kind: K) -> PyClassInitializer<K> {
        PyClassInitializer::from(self).add_subclass(kind)
    }

    fn put(&mut self, bit: u8, value: Option<u64>) -> u64 {
        self.raw.present |= if value.is_some() { bit } else { 0 };
        value.unwrap_or(0)
    }

    fn answering(mut self, attempt: Given<'_, '_>) -> PyResult<Self> {
        let attempt = optional("attempt", attempt, 0, u32::MAX.into())?;
        self.raw.attempt = u32::try_from(self.put(LEASEBEAT_EVENT_HAS_ATTEMPT, attempt)).unwrap_or(0);
        Ok(self)
    }

    fn succeeding(
        mut self,
        rtt_ns: Given<'_, '_>,
        remaining_ttl_ms: Given<'_, '_>,
        expires_at_ms: Given<'_, '_>,
    ) -> PyResult<Self> {
        let rtt_ns = optional("rtt_ns", rtt_ns, 0, u64::MAX)?;
        let remaining_ttl_ms = optional("remaining_ttl_ms", remaining_ttl_ms, 0, u64::MAX)?;
        let expires_at_ms = optional("expires_at_ms", expires_at_ms, 0, u64::MAX)?;
        self.raw.rtt_ns = self.put(LEASEBEAT_EVENT_HAS_RTT_NS, rtt_ns);
        self.raw.remaining_ttl_ms = self.put(LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS, remaining_ttl_ms);
        self.raw.expires_at_ms = self.put(LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS, expires_at_ms);
        Ok(self)
    }

    fn present(&self, bit: u8, value: u64) -> Option<u64> {
        (self.raw.present & bit != 0).then_some(value)
    }
}

#[pymethods]
impl Event {
    #[getter]
    fn attempt(&self) -> Option<u64> {
        self.present(LEASEBEAT_EVENT_HAS_ATTEMPT, self.raw.attempt.into())
    }

    #[getter]
    fn rtt_ns(&self) -> Option<u64> {
        self.present(LEASEBEAT_EVENT_HAS_RTT_NS, self.raw.rtt_ns)
    }

    #[getter]
    fn remaining_ttl_ms(&self) -> Option<u64> {
        self.present(LEASEBEAT_EVENT_HAS_REMAINING_TTL_MS, self.raw.remaining_ttl_ms)
    }

    #[getter]
    fn expires_at_ms(&self) -> Option<u64> {
        self.present(LEASEBEAT_EVENT_HAS_EXPIRES_AT_MS, self.raw.expires_at_ms)
    }

    #[getter]
    fn kind(&self) -> Option<&'static str> {
        (self.raw.failure != 0).then(|| of_failure(self.raw.failure))
    }

    #[getter]
    fn status(&self) -> Option<u16> {
        (self.raw.failure == HTTP).then_some(self.raw.http_status)
    }

    #[getter]
    fn code(&self) -> Option<&'static str> {
        self.present(LEASEBEAT_EVENT_HAS_ERROR_CODE, 0).map(|_| text::of_code(self.raw.error_code))
    }

    #[getter]
    fn retry_after_ms(&self) -> Option<u64> {
        self.present(LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS, self.raw.retry_after_ms)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Self>().is_ok_and(|other| other.get().raw == self.raw)
    }

    fn __hash__(&self) -> u64 {
        let raw = &self.raw;
        let mut hasher = DefaultHasher::new();
        (raw.kind, raw.failure, raw.error_code, raw.present, raw.attempt, raw.http_status).hash(&mut hasher);
        (raw.rtt_ns, raw.remaining_ttl_ms, raw.expires_at_ms, raw.retry_after_ms).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::event::shown(slf.as_any())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        crate::event::reduced(slf.as_any())
    }
}

/// `Name(field=value, ...)`, as a dataclass is shown.
pub(crate) fn shown(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let class = object.get_type();
    let fields = class.getattr("__match_args__")?.extract::<Vec<String>>()?;
    let mut parts = Vec::new();
    for field in fields {
        parts.push(format!("{field}={}", object.getattr(field.as_str())?.repr()?));
    }
    Ok(format!("{}({})", class.name()?, parts.join(", ")))
}

/// How it is pickled and copied: its class, and its fields in their order.
pub(crate) fn reduced<'py>(object: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let class = object.get_type();
    let fields = class.getattr("__match_args__")?.extract::<Vec<String>>()?;
    let values = fields.iter().map(|field| object.getattr(field.as_str())).collect::<PyResult<Vec<_>>>()?;
    Ok((class.into_any(), PyTuple::new(object.py(), values)?))
}

/// A kind without fields.
macro_rules! bare {
    ($($name:ident = $kind:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[pyclass(frozen, extends = Event, module = "leasebeat")]
        pub(crate) struct $name;

        #[pymethods]
        impl $name {
            #[classattr]
            fn __match_args__(py: Python<'_>) -> Bound<'_, PyTuple> {
                PyTuple::empty(py)
            }

            #[new]
            fn new() -> PyClassInitializer<Self> {
                Event::of(kind::$kind).in_class(Self)
            }
        }
    )*};
}

bare! {
    Begin = LEASEBEAT_EVENT_BEGIN, "Create the reservation through the kernel; only as the first thing (L1).";
    Tick = LEASEBEAT_EVENT_TICK, "Time passed: a timer fired, early or late.";
    TimingLost = LEASEBEAT_EVENT_TIMING_LOST, "The host slept, or its clock jumped: no measured time can be trusted (T6).";
    Close = LEASEBEAT_EVENT_CLOSE, "The work is done, or nobody wants the lease any more (L5).";
}

/// A success of either operation.
macro_rules! success {
    ($($name:ident = $kind:ident, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[pyclass(frozen, extends = Event, module = "leasebeat")]
        pub(crate) struct $name;

        #[pymethods]
        impl $name {
            #[classattr]
            fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
                PyTuple::new(py, ["rtt_ns", "remaining_ttl_ms", "expires_at_ms", "attempt"])
            }

            #[new]
            #[pyo3(signature = (rtt_ns=None, remaining_ttl_ms=None, expires_at_ms=None, attempt=None))]
            fn new(
                rtt_ns: Given<'_, '_>,
                remaining_ttl_ms: Given<'_, '_>,
                expires_at_ms: Given<'_, '_>,
                attempt: Given<'_, '_>,
            ) -> PyResult<PyClassInitializer<Self>> {
                let event = Event::of(kind::$kind).succeeding(rtt_ns, remaining_ttl_ms, expires_at_ms)?;
                Ok(event.answering(attempt)?.in_class(Self))
            }
        }
    )*};
}

success! {
    Created = LEASEBEAT_EVENT_CREATED, "A valid 200 to a create that was allowed; or a reservation that the host created itself.";
    Extended = LEASEBEAT_EVENT_EXTENDED, "A valid 200 to an extend. Without expires_at_ms it is ambiguous (C1).";
}

/// A valid 200 to a create that was denied, or to a dry run (L4).
#[pyclass(frozen, extends = Event, module = "leasebeat")]
pub(crate) struct Denied;

#[pymethods]
impl Denied {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["attempt"])
    }

    #[new]
    #[pyo3(signature = (attempt=None))]
    fn new(attempt: Given<'_, '_>) -> PyResult<PyClassInitializer<Self>> {
        Ok(Event::of(kind::LEASEBEAT_EVENT_DENIED).answering(attempt)?.in_class(Self))
    }
}

/// An attempt failed: "timeout", "connection", "ambiguous" (an answer that proves nothing), or "http".
#[pyclass(frozen, extends = Event, module = "leasebeat")]
pub(crate) struct Failed;

#[pymethods]
impl Failed {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["kind", "status", "code", "retry_after_ms", "attempt"])
    }

    #[new]
    #[pyo3(signature = (kind, status=None, code=None, retry_after_ms=None, attempt=None))]
    fn new(
        kind: &str,
        status: Given<'_, '_>,
        code: Option<&str>,
        retry_after_ms: Given<'_, '_>,
        attempt: Given<'_, '_>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let mut event = Event::of(kind::LEASEBEAT_EVENT_FAILED);
        event.raw.failure = named("kind", kind, of_failure)?;
        if event.raw.failure == HTTP {
            let Some(status) = status else {
                return Err(PyValueError::new_err("status is missing; a failure \"http\" has one"));
            };
            event.raw.http_status = u16::try_from(number("status", status, 0, u16::MAX.into())?).unwrap_or(0);
        } else if status.is_some() || code.is_some() || retry_after_ms.is_some() {
            return Err(PyValueError::new_err(format!(
                "status, code and retry_after_ms are of a failure \"http\"; this one is {kind:?}"
            )));
        }
        if let Some(code) = code {
            event.raw.error_code = named("code", code, text::of_code)?;
            event.raw.present |= LEASEBEAT_EVENT_HAS_ERROR_CODE;
        }
        let retry_after_ms = optional("retry_after_ms", retry_after_ms, 0, u64::MAX)?;
        event.raw.retry_after_ms = event.put(LEASEBEAT_EVENT_HAS_RETRY_AFTER_MS, retry_after_ms);
        Ok(event.answering(attempt)?.in_class(Self))
    }
}

/// The event that a raw struct of the ABI describes, in its class.
pub(crate) fn object(py: Python<'_>, raw: leasebeat_event_t) -> PyResult<Py<PyAny>> {
    const CREATED: u8 = kind::LEASEBEAT_EVENT_CREATED as u8;
    const EXTENDED: u8 = kind::LEASEBEAT_EVENT_EXTENDED as u8;
    const DENIED: u8 = kind::LEASEBEAT_EVENT_DENIED as u8;
    let event = Event { raw };
    Ok(match raw.kind {
        CREATED => Py::new(py, event.in_class(Created))?.into_any(),
        EXTENDED => Py::new(py, event.in_class(Extended))?.into_any(),
        DENIED => Py::new(py, event.in_class(Denied))?.into_any(),
        _ => Py::new(py, event.in_class(Failed))?.into_any(),
    })
}
