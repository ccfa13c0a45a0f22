//! How a driver's thread sleeps: until it is woken, or its timer fires.

use std::sync::Mutex as Plain;

use bulkheads_core::Instant;
use shuttle::sync::{Condvar, Mutex};

/// What the bell of a driver wakes: the host's thread, loop or worker.
#[derive(Debug)]
pub struct Sleeper {
    is_woken: Mutex<bool>,
    changed: Condvar,
    /// When the host's timer fires. Looked at and changed at once.
    timer: Plain<Instant>,
}

impl Sleeper {
    pub(crate) fn new() -> Self {
        Self {
            is_woken: Mutex::new(false),
            changed: Condvar::new(),
            timer: Plain::new(Instant::NEVER),
        }
    }

    pub(crate) fn wake(&self) {
        *self.is_woken.lock().expect("no panic") = true;
        self.changed.notify_one();
    }

    /// Sleeps until it is woken.
    pub(crate) fn sleep(&self) {
        let mut is_woken = self.is_woken.lock().expect("no panic");
        while !*is_woken {
            is_woken = self.changed.wait(is_woken).expect("no panic");
        }
        *is_woken = false;
    }

    /// Sets the host's timer; one that is due already fires at once.
    pub(crate) fn arm(&self, at: Instant, now: Instant) {
        *self.timer.lock().expect("no panic") = at;
        self.tick(now);
    }

    pub(crate) fn tick(&self, now: Instant) {
        let mut timer = self.timer.lock().expect("no panic");
        let is_due = *timer <= now;
        if is_due {
            *timer = Instant::NEVER;
        }
        drop(timer);
        if is_due {
            self.wake();
        }
    }
}
