//! The C ABI as Python classes. What Python sees is described in `python/leasebeat/_native.pyi`.

mod answer;
mod config;
mod decision;
mod error;
mod event;
mod heartbeat;
mod number;
mod text;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::answer::{classify, decode, parse_retry_after};
    #[pymodule_export]
    use crate::config::{check_config, plan};
    #[pymodule_export]
    use crate::decision::{Decision, Send, Stop, Wait};
    #[pymodule_export]
    use crate::error::{LeasebeatError, Misuse, SnapshotError, StaleAttempt, UnexpectedEvent};
    #[pymodule_export]
    use crate::event::{Begin, Close, Created, Denied, Event, Extended, Failed, Tick, TimingLost};
    #[pymodule_export]
    use crate::heartbeat::Heartbeat;
}
