//! How a sleeping driver is woken: rung twice before it looks is rung once, as with the hosts.

use std::sync::Mutex as Plain;

use shuttle::sync::{Condvar, Mutex};

pub(crate) struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
    /// When the host's timer fires; infinite for never. Looked at and changed at once.
    timer: Plain<f64>,
}

impl Bell {
    pub(crate) fn new() -> Self {
        Self {
            rung: Mutex::new(false),
            changed: Condvar::new(),
            timer: Plain::new(f64::INFINITY),
        }
    }

    pub(crate) fn ring(&self) {
        *self.rung.lock().expect("no panic") = true;
        self.changed.notify_one();
    }

    /// Sleeps until it is rung.
    pub(crate) fn wait(&self) {
        let mut rung = self.rung.lock().expect("no panic");
        while !*rung {
            rung = self.changed.wait(rung).expect("no panic");
        }
        *rung = false;
    }

    /// The host's timer; one that is due already fires at once.
    pub(crate) fn arm(&self, at: f64, now: f64) {
        *self.timer.lock().expect("no panic") = at;
        self.tick(now);
    }

    pub(crate) fn tick(&self, now: f64) {
        let mut timer = self.timer.lock().expect("no panic");
        let is_due = *timer <= now;
        if is_due {
            *timer = f64::INFINITY;
        }
        drop(timer);
        if is_due {
            self.ring();
        }
    }
}
