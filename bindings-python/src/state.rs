//! What one bulkhead keeps behind its lock.

use std::sync::atomic::{AtomicU64, Ordering};

use bulkheads_core::{Bulkhead, Event, Id, Instant, OwnerId, Request, Span, Untimed};
use pyo3::prelude::*;

use crate::event_loop::clock::Clock;
use crate::event_loop::driver::{Driver, Drivers, HostCall, Waker};
use crate::table::{Early, Removal, Table, Ticket, WaitEnd, Why};
use crate::threads::Threads;

/// asyncio has no notification of a loop that is closed. A waiter polls for closed loops at this
/// interval, in nanoseconds, because they may hold the permits that it waits for. Tests change it.
pub(crate) static CLOSED_LOOKED_AFTER: AtomicU64 = AtomicU64::new(250_000_000);

/// The core, its calls, and the loops and threads that use it.
///
/// Under the lock no Python code runs and no Python object is dropped, but references are counted
/// up: what is taken out of the tables is dropped after it. So no finaliser or signal handler can
/// ask for a lock that its thread has, and a forked child never inherits it taken.
pub(crate) struct State {
    pub(crate) core: Bulkhead,
    pub(crate) table: Table,
    pub(crate) drivers: Drivers,
    pub(crate) threads: Threads,
    pub(crate) idle: IdleMoments,
    /// How far the core's time is ahead of the system's clock, for all loops and threads that read
    /// that.
    pub(crate) offset: Span,
    /// Closed with abort: a call that was granted before is cancelled as it goes on.
    pub(crate) is_aborting: bool,
}

/// The idle moments (no waiters, no permits in use) that callers asked for outside of loops, or
/// await later. They come as events of [`OwnerId::FIRST`], which has no waiters and so no other
/// events that matter.
#[derive(Default)]
pub(crate) struct IdleMoments {
    /// The ticket of the last that has come.
    seen: u64,
    /// The ticket of the next that was asked for.
    watched: Option<u64>,
}

/// Used by way of the driver's `step` and `look`.
pub(crate) type Shared = bulkheads_driver::Shared<State, Waker>;

impl AsMut<Bulkhead> for State {
    fn as_mut(&mut self) -> &mut Bulkhead {
        &mut self.core
    }
}

impl State {
    pub(crate) fn new(core: Bulkhead) -> Self {
        Self {
            core,
            table: Table::default(),
            drivers: Drivers::default(),
            threads: Threads::default(),
            idle: IdleMoments::default(),
            offset: Span::ZERO,
            is_aborting: false,
        }
    }

    /// After an input of this owner's caller: delivers its events and plans its timer. True if the
    /// caller is to make the driver's pending calls.
    pub(crate) fn deliver(&mut self, owner: OwnerId) -> bool {
        while let Some(event) = self.core.poll_event(owner) {
            self.deliver_event(owner, event);
        }
        let next = self.next_timer(owner);
        self.drivers.get_mut(owner).is_some_and(|driver| {
            driver.plan_timer(next);
            driver.starts_calling()
        })
    }

    /// Asks the core without a clock. But a call that permits of others may keep out needs a look
    /// for closed loops before it is refused, if there are others than the `own` one.
    #[inline]
    pub(crate) fn acquire_untimed(
        &mut self,
        request: Request<'_>,
        weight: u32,
        own: usize,
    ) -> Untimed {
        let in_use = self.core.active() + u64::from(weight);
        if self.drivers.len() > own && in_use > self.core.limit().into() {
            return Untimed::NeedsClock;
        }
        self.core.acquire_untimed(request)
    }

    /// When the loop of this owner has something to do.
    pub(crate) fn next_timer(&self, owner: OwnerId) -> Option<Instant> {
        let next = [self.core.poll_timeout(owner), self.next_look()];
        next.into_iter().flatten().min()
    }

    /// When a loop has to look whether another was closed.
    fn next_look(&self) -> Option<Instant> {
        let waits = self.drivers.is_shared() && self.core.queued() > 0;
        let is_real = waits && self.drivers.iter().all(|driver| driver.is_real);
        let after = Span::from_nanos(CLOSED_LOOKED_AFTER.load(Ordering::Relaxed));
        // Threads and loops in Python 4.1
        is_real.then(|| self.core.now().after(after))
    }

