//! The drivers of one bulkhead, one for each loop that uses it: what it will do without being asked
//! again, and whom it has to notify.

use std::collections::VecDeque;
use std::sync::Arc;

use bulkheads_core::{Id, Instant, OwnerId};
use bulkheads_driver::Bell;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::event_loop::asyncio::Thread;
use crate::event_loop::clock::Clock;
use crate::event_loop::wakes::Wakes;
use crate::table::Ticket;

/// A loop, and what it calls back.
pub(crate) struct Host {
    pub(crate) event_loop: Py<PyAny>,
    /// The context of every callback: an empty one, not that of a caller who happens to be first.
    pub(crate) context: Py<PyDict>,
    pub(crate) cancel: Py<PyAny>,
    pub(crate) fire: Py<PyAny>,
    pub(crate) settle: Py<PyAny>,
    pub(crate) tidy: Py<PyAny>,
    pub(crate) wake: Py<PyAny>,
}

/// What a driver still has to ask of Python, in the order of the core's events.
pub(crate) enum HostCall {
    /// Set the timer.
    Arm(Instant),
    /// Cancel the task of a call.
    Cancel(Ticket, Id),
    /// Settle these futures.
    Resolve(Vec<Py<PyAny>>),
    /// Cancel the timer in the next turn of the loop, unless it is needed by then.
    Tidy,
    /// Wake the next batch of waiters.
    WakeBatch,
}

/// How an owner's thread or loop is woken.
pub(crate) enum Waker {
    Loop(OwnerId, Arc<Host>),
    Thread(std::thread::Thread),
    /// An event of gevent's or eventlet's, for a greenlet.
    Green(Py<PyAny>),
}

/// The driver of one loop.
pub(crate) struct Driver {
    pub(crate) owner: OwnerId,
    pub(crate) host: Arc<Host>,
    pub(crate) bell: Arc<Bell<Waker>>,
    pub(crate) clock: Clock,
    /// Whether its clock is the system's.
    pub(crate) is_real: bool,
    /// Where its loop ran when it was used last.
    thread: Thread,
    pub(crate) timer: Timer,
    pub(crate) wakes: Wakes,
    /// Futures of the idle waiters.
    pub(crate) idle_waiters: Vec<Py<PyAny>>,
    /// Futures of the capacity waiters: done when it is time to ask again.
    pub(crate) capacity_waiters: Vec<Py<PyAny>>,
    /// Calls whose tasks are to be cancelled in the next turn of the loop.
    pub(crate) cancels: Vec<(Ticket, Id)>,
    pub(crate) pending: VecDeque<HostCall>,
    /// Whether a caller further up the stack makes the pending calls: a nested one leaves its own
    /// to that, so that they keep the order of the core.
    pub(crate) is_calling: bool,
}

/// Nanoseconds: no thread reads the clock so much earlier than another one whose input comes first.
const FAR_BACK: u64 = 1_000_000_000;

/// How far a clock is behind, if it has gone far back; else it is a matter of who came first.
pub(crate) fn behind(now: Instant, latest: Instant) -> u64 {
    let gap = latest.nanos_since(now);
    if gap < FAR_BACK { 0 } else { gap }
}

/// A loop's timer.
pub(crate) struct Timer {
    /// When it fires.
    pub(crate) armed: Instant,
    /// Before this it makes no sense to fire again.
    pub(crate) earliest: Instant,
    pub(crate) handle: Option<Py<PyAny>>,
    /// How far the loop's clock is behind the core's time, and was when the timer was armed: tests
    /// let clocks travel there and back.
    gap: u64,
    armed_gap: u64,
    /// It is not needed now; the loop's next turn cancels it, unless it is needed again by then.
    pub(crate) cancel_scheduled: bool,
}

impl Driver {
    pub(crate) fn new(owner: OwnerId, host: Arc<Host>, clock: Clock, is_real: bool) -> Self {
        Self {
            owner,
            bell: Bell::new(Waker::Loop(owner, Arc::clone(&host))),
            host,
            clock,
            is_real,
            thread: Thread::current(),
            timer: Timer {
                armed: Instant::NEVER,
                earliest: Instant::ZERO,
                handle: None,
                gap: 0,
                armed_gap: 0,
                cancel_scheduled: false,
            },
            wakes: Wakes::default(),
            idle_waiters: Vec::new(),
            capacity_waiters: Vec::new(),
            cancels: Vec::new(),
            pending: VecDeque::new(),
            is_calling: false,
        }
    }

    /// The loop's clock was read. The core does not go back with one that has gone far back: then
    /// what is armed would come when that has caught up, and is armed anew.
    pub(crate) fn set_clock(&mut self, now: Instant, latest: Instant) {
        let timer = &mut self.timer;
        timer.gap = behind(now, latest);
        // Threads and loops in Python 7
        if timer.gap.abs_diff(timer.armed_gap) >= FAR_BACK {
            timer.armed = Instant::NEVER;
            timer.earliest = Instant::ZERO;
        }
    }

