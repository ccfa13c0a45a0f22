//! What is true between any two inputs; called after every step of every test.

use crate::calls::{Call, Phase};
use crate::hull::Hull;
use crate::list::NIL;
use crate::owners::{Alarm, Alarms, Owner, Timer};
use crate::snapshot::State;

type Checked = Result<(), &'static str>;

impl Hull {
    /// Checks every invariant; O(n · k), for tests.
    ///
    /// # Errors
    /// The one that does not hold.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Checked {
        for index in self.indices() {
            self.check_sums(index)?;
            self.check_queue(index)?;
            self.check_books(index)?;
        }
        ensure(self.touched.is_empty(), "every step has settled")?;
        self.check_timers()
    }

    fn check_sums(&self, index: u32) -> Checked {
        let holders = || self.calls_of(index).filter(|call| call.phase.holds());
        let counted = u64::from(self.compartment(index).counted.runs());
        let books = &self.compartment(index).books;
        let overrun = holders().filter(|call| call.phase == Phase::Overrun);
        let weights: u64 = holders().map(|call| u64::from(call.weight)).sum();
        ensure(
            weights + counted == self.compartment(index).pool.used(),
            "permits in use are the weights of their holders",
        )?;
        ensure(
            holders().count() as u64 + counted == books.running(),
            "running counts the holders",
        )?;
        ensure(
            overrun.count() as u64 == books.overrun,
            "overrun counts the calls answered early",
        )?;
        ensure(
            books.peak_active >= self.compartment(index).pool.used(),
            "the peak is no lower than the present",
        )
    }

    fn check_queue(&self, index: u32) -> Checked {
        let here = self.compartment(index);
        let queue = &here.queue;
        let waiting = self
            .calls_of(index)
            .filter(|call| call.phase == Phase::Waiting);
        let length = queue
            .iter(&self.calls)
            .take(queue.len() as usize + 1)
            .count();
        ensure(
            length == queue.len() as usize,
            "queued is the queue's length",
        )?;
        ensure(waiting.count() == length, "who waits is in the queue")?;
        ensure(
            length <= here.config.max_queue as usize,
            "the queue is bounded",
        )?;
        let seqs = || queue.iter(&self.calls).map(|slot| self.calls.get(slot).seq);
        ensure(
            seqs().zip(seqs().skip(1)).all(|(a, b)| a < b),
            "the queue is in order of arrival",
        )?;
        let head = queue.head().map(|slot| self.calls.get(slot).weight);
        ensure(
            !head.is_some_and(|weight| self.compartment(index).pool.fits(weight)),
            "a head that fits was granted",
        )
    }

    fn check_timers(&self) -> Checked {
        let mut timers = 0;
        for (timer, deadlines) in self.owners.iter().flat_map(Owner::timers) {
            ensure(
                deadlines.is_in_order(&self.calls),
                "the first deadline comes first",
            )?;
            for (place, due) in deadlines.places(&self.calls) {
                let call = self.calls.get(due.slot);
                timers += 1;
                ensure(call.timer == place, "a slot knows where its timer stands")?;
                ensure(
                    Timer::of(call.phase) == Some(timer),
                    "a timer belongs to its phase",
                )?;
                ensure(
                    !self.owners.is_nothing_due(due.at),
                    "no deadline lies before the next one due",
                )?;
            }
        }
        let mut alarms = 0;
        for (index, owner) in (0..).zip(self.owners.iter()) {
            for alarm in owner.alarms() {
                alarms += 1;
                ensure(self.is_wanted(index, alarm), "an alarm has what it is for")?;
                ensure(
                    !self.owners.is_nothing_due(alarm.at),
                    "no alarm lies before the next one due",
                )?;
            }
        }
        let armed = self.calls.in_use().filter(|(_, call)| call.timer != NIL);
        let armed = armed.count();
        ensure(
            self.owners.armed() == armed + alarms,
            "how many timers are set is known",
        )?;
        ensure(armed == timers, "no timer is lost")
    }

    fn is_wanted(&self, owner: u32, alarm: &Alarm) -> bool {
        let here = self.compartment(alarm.compartment);
        match alarm.why {
            Alarms::Room => {
                let mut watches = here.watches.iter();
                watches.any(|watch| watch.owner == owner && !watch.wish.is_for_idleness())
            }
            Alarms::Drain => {
                here.drain_ends <= alarm.at
                    && here.state == State::Draining
                    && !self.is_idle(alarm.compartment)
            }
        }
    }

    fn check_books(&self, index: u32) -> Checked {
        let here = self.compartment(index);
        let books = &here.books;
        let returned = books.admitted - books.unclaimed - books.running();
        ensure(
            here.sampling.every() > 1 || books.ran().count == returned,
            "ran has a value for each permit that came back, if all are measured",
        )
    }

    fn calls_of(&self, index: u32) -> impl Iterator<Item = &Call> {
        let calls = self.calls.in_use().map(|(_, call)| call);
        calls.filter(move |call| call.compartment == index)
    }
}

fn ensure(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}
