//! Leases: made, freed, and the slots they live in.

use core::mem::{ManuallyDrop, size_of};
use core::ptr;

#[cfg(feature = "full")]
use leasebeat::{Action, Decision, Rule};
use leasebeat::{Config, Fallback, Heartbeat, Settings};

use crate::memory::{PAGE, Single, pages};
use crate::words::{get, optional, whole};

/// One lease's kernel, behind the number that JavaScript holds.
pub struct Lease {
    pub(crate) heartbeat: Heartbeat,
    /// What an explanation is asked for.
    #[cfg(feature = "full")]
    pub(crate) last: Decision,
}

/// A lease's memory, in use or in the list of those that are not.
union Slot {
    lease: ManuallyDrop<Lease>,
    next: *mut Slot,
}

/// Slots that no lease uses.
static FREE: Single<*mut Slot> = Single::new(ptr::null_mut());

/// A lease; null where memory is used up or the configuration is out of range, which JavaScript has excluded. Words:
/// `extend_by_ms` 0, `request_timeout_ms` 2, `max_wait_ms` 4, `clock_resolution_ns` 6, whether to refuse the fallback 8.
#[unsafe(no_mangle)]
pub extern "C" fn lease_new() -> *mut Lease {
    let settings = Settings {
        request_timeout_ms: optional(2),
        max_wait_ms: optional(4),
        clock_resolution_ns: whole(6),
        fallback: if get(8) > 0.0 { Fallback::Refuse } else { Fallback::Band },
        ..Settings::new(whole(0))
    };
    let Ok(config) = Config::new(settings) else { return ptr::null_mut() };
    let slot = take();
    if !slot.is_null() {
        let lease = Lease {
            heartbeat: Heartbeat::new(config),
            #[cfg(feature = "full")]
            last: Decision { action: Action::Wait(None), rule: Rule::L1 },
        };
        // SAFETY: `take` gives a slot that nothing else uses.
        unsafe { slot.write(Slot { lease: ManuallyDrop::new(lease) }) };
    }
    slot.cast()
}

/// Gives a lease's memory back.
///
/// # Safety
/// `lease` is from `lease_new`, and not freed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lease_free(lease: *mut Lease) {
    let slot = lease.cast::<Slot>();
    // SAFETY: the slot is the caller's, who gives it up; a lease has nothing to drop.
    unsafe {
        slot.write(Slot { next: *FREE.get() });
        *FREE.get() = slot;
    }
}

/// A free slot; null where memory is used up.
fn take() -> *mut Slot {
    // SAFETY: the list holds slots that no lease uses; one call runs at a time.
    unsafe {
        if (*FREE.get()).is_null() {
            *FREE.get() = chain();
        }
        let slot = *FREE.get();
        if !slot.is_null() {
            *FREE.get() = (*slot).next;
        }
        slot
    }
}

/// One more page of slots, as a list.
#[allow(clippy::cast_ptr_alignment)] // a page is aligned for any slot
fn chain() -> *mut Slot {
    let start = pages(1);
    let mut first = ptr::null_mut();
    if start.is_null() {
        return first;
    }
    for index in 0..PAGE / size_of::<Slot>() {
        let slot = start.cast::<Slot>().wrapping_add(index);
        // SAFETY: the page is new, aligned for any slot, and long enough for so many.
        unsafe { slot.write(Slot { next: first }) };
        first = slot;
    }
    first
}
