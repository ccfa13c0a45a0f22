//! The system's allocator, counted for each thread by itself, since tests run beside each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Bytes that are not free.
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        LIVE.with(|bytes| bytes.set(bytes.get().wrapping_add(layout.size())));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.with(|bytes| bytes.set(bytes.get().wrapping_sub(layout.size())));
        // SAFETY: the pointer came from `System.alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations `act` makes once it has been done before.
pub(crate) fn allocations(times: u32, mut act: impl FnMut()) -> u64 {
    act();
    let before = ALLOCATIONS.with(Cell::get);
    (0..times).for_each(|_| act());
    ALLOCATIONS.with(Cell::get) - before
}

/// Bytes of this thread that are not free.
pub(crate) fn live_bytes() -> usize {
    LIVE.with(Cell::get)
}
