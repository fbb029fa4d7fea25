//! What C hands over as addresses. Every check of one stands here, and so does the inside of a handle.
//!
//! A wrong address that these checks can see is refused before anything is read or written through it. What no library
//! can see is an aligned address that is not NULL and yet not the caller's to read or write.

use core::mem::{align_of, size_of};

use leasebeat::{Heartbeat, TickWidener};

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_MISALIGNED, LEASEBEAT_ERROR_NULL, LEASEBEAT_ERROR_OVERLAP, LEASEBEAT_ERROR_SIZE,
    LEASEBEAT_ERROR_UNINITIALIZED,
};
use crate::types::{leasebeat_heartbeat_t, leasebeat_ticks_t};

pub(crate) type Checked<T = ()> = Result<T, leasebeat_status_t>;

/// What a handle's memory begins with. It has the ABI's version in it, so that memory another version wrote is foreign.
const HEARTBEAT: u64 = 0x6c65_6173_6562_7401;
const TICKS: u64 = 0x6c65_6173_6574_6b01;

/// A handle's inside.
#[repr(C)]
pub(crate) struct Kept<T> {
    cookie: u64,
    value: T,
}

/// Something C provides the memory for.
pub(crate) trait Handle {
    type Inside;
    const COOKIE: u64;
}

impl Handle for leasebeat_heartbeat_t {
    type Inside = Heartbeat;
    const COOKIE: u64 = HEARTBEAT;
}

impl Handle for leasebeat_ticks_t {
    type Inside = TickWidener;
    const COOKIE: u64 = TICKS;
}

const fn fits<H: Handle>() -> bool {
    size_of::<Kept<H::Inside>>() <= size_of::<H>() && align_of::<Kept<H::Inside>>() <= align_of::<H>()
}

/// An address that is neither NULL nor misaligned.
#[inline]
pub(crate) fn sound<T>(pointer: *const T) -> Checked {
    sound_at(pointer.addr(), align_of::<T>())
}

#[inline(never)] // once, for all that check one
fn sound_at(address: usize, align: usize) -> Checked {
    if address == 0 {
        return Err(LEASEBEAT_ERROR_NULL);
    }
    if address & align.wrapping_sub(1) != 0 {
        return Err(LEASEBEAT_ERROR_MISALIGNED);
    }
    Ok(())
}

/// The heartbeat's kernel, where the addresses of a call are all in order. In few instructions, for this is what every
/// decision pays; which of them is wrong is found out later.
///
/// # Safety
/// All are the caller's, in full, and nobody else uses the heartbeat until the result is dropped.
#[inline(always)]
pub(crate) unsafe fn ready<'a, H: Handle + 'a, E, D>(
    handle: *mut H,
    event: *const E,
    out: *mut D,
) -> Option<&'a mut H::Inside> {
    const { assert!(align_of::<H>() == align_of::<E>() && align_of::<H>() == align_of::<D>()) };
    let (at, from, to) = (handle.addr(), event.addr(), out.addr());
    let misaligned = (at | from | to) & align_of::<H>().wrapping_sub(1);
    if misaligned != 0 || at == 0 || from == 0 || to == 0 {
        return None;
    }
    // The output begins at least its size before the handle, or behind it; around the end of the memory is no object.
    let reach = size_of::<D>().wrapping_sub(1);
    if to.wrapping_sub(at).wrapping_add(reach) < size_of::<H>().wrapping_add(reach) {
        return None;
    }
    let kept = handle.cast::<Kept<H::Inside>>();
    // SAFETY: aligned, not NULL, and the caller's to read; `Kept` fits into a handle.
    if unsafe { (*kept).cookie } != H::COOKIE {
        return None;
    }
    // SAFETY: as before; and only `put` writes the cookie, behind which it has put a value.
    Some(unsafe { &mut (*kept).value })
}

/// Whether `length` bytes at one address share a byte with `others` at another.
#[inline]
pub(crate) fn overlap<A, B>(one: *const A, length: usize, other: *const B, others: usize) -> bool {
    overlap_at(one.addr(), length, other.addr(), others)
}

#[inline(never)]
fn overlap_at(one: usize, length: usize, other: usize, others: usize) -> bool {
    // Neither ends behind the last address: `bytes` and the sizes of types see to it.
    one < other.wrapping_add(others) && other < one.wrapping_add(length)
}

/// Refuses an output that lies in what is read or in a handle.
#[inline]
pub(crate) fn apart<A, B>(out: *const A, other: *const B) -> Checked {
    if overlap(out, size_of::<A>(), other, size_of::<B>()) { Err(LEASEBEAT_ERROR_OVERLAP) } else { Ok(()) }
}