    fn deliver_event(&mut self, owner: OwnerId, event: Event) {
        match event {
            Event::Granted { id } => self.end_wait(owner, id, WaitEnd::Granted),
            Event::QueueTimedOut { id, nanos } => self.remove(owner, id, Removal::TimedOut(nanos)),
            Event::Closed { id, .. } => self.remove(owner, id, Removal::Closed),
            Event::TooHeavy { id, .. } => self.remove(owner, id, Removal::TooHeavy),
            Event::CallTimedOut { id, nanos } => {
                if let Some(ticket) = self.table.find(id) {
                    self.cancel_work(ticket, Why::TimedOut(nanos));
                }
            }
            Event::Abort { .. } => {
                self.is_aborting = true;
                for ticket in self.table.runs(owner) {
                    self.cancel_work(ticket, Why::Aborted);
                }
            }
            Event::Idle { .. } => self.resolve(owner, |driver| &mut driver.idle_waiters),
            Event::Capacity { .. } => self.resolve(owner, |driver| &mut driver.capacity_waiters),
            // Only signals cause it, which Python has none of.
            Event::Cancelled { .. } => {}
        }
    }

    fn remove(&mut self, owner: OwnerId, id: Id, why: Removal) {
        self.end_wait(owner, id, WaitEnd::Removed(why));
    }

    fn end_wait(&mut self, owner: OwnerId, id: Id, end: WaitEnd) {
        if self.table.end_wait(id, end) {
            if let Some(driver) = self.drivers.get_mut(owner) {
                driver.wake(id);
            }
        }
    }

    /// The task that does the work of a call is to be cancelled.
    pub(crate) fn cancel_work(&mut self, ticket: Ticket, why: Why) {
        let Some(call) = self.table.get_mut(ticket) else {
            return;
        };
        let cancels = call.early.as_ref().map_or(0, |early| early.cancels);
        call.early = Some(Box::new(Early { why, cancels }));
        let (id, owner) = (call.id, call.owner);
        if let Some(driver) = self.drivers.get_mut(owner) {
            driver.push(HostCall::Cancel(ticket, id));
        }
    }

    fn resolve(&mut self, owner: OwnerId, waiters: fn(&mut Driver) -> &mut Vec<Py<PyAny>>) {
        if let Some(driver) = self.drivers.get_mut(owner) {
            let waiters = std::mem::take(waiters(driver));
            driver.push(HostCall::Resolve(waiters));
        }
    }

    /// The task of a waiter is cancelled: it is to be woken, and gives up then. Answers whose loop
    /// has to be asked.
    pub(crate) fn cancel_wait(&mut self, ticket: Ticket, message: Py<PyAny>) -> Option<OwnerId> {
        let call = self.table.get_mut(ticket)?;
        call.wait.as_mut()?.cancelled = Some(message);
        let (id, owner) = (call.id, call.owner);
        self.drivers.get_mut(owner)?.wake(id);
        Some(owner)
    }

    /// The clock that code outside of loops, a finaliser for one, reads instead of the system's:
    /// that of the latest loop that lives, if that has another.
    pub(crate) fn lent_clock(&self, py: Python<'_>) -> Option<Clock> {
        let driver = self.drivers.iter().next_back()?;
        (!driver.is_real).then(|| driver.clock.clone_ref(py))
    }

    /// A call that was granted goes on.
    pub(crate) fn start(&mut self, ticket: Ticket, id: Id) {
        self.core.start(id);
        let is_run = self.table.get(ticket).is_some_and(|call| call.is_run);
        // Ending 4.3
        if self.is_aborting && is_run {
            self.cancel_work(ticket, Why::Aborted);
        }
    }

    /// The ticket of the next idle moment; 0 if that is now.
    pub(crate) fn watch_idle(&mut self, now: Instant) -> u64 {
        self.see_idle_moments();
        if self.idle.watched.is_none() {
            self.idle.watched = self.core.watch_idle(now, OwnerId::FIRST);
        }
        self.idle.watched.unwrap_or(0)
    }

    /// Whether the moment of this ticket has come.
    pub(crate) fn was_idle(&mut self, ticket: u64) -> bool {
        self.see_idle_moments();
        self.idle.seen >= ticket
    }

    fn see_idle_moments(&mut self) {
        while let Some(event) = self.core.poll_event(OwnerId::FIRST) {
            if let Event::Idle { ticket, .. } = event {
                self.idle.seen = ticket;
                self.idle.watched = None;
            }
        }
    }

    /// For a forked child: no waiters, no permits in use, and none of the parent's loops and
    /// threads. The drivers are the answer, to be dropped after the lock, if at all.
    pub(crate) fn restart(&mut self) -> Drivers {
        self.core.restart();
        self.threads = Threads::default();
        if let Some(ticket) = self.idle.watched.take() {
            self.idle.seen = ticket;
        }
        std::mem::take(&mut self.drivers)
    }
}