    /// When a timer is to fire, on the loop's clock.
    pub(crate) fn arm(&mut self, when: Instant) -> u64 {
        let timer = &mut self.timer;
        timer.armed_gap = timer.gap;
        when.nanos_since(Instant::ZERO.after(self.clock.offset))
            .saturating_sub(timer.gap)
    }

    /// Waiters were notified, or cancelled: the loop is to wake them.
    pub(crate) fn wake(&mut self, id: Id) {
        // Admission 5.2: the loop wakes them in a later turn, in the order of their grants.
        if self.wakes.push(id) {
            self.pending.push_back(HostCall::WakeBatch);
        }
    }

    /// A batch was taken and not woken to its end.
    pub(crate) fn put_back(&mut self, rest: Vec<Id>) {
        self.wakes.put_back(rest);
        self.pending.push_back(HostCall::WakeBatch);
    }

    /// Something that is no waiter's end. Waiters that are notified after it are woken after it.
    pub(crate) fn push(&mut self, call: HostCall) {
        self.wakes.close_batch();
        self.pending.push_back(call);
    }

    /// The futures of both kinds of waiters.
    pub(crate) fn waiters(&mut self) -> [&mut Vec<Py<PyAny>>; 2] {
        [&mut self.idle_waiters, &mut self.capacity_waiters]
    }

    /// Whether its caller is to make the pending calls, and so to ask `next_call` until there is
    /// none.
    pub(crate) fn starts_calling(&mut self) -> bool {
        // Running 8
        let starts = !self.is_calling && !self.pending.is_empty();
        self.is_calling |= starts;
        starts
    }

    pub(crate) fn next_call(&mut self) -> Option<(Arc<Host>, HostCall)> {
        let call = self.pending.pop_front();
        self.is_calling = call.is_some();
        call.map(|call| (Arc::clone(&self.host), call))
    }

    /// Sees to a timer for the next deadline.
    ///
    /// One that is armed too early stays: it fires, finds nothing and is armed again. One that is
    /// not needed stays until the loop's next turn: calls that end in the turn they began in would
    /// otherwise each leave a cancelled timer behind, which a loop gets rid of only between its
    /// turns.
    pub(crate) fn plan_timer(&mut self, next: Option<Instant>) {
        let timer = &mut self.timer;
        let Some(next) = next else {
            if timer.armed < Instant::NEVER && !timer.cancel_scheduled {
                timer.cancel_scheduled = true;
                self.pending.push_back(HostCall::Tidy);
            }
            return;
        };
        let when = next.max(timer.earliest);
        if when < timer.armed {
            timer.armed = when;
            self.pending.push_back(HostCall::Arm(when));
        }
    }
}

/// All that live, in the order in which they came.
#[derive(Default)]
pub(crate) struct Drivers(Vec<Driver>);

impl Drivers {
    /// The driver of a loop that runs in this thread.
    #[inline]
    pub(crate) fn of(&self, event_loop: &Bound<'_, PyAny>) -> Option<&Driver> {
        let mut drivers = self.0.iter();
        let driver = drivers.find(|driver| driver.host.event_loop.is(event_loop))?;
        (driver.thread == Thread::current()).then_some(driver)
    }

    /// As `of`, for a loop that is known to run in this thread, perhaps for the first time.
    pub(crate) fn take_over(&mut self, event_loop: &Bound<'_, PyAny>) -> Option<OwnerId> {
        let mut drivers = self.0.iter_mut();
        let driver = drivers.find(|driver| driver.host.event_loop.is(event_loop))?;
        driver.thread = Thread::current();
        Some(driver.owner)
    }

    pub(crate) fn push(&mut self, driver: Driver) {
        self.0.push(driver);
    }

    pub(crate) fn remove(&mut self, owner: OwnerId) -> Option<Driver> {
        let place = self.0.iter().position(|driver| driver.owner == owner);
        place.map(|place| self.0.remove(place))
    }

    pub(crate) fn get(&self, owner: OwnerId) -> Option<&Driver> {
        self.0.iter().find(|driver| driver.owner == owner)
    }

    pub(crate) fn get_mut(&mut self, owner: OwnerId) -> Option<&mut Driver> {
        self.0.iter_mut().find(|driver| driver.owner == owner)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Driver> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Driver> {
        self.0.iter_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether several loops use the bulkhead, so that each has to wake the others.
    pub(crate) fn is_shared(&self) -> bool {
        self.0.len() > 1
    }

    /// What they hold of Python's.
    pub(crate) fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        for driver in &self.0 {
            let host = &driver.host;
            visit.call(&host.event_loop)?;
            visit.call(&host.context)?;
            for callback in [
                &host.cancel,
                &host.fire,
                &host.settle,
                &host.tidy,
                &host.wake,
            ] {
                visit.call(callback)?;
            }
            visit.call(&driver.timer.handle)?;
            for future in driver.idle_waiters.iter().chain(&driver.capacity_waiters) {
                visit.call(future)?;
            }
        }
        Ok(())
    }
}
