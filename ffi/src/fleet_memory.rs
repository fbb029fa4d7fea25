//! A fleet in one buffer of C's: its head, then the leases, their places in the queue, the classes and the seconds. It has
//! no address in it, so its bytes may be copied elsewhere.

use core::mem::{align_of, offset_of, size_of};
use core::slice::from_raw_parts_mut;

use leasebeat::fleet::{Class, Fleet, FleetError, Memory, Pace, Parts, Place, Second, Slot};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_FLEET_CLASS, LEASEBEAT_ERROR_FLEET_CLASSES_FULL, LEASEBEAT_ERROR_FLEET_COUNTS,
    LEASEBEAT_ERROR_FLEET_FULL, LEASEBEAT_ERROR_FLEET_ID, LEASEBEAT_ERROR_MISALIGNED, LEASEBEAT_ERROR_NULL,
    LEASEBEAT_ERROR_OVERLAP, LEASEBEAT_ERROR_SIZE, LEASEBEAT_ERROR_UNINITIALIZED,
};
use crate::convert::misuse;
use crate::fleet_types::leasebeat_fleet_t;
use crate::memory::{Checked, bytes, overlap, sound};

/// Has the ABI's version in it, as a heartbeat's.
const COOKIE: u64 = 0x6c65_6173_6566_6c01;
/// What no slot or class is numbered.
const LEASES_MAX: u32 = u32::MAX - 1;
const CLASSES_MAX: u32 = u16::MAX as u32;

/// How many there are of each: what the layout follows from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) leases: u32,
    pub(crate) classes: u32,
    pub(crate) seconds: u32,
}

#[repr(C)]
struct Head {
    /// `Counts::seal`: counts that were written over no longer fit it.
    seal: u64,
    counts: Counts,
    parts: Parts,
}

const _: () = assert!(align_of::<Head>() == 8 && align_of::<Slot>() == 8 && align_of::<Place>() == 8);
const _: () = assert!(align_of::<Class>() == 8 && align_of::<Second>() == 8);
const _: () = assert!(offset_of!(Head, seal) == 0 && size_of::<Head>() % 8 == 0);

/// Where each part begins, in bytes from the fleet, and where the last ends.
#[derive(Clone, Copy)]
struct Layout {
    queue: usize,
    classes: usize,
    seconds: usize,
    end: usize,
}

impl Counts {
    /// The same for no other counts of the same leases, the same classes or the same seconds: each is multiplied by an odd
    /// number.
    #[inline]
    fn seal(self) -> u64 {
        let pair = u64::from(self.leases) | u64::from(self.seconds) << 32;
        let classes = u64::from(self.classes).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        COOKIE ^ pair.wrapping_mul(0xbf58_476d_1ce4_e5b9) ^ classes
    }

    /// Where the parts lie; nothing where there is no such fleet, or no object is that large.
    fn checked_layout(self) -> Option<Layout> {
        let named = (1..=LEASES_MAX).contains(&self.leases) && (1..=CLASSES_MAX).contains(&self.classes);
        let part = |from: usize, count: u32, each: usize| {
            from.checked_add(usize::try_from(count).ok()?.checked_mul(each)?)
        };
        let queue = part(size_of::<Head>(), self.leases, size_of::<Slot>())?;
        let classes = part(queue, self.leases, size_of::<Place>())?;
        let seconds = part(classes, self.classes, size_of::<Class>())?;
        let end = part(seconds, self.seconds, size_of::<Second>())?;
        (named && end <= isize::MAX.unsigned_abs()).then_some(Layout { queue, classes, seconds, end })
    }

    /// As [`checked_layout`](Self::checked_layout), of counts that `init` has checked.
    #[inline]
    fn layout(self) -> Layout {
        let part =
            |from: usize, count: u32, each: usize| from.wrapping_add((count as usize).wrapping_mul(each));
        let queue = part(size_of::<Head>(), self.leases, size_of::<Slot>());
        let classes = part(queue, self.leases, size_of::<Place>());
        let seconds = part(classes, self.classes, size_of::<Class>());
        let end = part(seconds, self.seconds, size_of::<Second>());
        Layout { queue, classes, seconds, end }
    }

    /// The bytes of a fleet; 0 where there is none of these counts.
    pub(crate) fn size(self) -> usize {
        self.checked_layout().map_or(0, |layout| layout.end)
    }
}

/// A fleet of C's whose address, seal and counts are in order.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    head: *mut Head,
    counts: Counts,
}

/// Looks at what C says is a fleet.
///
/// # Safety
/// Where it is neither NULL nor misaligned, it is the caller's, in full, and nobody else uses it meanwhile.
#[inline]
pub(crate) unsafe fn find(fleet: *mut leasebeat_fleet_t) -> Checked<Found> {
    let head = fleet.cast::<Head>();
    if head.is_null() {
        return Err(LEASEBEAT_ERROR_NULL);
    }
    if !head.is_aligned() {
        return Err(LEASEBEAT_ERROR_MISALIGNED);
    }
    // SAFETY: sound, and the caller's to read: numbers, of which any bytes are some.
    let (seal, counts) = unsafe { ((*head).seal, (*head).counts) };
    if seal != counts.seal() {
        return Err(LEASEBEAT_ERROR_UNINITIALIZED);
    }
    Ok(Found { head, counts })
}

