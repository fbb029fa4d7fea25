//! What the server knows: its leases, its time, its tenants' keys, and which faults are still to come.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use leasebeat::{Instant, Millis};
use leasebeat_authority::{Authority, KeyRecord, Reservation, ReservationId, ServerTime, Tenant, TenantId};

use super::body::{Action, Object, Subject};
use super::log::Log;
use super::options::Setup;
use super::scalar::Text;
use super::script::Script;
use crate::clock::Clock;

/// What is kept beside a reservation, to be read again.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) key: Text<1, 256>,
    pub(super) subject: Subject,
    pub(super) action: Action,
    pub(super) metadata: Option<Object>,
    pub(super) committed_metadata: Option<Object>,
    /// The least that remained whenever an extension came in.
    pub(super) closest: Millis,
}

/// The leases, in storage that is taken once.
pub(super) type Store =
    Authority<Box<Kept>, Vec<Tenant>, Vec<Option<Reservation<Box<Kept>>>>, Vec<Option<KeyRecord>>>;

/// Everything the handlers share.
#[derive(Debug)]
pub(super) struct World {
    store: Mutex<Store>,
    script: Mutex<Script>,
    pub(super) time: ServerClock,
    /// Name and key of each tenant.
    names: Vec<(String, String)>,
    pub(super) header_faults: bool,
    pub(super) log: Log,
}

impl World {
    pub(super) fn new(setup: Setup, clock: Clock, log: Log) -> Self {
        let reservations = std::iter::repeat_with(|| None).take(setup.reservations).collect();
        let keys = std::iter::repeat_with(|| None).take(setup.keys).collect();
        Self {
            store: Mutex::new(Authority::new(setup.tenants, reservations, keys, setup.retention)),
            script: Mutex::new(Script::new(setup.faults)),
            time: ServerClock::new(clock),
            names: setup.names,
            header_faults: setup.header_faults,
            log,
        }
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        lock(&self.store)
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        lock(&self.script)
    }

    /// The tenant whose key this is.
    pub(super) fn tenant_of(&self, key: &[u8]) -> Option<TenantId> {
        let place = self.names.iter().position(|(_, known)| known.as_bytes() == key)?;
        u16::try_from(place).ok().map(TenantId)
    }

    pub(super) fn name_of(&self, tenant: TenantId) -> Option<&str> {
        self.names.get(usize::from(tenant.0)).map(|(name, _)| name.as_str())
    }
}

/// The state is consistent after each call, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The server's time: epoch milliseconds that follow a monotonic clock, so that a step of the machine's wall clock
/// lengthens and shortens no lease. Only a fault makes it step (A1).
#[derive(Debug)]
pub(super) struct ServerClock {
    clock: Clock,
    epoch_ms: u64,
    stepped_ms: AtomicI64,
}

impl ServerClock {
    fn new(clock: Clock) -> Self {
        let epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since_start_ms = clock.now().as_nanos() / 1_000_000;
        let epoch_ms = u64::try_from(epoch.as_millis()).unwrap_or(0).saturating_sub(since_start_ms);
        Self { clock, epoch_ms, stepped_ms: AtomicI64::new(0) }
    }

    pub(super) fn at(&self, at: Instant) -> ServerTime {
        let ms = self.epoch_ms.saturating_add(at.as_nanos() / 1_000_000);
        ServerTime::from_millis(ms.saturating_add_signed(self.stepped_ms.load(Ordering::Relaxed)))
    }

    pub(super) fn now(&self) -> ServerTime {
        self.at(self.clock.now())
    }

    /// Makes the clock step.
    pub(super) fn step(&self, by_ms: i64) {
        let saturated = |stepped: i64| Some(stepped.saturating_add(by_ms));
        // It always succeeds: the closure never declines.
        let _ = self.stepped_ms.fetch_update(Ordering::Relaxed, Ordering::Relaxed, saturated);
    }
}

/// `rsv_` and 32 hexadecimal digits.
pub(super) fn written(id: ReservationId) -> String {
    format!("rsv_{:032x}", id.0)
}

/// The reservation of this name; `None` for a name that this server never gives.
pub(super) fn read_id(name: &str) -> Option<ReservationId> {
    let digits = name.strip_prefix("rsv_").filter(|digits| digits.len() == 32)?;
    let lower = digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    lower.then(|| u128::from_str_radix(digits, 16).ok()).flatten().map(ReservationId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        for id in [0, 1, u128::MAX] {
            assert_eq!(read_id(&written(ReservationId(id))), Some(ReservationId(id)));
        }
        for name in ["", "rsv_", "rsv_0", "rsv_+0000000000000000000000000000001", &"0".repeat(36)] {
            assert_eq!(read_id(name), None, "{name}");
        }
    }
}
