//! Settings, read from the frozen dataclass `leasebeat.Config`.

use leasebeat_ffi::{
    LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS, LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS,
    LEASEBEAT_PLAN_HAS_ATTEMPT_BUDGET_MS, LEASEBEAT_PLAN_HAS_DELAY_MS, LEASEBEAT_PLAN_HAS_LARGEST_TIMEOUT_MS,
    LEASEBEAT_PLAN_HAS_RETRY_RESERVE_MS, LEASEBEAT_PLAN_HAS_SHORTEST_LEAD_MS, leasebeat_config_init,
    leasebeat_config_t, leasebeat_fallback_t, leasebeat_plan_config, leasebeat_plan_t,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::done;
use crate::number::{number, optional};

/// margin, attempt budget, retry reserve, delay, largest timeout, shortest lead.
pub(crate) type Planned = (u64, Option<u64>, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

/// The settings of a `Config`, each in range.
pub(crate) fn parsed(config: &Bound<'_, PyAny>) -> PyResult<leasebeat_config_t> {
    let field = |name: &str| config.getattr(name);
    let given = |name: &str| Ok::<_, PyErr>(Some(field(name)?).filter(|value| !value.is_none()));
    let mut raw = std::mem::MaybeUninit::<leasebeat_config_t>::uninit();
    let extend_by_ms = number("extend_by_ms", &field("extend_by_ms")?, 1, 86_400_000)?;
    // SAFETY: the memory is this function's own, and as large as is said.
    done(unsafe { leasebeat_config_init(raw.as_mut_ptr(), size_of::<leasebeat_config_t>(), extend_by_ms) })?;
    // SAFETY: it was just filled, or the call had failed.
    let mut raw = unsafe { raw.assume_init() };
    let timeout = optional("request_timeout_ms", given("request_timeout_ms")?.as_ref(), 1, u64::MAX)?;
    if let Some(ms) = timeout {
        raw.request_timeout_ms = ms;
        raw.present |= LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
    }
    raw.clock_resolution_ns =
        number("clock_resolution_ns", &field("clock_resolution_ns")?, 0, 10_000_000_000)?;
    if let Some(ms) = optional("max_wait_ms", given("max_wait_ms")?.as_ref(), 1, u64::MAX)? {
        raw.max_wait_ms = ms;
        raw.present |= LEASEBEAT_CONFIG_HAS_MAX_WAIT_MS;
    }
    raw.fallback = match field("fallback")?.extract::<String>() {
        Ok(name) if name == "band" => leasebeat_fallback_t::LEASEBEAT_FALLBACK_BAND as u8,
        Ok(name) if name == "refuse" => leasebeat_fallback_t::LEASEBEAT_FALLBACK_REFUSE as u8,
        _ => {
            let shown = field("fallback")?.repr()?;
            let what = format!("fallback is {shown}; it must be \"band\" or \"refuse\"");
            return Err(PyValueError::new_err(what));
        }
    };
    Ok(raw)
}

/// Refuses settings that are out of range, naming the field, the value and the range.
#[pyfunction]
pub(crate) fn check_config(config: &Bound<'_, PyAny>) -> PyResult<()> {
    parsed(config).map(drop)
}

/// What settings, a lead and a round trip come to (P3, P4).
#[pyfunction]
#[pyo3(signature = (config, lead_ms, max_rtt_ms))]
pub(crate) fn plan(
    config: &Bound<'_, PyAny>,
    lead_ms: &Bound<'_, PyAny>,
    max_rtt_ms: &Bound<'_, PyAny>,
) -> PyResult<Planned> {
    let config = parsed(config)?;
    let lead_ms = number("lead_ms", lead_ms, 0, u64::MAX)?;
    let max_rtt_ms = number("max_rtt_ms", max_rtt_ms, 0, u64::MAX)?;
    let mut plan = leasebeat_plan_t::default();
    // SAFETY: all are this function's own.
    done(unsafe { leasebeat_plan_config(&raw const config, lead_ms, max_rtt_ms, &raw mut plan) })?;
    Ok(planned(&plan))
}

pub(crate) fn planned(plan: &leasebeat_plan_t) -> Planned {
    let given = |bit: u32, value: u64| (plan.present & bit != 0).then_some(value);
    (
        plan.safety_margin_ms,
        given(LEASEBEAT_PLAN_HAS_ATTEMPT_BUDGET_MS, plan.attempt_budget_ms),
        given(LEASEBEAT_PLAN_HAS_RETRY_RESERVE_MS, plan.retry_reserve_ms),
        given(LEASEBEAT_PLAN_HAS_DELAY_MS, plan.delay_ms),
        given(LEASEBEAT_PLAN_HAS_LARGEST_TIMEOUT_MS, plan.largest_timeout_ms),
        given(LEASEBEAT_PLAN_HAS_SHORTEST_LEAD_MS, plan.shortest_lead_ms),
    )
}
