//! Nothing allocates once the slab, the heaps and the event queue have reached their size.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bulkheads::{Admission, Bulkhead, Config, Instant, Outcome, OwnerId, Request, Span};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands every request on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System.alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_second_round_of_everything_allocates_nothing() {
    let span = Span::from_millis(10);
    let config = Config::new(8)
        .max_queue(64)
        .timeout(span)
        .call_timeout(span)
        .abandon_after(span);
    let mut core = Bulkhead::new(config).expect("valid options");
    let mut time = 0;
    round(&mut core, &mut time);
    let before = ALLOCATIONS.with(Cell::get);
    (0..100).for_each(|_| round(&mut core, &mut time));
    assert_eq!(ALLOCATIONS.with(Cell::get) - before, 0);
}

/// Fills permits and queue, cancels some, times others out, abandons runs, finishes the rest.
fn round(core: &mut Bulkhead, time: &mut u64) {
    let now = Instant::from_nanos(*time);
    let mut ids = [None; 72];
    for id in &mut ids {
        *id = match core.acquire(now, Request::run(1)).expect("a valid weight") {
            Admission::Admitted(id) | Admission::Queued(id) => Some(id),
            _ => None,
        };
    }
    for id in ids.into_iter().flatten().step_by(3) {
        core.cancel(now, id);
    }
    for id in ids.into_iter().flatten().step_by(5) {
        core.finish(now, id, Outcome::Completed);
    }
    *time += 100_000_000;
    core.handle_timeout(Instant::from_nanos(*time));
    while core.poll_event(OwnerId::FIRST).is_some() {}
    for id in ids.into_iter().flatten() {
        core.finish(Instant::from_nanos(*time), id, Outcome::Completed);
    }
    while core.poll_event(OwnerId::FIRST).is_some() {}
    assert_eq!(core.check_invariants(), Ok(()));
    assert_eq!((core.active(), core.queued()), (0, 0));
}
