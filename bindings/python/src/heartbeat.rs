//! One lease's kernel: the ABI's handle inside a Python object.

use leasebeat_ffi::{
    LEASEBEAT_SNAPSHOT_SIZE, leasebeat_danger, leasebeat_decision_t, leasebeat_explain, leasebeat_fence,
    leasebeat_handle, leasebeat_heartbeat_t, leasebeat_held_for, leasebeat_in_flight, leasebeat_init,
    leasebeat_lead, leasebeat_next_deadline, leasebeat_plan, leasebeat_plan_t, leasebeat_restore,
    leasebeat_snapshot, leasebeat_stats, leasebeat_stats_t, leasebeat_status_t as status, leasebeat_stopped,
    leasebeat_tick,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::config::{Planned, parsed, planned};
use crate::decision::{self, Decision};
use crate::error::done;
use crate::event::Event;
use crate::number::number;
use crate::text::{self, written};

/// The kernel of one lease: tell it what happens and when, and do what it decides.
#[pyclass(subclass, module = "leasebeat")]
pub(crate) struct Heartbeat {
    handle: leasebeat_heartbeat_t,
}

const SIZE: usize = size_of::<leasebeat_heartbeat_t>();

#[inline]
fn now(now_ns: &Bound<'_, PyAny>) -> PyResult<u64> {
    number("now_ns", now_ns, 0, u64::MAX)
}

impl Heartbeat {
    fn empty() -> Self {
        Self { handle: leasebeat_heartbeat_t { opaque: [0; _] } }
    }

    /// A reading that may not be there.
    fn read(
        &self,
        read: unsafe extern "C" fn(*const leasebeat_heartbeat_t, *mut u64) -> status,
    ) -> PyResult<Option<u64>> {
        let mut value = 0;
        // SAFETY: both are this function's own.
        let there = done(unsafe { read(&raw const self.handle, &raw mut value) })?;
        Ok(there.then_some(value))
    }
}

#[pymethods]
impl Heartbeat {
    #[new]
    fn new(config: &Bound<'_, PyAny>) -> PyResult<Self> {
        let config = parsed(config)?;
        let mut new = Self::empty();
        // SAFETY: all are this function's own.
        done(unsafe { leasebeat_init(&raw mut new.handle, SIZE, &raw const config) })?;
        Ok(new)
    }

    /// Takes in one event that happened at now_ns, and says what to do.
    #[inline]
    fn handle(
        &mut self,
        py: Python<'_>,
        event: PyRef<'_, Event>,
        now_ns: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let now_ns = now(now_ns)?;
        let mut decided = leasebeat_decision_t::default();
        // SAFETY: all are this function's own, or borrowed.
        done(unsafe {
            leasebeat_handle(&raw mut self.handle, &raw const event.raw, now_ns, &raw mut decided)
        })?;
        decision::object(py, decided)
    }

    /// What is due at now_ns: the same as Tick.
    #[inline]
    fn tick(&mut self, py: Python<'_>, now_ns: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let now_ns = now(now_ns)?;
        let mut decided = leasebeat_decision_t::default();
        // SAFETY: all are this function's own.
        done(unsafe { leasebeat_tick(&raw mut self.handle, now_ns, &raw mut decided) })?;
        decision::object(py, decided)
    }

    #[getter]
    fn next_deadline_ns(&self) -> PyResult<Option<u64>> {
        self.read(leasebeat_next_deadline)
    }

    #[getter]
    fn fence_ns(&self) -> PyResult<Option<u64>> {
        self.read(leasebeat_fence)
    }

    #[getter]
    fn danger_ns(&self) -> PyResult<Option<u64>> {
        self.read(leasebeat_danger)
    }

    fn lead_ms(&self, now_ns: &Bound<'_, PyAny>) -> PyResult<u64> {
        let mut lead_ms = 0;
        // SAFETY: both are this function's own.
        done(unsafe { leasebeat_lead(&raw const self.handle, now(now_ns)?, &raw mut lead_ms) })?;
        Ok(lead_ms)
    }

    fn held_for(&self, duration_ms: &Bound<'_, PyAny>, now_ns: &Bound<'_, PyAny>) -> PyResult<bool> {
        let duration_ms = number("duration_ms", duration_ms, 0, u64::MAX)?;
        let mut held = false;
        // SAFETY: both are this function's own.
        done(unsafe {
            leasebeat_held_for(&raw const self.handle, duration_ms, now(now_ns)?, &raw mut held)
        })?;
        Ok(held)
    }

    #[getter]
    fn in_flight(&self) -> PyResult<Option<u32>> {
        let mut attempt = 0;
        // SAFETY: both are this function's own.
        let there = done(unsafe { leasebeat_in_flight(&raw const self.handle, &raw mut attempt) })?;
        Ok(there.then_some(attempt))
    }

    #[getter]
    fn stopped(&self) -> PyResult<Option<&'static str>> {
        let mut reason = 0;
        // SAFETY: both are this function's own.
        let there = done(unsafe { leasebeat_stopped(&raw const self.handle, &raw mut reason) })?;
        Ok(there.then(|| text::of_stop(reason)))
    }

    /// attempts, retries, extensions, failures.
    fn _stats(&self) -> PyResult<(u32, u32, u32, u32)> {
        let mut stats = leasebeat_stats_t::default();
        // SAFETY: both are this function's own.
        done(unsafe { leasebeat_stats(&raw const self.handle, &raw mut stats) })?;
        Ok((stats.attempts, stats.retries, stats.extensions, stats.failures))
    }

    fn _plan(&self) -> PyResult<Planned> {
        let mut plan = leasebeat_plan_t::default();
        // SAFETY: both are this function's own.
        done(unsafe { leasebeat_plan(&raw const self.handle, &raw mut plan) })?;
        Ok(planned(&plan))
    }

    /// Why the heartbeat decided so: the rule, the numbers, and what can be done about a stop.
    fn explain(&self, decision: PyRef<'_, Decision>) -> PyResult<String> {
        // SAFETY: all are this function's own, or borrowed.
        let write = |buffer, capacity, length| unsafe {
            leasebeat_explain(&raw const self.handle, &raw const decision.raw, buffer, capacity, length)
        };
        Ok(written(write)?.unwrap_or_default())
    }

    /// What of it still means something in another process or boot: bytes of a fixed, versioned format.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = [0_u8; LEASEBEAT_SNAPSHOT_SIZE];
        // SAFETY: both are this function's own.
        done(unsafe { leasebeat_snapshot(&raw const self.handle, bytes.as_mut_ptr().cast(), bytes.len()) })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Makes this heartbeat that of a snapshot, and says what it wants done first (T6).
    fn _restore(
        &mut self,
        py: Python<'_>,
        snapshot: &[u8],
        now_ns: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let now_ns = now(now_ns)?;
        let (mut restored, mut decided) = (Self::empty(), leasebeat_decision_t::default());
        // SAFETY: all are this function's own, or borrowed.
        done(unsafe {
            leasebeat_restore(
                &raw mut restored.handle,
                SIZE,
                snapshot.as_ptr().cast(),
                snapshot.len(),
                now_ns,
                &raw mut decided,
            )
        })?;
        self.handle = restored.handle;
        decision::object(py, decided)
    }

    /// Nothing, through the same bridge and with the same arguments: what a call costs that does nothing.
    #[allow(clippy::unused_self)] // a method, as those it is compared with
    fn _noop(&mut self, event: PyRef<'_, Event>, now_ns: &Bound<'_, PyAny>) {
        let _ = (event, now_ns);
    }

    fn __copy__(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let class = slf.get_type();
        let copy = class.call_method1("__new__", (class.clone(), slf.getattr("config")?))?;
        copy.cast::<Self>()?.borrow_mut().handle = slf.borrow().handle;
        Ok(copy.unbind())
    }
}
