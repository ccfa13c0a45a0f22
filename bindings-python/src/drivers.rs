//! The drivers as the compiled parts know them: enough to use the one whose loop runs, without asking Python.

use bulkheads::OwnerId;
use bulkheads::engine::owner_number;
use pyo3::prelude::*;

use crate::engine::whole;
use crate::host::Thread;

/// The driver of one loop.
pub(crate) struct Driver {
    pub(crate) owner: OwnerId,
    pub(crate) event_loop: Py<PyAny>,
    /// The `LoopDriver`.
    pub(crate) object: Py<PyAny>,
    pub(crate) clock: Py<PyAny>,
    /// Where its loop ran when it was used last.
    thread: Thread,
    timer: Timer,
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

    /// Answers what was known before, to be dropped after the lock. An owner that was evicted meanwhile stays unknown.
    pub(crate) fn know(
        &mut self,
        owner: i64,
        object: Py<PyAny>,
        event_loop: Py<PyAny>,
        clock: Py<PyAny>,
        timer: Timer,
    ) -> Option<Driver> {
        let owner = self
            .owners
            .iter()
            .find(|other| whole(owner_number(**other)) == owner);
        let owner = *owner?;
        let before = self.forget(owner);
        self.known.push(Driver {
            owner,
            event_loop,
            object,
            clock,
            thread: Thread::current(),
            timer,
        });
        before
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

    pub(crate) fn note_timer(&mut self, owner: OwnerId, timer: Timer) {
        if let Some(driver) = self.known.iter_mut().find(|driver| driver.owner == owner) {
            driver.timer = timer;
        }
    }

    /// Whether the timer serves as it is if `next` is the next deadline. One that fires too early does.
    pub(crate) fn is_armed(&self, owner: OwnerId, next: f64) -> bool {
        let Some(driver) = self.known.iter().find(|driver| driver.owner == owner) else {
            return false;
        };
        let Timer { armed, is_tidied } = driver.timer;
        if next < f64::INFINITY {
            armed <= next
        } else {
            armed == f64::INFINITY || is_tidied
        }
    }
}
