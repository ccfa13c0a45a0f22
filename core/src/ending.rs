//! Resize, close, drain, and the end of owners and processes.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;

use crate::books::{Books, Why};
use crate::calls::{Call, Phase};
use crate::compartment::{Counted, Wish};
use crate::event::Event;
use crate::hull::Hull;
use crate::ids::{CompartmentId, OwnerId};
use crate::ledger::Pool;
use crate::options::{self, InvalidOption, Opt};
use crate::owners::Alarm;
use crate::queue::Queue;
use crate::sampling::Sampling;
use crate::snapshot::State;
use crate::step::Step;
use crate::time::{Instant, Span};

impl Step<'_> {
    /// See [`crate::Bulkhead::resize`].
    ///
    /// # Errors
    /// `limit` above [`options::MAX_COUNT`].
    pub fn resize(
        &mut self,
        CompartmentId(index): CompartmentId,
        limit: u32,
    ) -> Result<(), InvalidOption> {
        options::check_count(Opt::Resize, limit)?;
        // Resizing 2: what runs keeps its permits, so only the figure changes.
        let here = self.hull.compartment_mut(index);
        // Resizing 6: in every state, and the state stays.
        let before = here.pool.set_limit(limit);
        let is_narrower = limit < before || before == 0;
        // Nested calls 1.4, Resizing 5: an owner that watches for capacity asks again, and hears
        // that its call waits for itself, or is too heavy.
        here.is_narrowed |= is_narrower && !here.watches.is_empty();
        if limit > 0 && is_narrower {
            self.hull.end_heavy_waiters(index);
        }
        self.hull.touch(index);
        Ok(())
    }

    /// See [`crate::Bulkhead::close`].
    pub fn close(&mut self, compartment: CompartmentId, abort: bool) {
        let CompartmentId(index) = compartment;
        let hull = &mut *self.hull;
        hull.end(index);
        let here = hull.compartment_mut(index);
        // Ending 4: once is enough, a second close cannot take it back.
        let is_new = abort && !here.is_aborting;
        here.is_aborting |= abort;
        if is_new {
            // Ending 4.2, Ending 5: no call that holds permits changes its phase here.
            hull.owners.push_event_to_all(Event::Abort { compartment });
        }
    }

    /// See [`crate::Bulkhead::drain`].
    // Ending 2, Ending 6: what is closed stays closed.
    pub fn drain(&mut self, CompartmentId(index): CompartmentId) {
        let here = self.hull.compartment_mut(index);
        here.state = here.state.max(State::Draining);
        self.hull.touch(index);
    }

    /// See [`crate::Bulkhead::drain_within`].
    // Ending 2.1
    pub fn drain_within(&mut self, compartment: CompartmentId, owner: OwnerId, timeout: Span) {
        self.drain(compartment);
        let CompartmentId(index) = compartment;
        let hull = &mut *self.hull;
        let is_over = hull.compartment(index).state == State::Closed || hull.is_idle(index);
        if is_over {
            return;
        }
        // Ending 2.2: what is due now is not left to a timer.
        if timeout == Span::ZERO {
            hull.end(index);
        } else if let Some(owner) = hull.owners.find(owner) {
            let ends = hull.now.after(timeout);
            hull.owners.set_alarm(owner, Alarm::drain(index, ends));
            let here = hull.compartment_mut(index);
            here.drain_ends = here.drain_ends.min(ends);
        }
    }

    /// See [`crate::Bulkhead::evict`]; acts in all compartments.
    // Shared in Node 4.1
    pub fn evict(&mut self, owner: OwnerId) {
        let hull = &mut *self.hull;
        hull.abandon_counted(owner);
        let Some(owner) = hull.owners.find(owner) else {
            return;
        };
        for slot in hull.slots(|call| call.owner == owner) {
            let waits = hull.calls.get(slot).phase == Phase::Waiting;
            let why = if waits {
                Why::Cancelled
            } else {
                Why::Abandoned
            };
            hull.end_call(slot, why);
        }
        for here in &mut hull.compartments {
            here.unwatch(owner);
        }
        hull.owners.remove(owner);
    }

    /// See [`crate::Bulkhead::watch_idle`].
    // Ending 7
    pub fn watch_idle(&mut self, compartment: CompartmentId, owner: OwnerId) -> Option<u64> {
        let CompartmentId(index) = compartment;
        if self.hull.is_idle(index) {
            return None;
        }
        self.hull.tickets += 1;
        let ticket = self.hull.tickets;
        if let Some(owner) = self.hull.owners.find(owner) {
            let here = self.hull.compartment_mut(index);
            here.watch(owner, Wish::Idle { ticket });
        }
        Some(ticket)
    }
}

impl Hull {
    // Ending 1
    /// Rejects new calls and every waiter.
    pub(crate) fn end(&mut self, index: u32) {
        self.compartment_mut(index).state = State::Closed;
        while let Some(slot) = self.compartment(index).queue.head() {
            self.end_waiter(slot, Why::Closed);
        }
        self.clear_drain_bound(index);
        self.touch(index);
    }

    /// The drain has come to its end: its bound keeps nothing alive any more.
    pub(crate) fn clear_drain_bound(&mut self, index: u32) {
        let here = self.compartment_mut(index);
        if core::mem::replace(&mut here.drain_ends, Instant::NEVER) < Instant::NEVER {
            self.owners.clear_drain_alarms(index);
        }
    }

    /// See [`crate::Bulkhead::restart`]; acts in all compartments.
    // Threads and loops in Python 5
    pub fn restart(&mut self) {
        let all = self.slots(|_| true);
        for slot in all {
            self.end_call(slot, Why::Abandoned);
        }
        self.owners.restart();
        self.arrivals = 0;
        self.admissions = 0;
        self.touched.clear();
        for here in &mut self.compartments {
            here.pool = Pool::new(here.pool.limit());
            here.counted = Counted::default();
            here.books = Books::default();
            here.watches.clear();
            here.is_touched = false;
            here.is_narrowed = false;
            here.drain_ends = Instant::NEVER;
            here.sampling = Sampling::new(here.config.ran_sampled_every());
        }
    }

    // Resizing 3, Resizing 5
    fn end_heavy_waiters(&mut self, index: u32) {
        let mut next = self.compartment(index).queue.head();
        while let Some(slot) = next {
            next = Queue::behind(&self.calls, slot);
            if self
                .compartment(index)
                .pool
                .is_too_heavy(self.calls.get(slot).weight)
            {
                self.end_waiter(slot, Why::TooHeavy);
            }
        }
    }

    /// The slots in use that `is_wanted` picks, in order of arrival and admission. Allocates: for
    /// endings only.
    fn slots(&self, is_wanted: impl Fn(&Call) -> bool) -> Vec<u32> {
        let picked = self.calls.in_use().filter(|(_, call)| is_wanted(call));
        // Sorting a slice brings a tenth of the code of a small module with it; a heap does not.
        let slots: BinaryHeap<_> = picked.map(|(slot, call)| (call.seq, slot)).collect();
        let slots = slots.into_sorted_vec();
        slots.into_iter().map(|(_, slot)| slot).collect()
    }
}