/// An output that is [`sound`] and [`apart`] from what is read.
#[inline]
pub(crate) fn output<A, B>(out: *const A, other: *const B) -> Checked {
    output_at(out.addr(), size_of::<A>(), align_of::<A>(), other.addr(), size_of::<B>())
}

#[inline(never)]
fn output_at(out: usize, size: usize, align: usize, other: usize, others: usize) -> Checked {
    sound_at(out, align)?;
    if overlap_at(out, size, other, others) { Err(LEASEBEAT_ERROR_OVERLAP) } else { Ok(()) }
}

/// The value in a handle, and an output that is in order too.
///
/// # Safety
/// As of [`peek`].
#[inline]
pub(crate) unsafe fn readable<'a, H: Handle + 'a, O>(
    handle: *const H,
    out: *const O,
) -> Checked<&'a H::Inside> {
    // SAFETY: by this function's contract.
    unsafe { readable_at(handle, out.addr(), size_of::<O>(), align_of::<O>()) }
}

/// # Safety
/// As of [`peek`].
#[inline(never)]
unsafe fn readable_at<'a, H: Handle + 'a>(
    handle: *const H,
    out: usize,
    size: usize,
    align: usize,
) -> Checked<&'a H::Inside> {
    output_at(out, size, align, handle.addr(), size_of::<H>())?;
    // SAFETY: by this function's contract.
    unsafe { peek(handle) }
}

/// `length` bytes that an object can have: at an address where it has any, and not around the end of the memory.
#[inline(never)]
pub(crate) fn bytes(pointer: *const u8, length: usize) -> Checked {
    if length == 0 {
        return Ok(());
    }
    if pointer.is_null() {
        return Err(LEASEBEAT_ERROR_NULL);
    }
    if length > isize::MAX.unsigned_abs() || pointer.addr().checked_add(length).is_none() {
        return Err(LEASEBEAT_ERROR_SIZE);
    }
    Ok(())
}

/// The bytes C lets us read.
///
/// # Safety
/// Where there are any, they are the caller's to read, and nobody writes them until the result is dropped.
pub(crate) unsafe fn slice<'a>(pointer: *const u8, length: usize) -> Checked<&'a [u8]> {
    bytes(pointer, length)?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: not NULL, not longer than an object can be, and the caller's to read.
    Ok(unsafe { core::slice::from_raw_parts(pointer, length) })
}

/// The value in a handle.
///
/// # Safety
/// Where it is neither NULL nor misaligned, the whole handle is the caller's to read, and nobody writes it until the
/// result is dropped.
#[inline(never)]
pub(crate) unsafe fn peek<'a, H: Handle + 'a>(handle: *const H) -> Checked<&'a H::Inside> {
    sound(handle)?;
    let kept = handle.cast::<Kept<H::Inside>>();
    // SAFETY: aligned, not NULL, and the caller's to read; `Kept` fits into a handle.
    if unsafe { (*kept).cookie } != H::COOKIE {
        return Err(LEASEBEAT_ERROR_UNINITIALIZED);
    }
    // SAFETY: as before; and only `put` writes the cookie, behind which it has put a value.
    Ok(unsafe { &(*kept).value })
}

/// As [`peek`], to change it.
///
/// # Safety
/// As of [`peek`], and nobody else reads it either.
pub(crate) unsafe fn grasp<'a, H: Handle + 'a>(handle: *mut H) -> Checked<&'a mut H::Inside> {
    sound(handle)?;
    let kept = handle.cast::<Kept<H::Inside>>();
    // SAFETY: aligned, not NULL, and the caller's to read; `Kept` fits into a handle.
    if unsafe { (*kept).cookie } != H::COOKIE {
        return Err(LEASEBEAT_ERROR_UNINITIALIZED);
    }
    // SAFETY: as before; and only `put` writes the cookie, behind which it has put a value.
    Ok(unsafe { &mut (*kept).value })
}

/// Makes a handle of the memory at `handle`.
///
/// # Safety
/// It is neither NULL nor misaligned, and the caller's to write.
pub(crate) unsafe fn put<H: Handle>(handle: *mut H, value: H::Inside) {
    const { assert!(fits::<H>()) };
    // SAFETY: by this function's contract; `Kept` fits into a handle. What the handle has more is zeroed.
    unsafe {
        handle.write_bytes(0, 1);
        handle.cast::<Kept<H::Inside>>().write(Kept { cookie: H::COOKIE, value });
    }
}