impl Found {
    /// Refuses an output that is not sound, or lies in the fleet.
    #[inline]
    pub(crate) fn output<T>(self, out: *const T) -> Checked {
        sound(out)?;
        if overlap(out, size_of::<T>(), self.head, self.counts.layout().end) {
            return Err(LEASEBEAT_ERROR_OVERLAP);
        }
        Ok(())
    }

    /// Has `work` done with the fleet.
    ///
    /// # Safety
    /// As of [`find`], which has found it; nothing else refers to its bytes.
    #[inline]
    pub(crate) unsafe fn with<T>(self, work: impl FnOnce(&mut Fleet<'_>) -> T) -> T {
        // SAFETY: by this function's contract; `init` has written all parts.
        unsafe {
            let mut fleet = Fleet::resume(memory(self.head, self.counts), (*self.head).parts);
            let worked = work(&mut fleet);
            (*self.head).parts = fleet.suspend().1;
            worked
        }
    }

    /// As [`with`](Self::with), where nothing changes.
    ///
    /// # Safety
    /// As of [`with`](Self::with).
    #[inline]
    pub(crate) unsafe fn read<T>(self, work: impl FnOnce(&Fleet<'_>) -> T) -> T {
        // SAFETY: by this function's contract; `init` has written all parts.
        unsafe { work(&Fleet::resume(memory(self.head, self.counts), (*self.head).parts)) }
    }
}

/// The parts of a fleet that lies at `head`.
///
/// # Safety
/// As many bytes as these counts need are the caller's, and every part's items are written; nothing else refers to them.
#[inline]
unsafe fn memory<'m>(head: *mut Head, counts: Counts) -> Memory<'m> {
    let at = counts.layout();
    let base = head.cast::<u8>();
    // SAFETY: by this function's contract. Each part begins behind the one before it, at a multiple of 8.
    #[allow(clippy::cast_ptr_alignment)]
    unsafe {
        Memory {
            slots: from_raw_parts_mut(base.add(size_of::<Head>()).cast(), counts.leases as usize),
            queue: from_raw_parts_mut(base.add(at.queue).cast(), counts.leases as usize),
            classes: from_raw_parts_mut(base.add(at.classes).cast(), counts.classes as usize),
            seconds: from_raw_parts_mut(base.add(at.seconds).cast(), counts.seconds as usize),
        }
    }
}

/// Whether there can be a fleet of these counts in these bytes.
pub(crate) fn fits(fleet: *mut leasebeat_fleet_t, length: usize, counts: Counts) -> Checked {
    sound(fleet.cast::<Head>())?;
    let Some(layout) = counts.checked_layout() else { return Err(LEASEBEAT_ERROR_FLEET_COUNTS) };
    if length < layout.end {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    bytes(fleet.cast(), length)
}

/// Makes an empty fleet.
///
/// # Safety
/// It [`fits`], and its bytes are the caller's to write.
pub(crate) unsafe fn make(fleet: *mut leasebeat_fleet_t, counts: Counts, pace: Pace) {
    let (at, head, base) = (counts.layout(), fleet.cast::<Head>(), fleet.cast::<u8>());
    // SAFETY: by this function's contract; all items are written before any is referred to.
    #[allow(clippy::cast_ptr_alignment)]
    unsafe {
        fill(base.add(size_of::<Head>()).cast(), counts.leases, Slot::EMPTY);
        fill(base.add(at.queue).cast(), counts.leases, Place::EMPTY);
        fill(base.add(at.classes).cast(), counts.classes, Class::EMPTY);
        fill(base.add(at.seconds).cast(), counts.seconds, Second::EMPTY);
        let parts = Fleet::new(memory(head, counts), pace).suspend().1;
        head.write(Head { seal: counts.seal(), counts, parts });
    }
}

/// # Safety
/// So many items are the caller's to write, and aligned.
unsafe fn fill<T: Copy>(to: *mut T, count: u32, value: T) {
    for at in 0..count as usize {
        // SAFETY: by this function's contract.
        unsafe { to.add(at).write(value) };
    }
}

/// How C is told what a fleet cannot do.
pub(crate) fn refused(error: FleetError) -> leasebeat_status_t {
    match error {
        FleetError::Full => LEASEBEAT_ERROR_FLEET_FULL,
        FleetError::ClassesFull => LEASEBEAT_ERROR_FLEET_CLASSES_FULL,
        FleetError::UnknownClass => LEASEBEAT_ERROR_FLEET_CLASS,
        FleetError::Misuse(error) => misuse(error),
        _ => LEASEBEAT_ERROR_FLEET_ID,
    }
}
