//! The memory that leases and texts live in. It grows by whole pages and is never given back, as WebAssembly has it;
//! what is freed is used again. Out of room is an answer, not a trap.

use core::arch::wasm32::memory_grow;
use core::cell::UnsafeCell;
use core::ptr;

pub(crate) const PAGE: usize = 65_536;

/// Shared by all that JavaScript calls: WebAssembly without threads runs one call at a time.
pub(crate) struct Single<T>(UnsafeCell<T>);

// SAFETY: the module has no threads.
unsafe impl<T> Sync for Single<T> {}

impl<T> Single<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    pub(crate) const fn get(&self) -> *mut T {
        self.0.get()
    }
}

/// So many pages of zeroed memory; null where there are no more.
pub(crate) fn pages(count: usize) -> *mut u8 {
    match memory_grow(0, count) {
        usize::MAX => ptr::null_mut(),
        before => ptr::with_exposed_provenance_mut(before.wrapping_mul(PAGE)),
    }
}

/// One buffer for texts on their way in and out, as long as the longest so far.
struct Buffer {
    start: *mut u8,
    length: usize,
}

static BUFFER: Single<Buffer> = Single::new(Buffer { start: ptr::null_mut(), length: 0 });

/// Room for `length` bytes, until the next call that uses the buffer; null where memory is used up.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    // SAFETY: one call runs at a time.
    let buffer = unsafe { &mut *BUFFER.get() };
    if length > buffer.length {
        // Doubled, as the shorter one is not given back.
        let count = length.max(buffer.length << 1).div_ceil(PAGE);
        let start = pages(count);
        if start.is_null() {
            return start;
        }
        *buffer = Buffer { start, length: count.wrapping_mul(PAGE) };
    }
    buffer.start
}

/// The first `length` bytes of the buffer, as JavaScript has filled it.
pub(crate) fn text(length: usize) -> &'static [u8] {
    // SAFETY: one call runs at a time.
    let buffer = unsafe { &*BUFFER.get() };
    if length == 0 || length > buffer.length {
        return &[];
    }
    // SAFETY: the buffer has so many bytes, and JavaScript writes there only once this call is done.
    unsafe { core::slice::from_raw_parts(buffer.start, length) }
}
