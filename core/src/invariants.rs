//! What is true between any two inputs; called after every step of every test.

use crate::bulkhead::Bulkhead;
use crate::owners::Kind;
use crate::store::{NIL, Phase};

impl Bulkhead {
    /// Checks every invariant; O(n), for tests.
    ///
    /// # Errors
    /// The one that does not hold.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.check_sums()?;
        self.check_queue()?;
        self.check_timers()?;
        self.check_books()
    }

    fn check_sums(&self) -> Result<(), &'static str> {
        let holders = || {
            self.store
                .in_use()
                .filter(|(_, entry)| entry.phase != Phase::Waiting)
        };
        let overrun = holders()
            .filter(|(_, entry)| entry.phase == Phase::Overrun)
            .count();
        let used: u64 = holders().map(|(_, entry)| u64::from(entry.weight)).sum();
        ensure(
            used == self.used,
            "permits in use are the weights of their holders",
        )?;
        ensure(
            holders().count() as u64 == self.books.running(),
            "running counts the holders",
        )?;
        ensure(
            overrun as u64 == self.overrun,
            "overrun counts the calls answered early",
        )?;
        ensure(
            self.books.peak_active >= self.used,
            "the peak is no lower than the present",
        )
    }

    fn check_queue(&self) -> Result<(), &'static str> {
        let waiting = self
            .store
            .in_use()
            .filter(|(_, entry)| entry.phase == Phase::Waiting);
        let length = self
            .store
            .queue()
            .take(self.store.queued() as usize + 1)
            .count();
        ensure(
            length == self.store.queued() as usize,
            "queued is the queue's length",
        )?;
        ensure(waiting.count() == length, "who waits is in the queue")?;
        ensure(
            length <= self.config.max_queue as usize,
            "the queue is bounded",
        )?;
        let seqs = || self.store.queue().map(|slot| self.store.get(slot).seq);
        ensure(
            seqs().zip(seqs().skip(1)).all(|(a, b)| a < b),
            "the queue is in order of arrival",
        )?;
        let head = self.store.head().map(|slot| self.store.get(slot).weight);
        ensure(
            !head.is_some_and(|weight| self.fits(weight)),
            "a head that fits was granted",
        )
    }

    fn check_timers(&self) -> Result<(), &'static str> {
        for owner in self.owners.iter() {
            for (kind, timers) in [Kind::Wait, Kind::Run, Kind::Grace]
                .into_iter()
                .zip(&owner.timers)
            {
                let phase = match kind {
                    Kind::Wait => Phase::Waiting,
                    Kind::Run => Phase::Running,
                    Kind::Grace => Phase::Overrun,
                };
                ensure(
                    timers.is_in_order(&self.store),
                    "the first deadline comes first",
                )?;
                for (place, due) in timers.places(&self.store) {
                    let entry = self.store.get(due.slot);
                    ensure(
                        entry.timer == place,
                        "a slot knows where its deadline stands",
                    )?;
                    ensure(entry.phase == phase, "a timer belongs to its phase")?;
                    ensure(
                        !self.owners.nothing_due(due.at),
                        "no deadline lies before the bound",
                    )?;
                }
            }
        }
        let armed = self
            .store
            .in_use()
            .filter(|(_, entry)| entry.timer != NIL)
            .count();
        let timers = self.owners.iter().flat_map(|owner| &owner.timers);
        ensure(
            self.owners.has_deadlines() == (armed > 0),
            "whether there are deadlines is known",
        )?;
        ensure(
            armed
                == timers
                    .map(|timers| timers.places(&self.store).count())
                    .sum(),
            "no timer is lost",
        )
    }

    fn check_books(&self) -> Result<(), &'static str> {
        let books = &self.books;
        let returned = books.admitted - books.unclaimed - books.running();
        ensure(
            self.sampling.every() > 1 || books.ran.summary().count == returned,
            "ran has a value for each permit that came back, if all are measured",
        )
    }
}

fn ensure(holds: bool, what: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(what) }
}
