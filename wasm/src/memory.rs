//! The memory that leases and texts live in. It grows by whole pages and is never given back, as WebAssembly has it;
//! what is freed is used again. Out of room is an answer, not a trap.

use core::arch::wasm32::{memory_grow, memory_size};
use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;

const PAGE: usize = 65_536;

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

/// Memory for at least `bytes`, aligned to a page; `None` where there is no more.
pub(crate) fn pages(bytes: usize) -> Option<(*mut u8, usize)> {
    let count = bytes.div_ceil(PAGE);
    let before = memory_grow(0, count);
    // `usize::MAX` says that it did not grow.
    let start = before.checked_mul(PAGE).filter(|_| before < memory_size(0))?;
    Some((core::ptr::with_exposed_provenance_mut(start), count.saturating_mul(PAGE)))
}

/// wasm-bindgen links `alloc`, which wants an allocator; nothing here allocates.
#[global_allocator]
static NOTHING: Nothing = Nothing;

struct Nothing;

// SAFETY: it gives no memory, so it can give none that is wrong.
unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}
