//! The drivers as the compiled parts know them: enough to use the one whose loop runs, without asking Python.

use bulkheads_core::OwnerId;
use bulkheads_engine::owner_number;
use pyo3::prelude::*;

use crate::engine::whole;
use crate::host::Thread;
use crate::wakes::Wakes;

/// The driver of one loop.
pub(crate) struct Driver {
    owner: OwnerId,
    pub(crate) event_loop: Py<PyAny>,
    /// The `LoopDriver`.
    pub(crate) object: Py<PyAny>,
    pub(crate) clock: Py<PyAny>,
    /// Where its loop ran when it was used last.
    thread: Thread,
    timer: Timer,
    /// Whether it is in the middle of telling: what comes of a call then comes after that.
    is_settling: bool,
    pub(crate) wakes: Wakes,
}

/// What the loop will do without being asked again.
#[derive(Clone, Copy)]
pub(crate) struct Timer {
    /// When it fires next.
    pub(crate) armed: f64,
    /// Whether it is looked after in the next turn, should nobody need it any more.
    pub(crate) is_tidied: bool,
}

/// Known are those whose loop has brought a call; `owners` are all that live, known or not.
#[derive(Default)]
pub(crate) struct Drivers {
    known: Vec<Driver>,
    owners: Vec<OwnerId>,
}

impl Drivers {
    /// The driver of a loop that runs in this thread.
    pub(crate) fn of(&self, event_loop: &Bound<'_, PyAny>) -> Option<&Driver> {
        self.known
            .iter()
            .find(|driver| driver.event_loop.is(event_loop))
            .filter(|driver| driver.thread == Thread::current())
    }

    /// A driver is found from here on if its loop runs in this thread; false if it has to be introduced first.
    pub(crate) fn is_here(&mut self, owner: OwnerId) -> bool {
        let driver = self.get_mut(owner);
        driver.is_some_and(|driver| {
            driver.thread = Thread::current();
            true
        })
    }

    pub(crate) fn introduce(&mut self, driver: Driver) {
        self.known.push(driver);
    }

    /// The owner of this number, unless it was evicted.
    pub(crate) fn owner(&self, number: i64) -> Option<OwnerId> {
        let mut owners = self.owners.iter();
        owners
            .find(|owner| whole(owner_number(**owner)) == number)
            .copied()
    }

    pub(crate) fn forget(&mut self, owner: OwnerId) -> Option<Driver> {
        let place = self.known.iter().position(|driver| driver.owner == owner);
        place.map(|place| self.known.swap_remove(place))
    }

    pub(crate) fn forget_all(&mut self) -> Vec<Driver> {
        std::mem::take(&mut self.known)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Driver> {
        self.known.iter()
    }

    pub(crate) fn attach(&mut self, owner: OwnerId) {
        self.owners.push(owner);
    }

    pub(crate) fn detach(&mut self, owner: OwnerId) {
        self.owners.retain(|other| *other != owner);
    }

    /// Whether several loops use the bulkhead, so that each has to wake the others.
    pub(crate) fn is_shared(&self) -> bool {
        self.owners.len() > 1
    }

    pub(crate) fn get(&self, owner: OwnerId) -> Option<&Driver> {
        self.known.iter().find(|driver| driver.owner == owner)
    }

    pub(crate) fn get_mut(&mut self, owner: OwnerId) -> Option<&mut Driver> {
        self.known.iter_mut().find(|driver| driver.owner == owner)
    }
}

impl Driver {
    pub(crate) fn new(
        owner: OwnerId,
        object: Bound<'_, PyAny>,
        event_loop: Bound<'_, PyAny>,
        clock: Bound<'_, PyAny>,
        timer: Timer,
    ) -> Self {
        Self {
            owner,
            event_loop: event_loop.unbind(),
            object: object.unbind(),
            clock: clock.unbind(),
            thread: Thread::current(),
            timer,
            is_settling: false,
            wakes: Wakes::default(),
        }
    }

    pub(crate) const fn owner(&self) -> OwnerId {
        self.owner
    }

    pub(crate) fn note_timer(&mut self, timer: Timer) {
        self.timer = timer;
    }

    pub(crate) fn note_settling(&mut self, is_settling: bool) {
        self.is_settling = is_settling;
    }

    /// Whether an input may be told of without it, if `next` is the next deadline then: its timer serves as it is, and it is
    /// not telling. A timer that fires too early serves.
    pub(crate) fn is_at_rest(&self, next: f64) -> bool {
        let Timer { armed, is_tidied } = self.timer;
        let serves = if next < f64::INFINITY {
            armed <= next
        } else {
            armed == f64::INFINITY || is_tidied
        };
        serves && !self.is_settling
    }
}
