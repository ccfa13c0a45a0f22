//! What time does by itself. Everything due by `now` is one instant with one order: waits that
//! end, bounds that pass, graces that end, then the grants that all of these allow.

use crate::bulkhead::Bulkhead;
use crate::event::Event;
use crate::owners::Kind;
use crate::store::Phase;
use crate::time::Instant;

impl Bulkhead {
    /// Does what is due. Call it when the timer of [`Bulkhead::poll_timeout`] fires; calls too
    /// early or too often do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.advance(now);
    }

    /// The first half of every input.
    pub(crate) fn advance(&mut self, now: Instant) {
        self.now = self.now.max(now);
        if self.owners.nothing_due(self.now) {
            return;
        }
        self.end_waits();
        self.time_out_runs();
        self.abandon_runs();
        self.owners.refresh_next_due(&self.store);
        self.settle();
    }

    fn end_waits(&mut self) {
        while let Some(due) = self.owners.pop_due(&mut self.store, Kind::Wait, self.now) {
            self.books.rejected.queue_timeout += 1;
            self.end_waiter(due.slot, |id, nanos| Event::QueueTimedOut { id, nanos });
        }
    }

    fn time_out_runs(&mut self) {
        while let Some(due) = self.owners.pop_due(&mut self.store, Kind::Run, self.now) {
            self.books.call_timeouts += 1;
            let nanos = self.now.nanos_since(self.store.get(due.slot).since);
            let event = Event::CallTimedOut {
                id: self.store.id(due.slot),
                nanos,
            };
            self.owners
                .push_event(self.store.get(due.slot).owner, event);
            self.answer_early(due.slot, due.at);
        }
    }

    fn abandon_runs(&mut self) {
        while let Some(due) = self.owners.pop_due(&mut self.store, Kind::Grace, self.now) {
            self.books.abandoned_runs += 1;
            self.give_back(due.slot);
        }
    }

    /// The caller has its answer, the work goes on: from now on only its grace bounds it.
    pub(crate) fn answer_early(&mut self, slot: u32, at: Instant) {
        self.owners.disarm(&mut self.store, Kind::Run, slot);
        self.store.at(slot).phase = Phase::Overrun;
        self.overrun += 1;
        let end = at.after(self.config.abandon_after);
        self.owners.arm(&mut self.store, Kind::Grace, end, slot);
    }

    /// Sets the bound of a run that has just started.
    pub(crate) fn arm_bound(&mut self, slot: u32) {
        let entry = self.store.get(slot);
        if entry.run {
            let bound = entry.since.after(self.config.call_timeout).min(entry.bound);
            self.owners.arm(&mut self.store, Kind::Run, bound, slot);
        }
    }
}
