//! The moves of a slot from phase to phase: the only place that writes a phase, takes and gives
//! permits for a slot, and counts its ends; but for runs that need no clock, which come and go in
//! one move each (`Hull::acquire_untimed`, `Hull::finish_untimed`).

use crate::books::Why;
use crate::calls::{Call, Phase};
use crate::event::Event;
use crate::hull::Hull;
use crate::ids::Id;
use crate::time::Instant;

impl Hull {
    /// Moves a slot to another phase, with the timer of that phase due at `due`.
    fn transition(&mut self, slot: u32, to: Phase, why: Why, due: Instant) {
        let (from, index) = {
            let call = self.calls.get(slot);
            (call.phase, call.compartment)
        };
        self.leave(slot, from, to, why);
        // Leaving the queue 0: every end of a wait comes through here, and leaves the phase.
        self.compartment_mut(index).books.count(why);
        if to == Phase::Free {
            self.calls.remove(slot);
        } else {
            self.enter(slot, from, to);
            self.owners.arm(&mut self.calls, due, slot);
        }
    }

    fn leave(&mut self, slot: u32, from: Phase, to: Phase, why: Why) {
        self.owners.disarm(&mut self.calls, slot);
        let call = self.calls.get(slot);
        let (index, weight) = (call.compartment, call.weight);
        let nanos = self.now.nanos_since(call.since);
        // Stats 2.2: an undelivered grant never ran.
        let is_measured = call.is_measured && why != Why::Undelivered;
        let here = &mut self.compartments[index as usize];
        if from == Phase::Waiting {
            // Stats 2.1
            here.queue.remove(&mut self.calls, slot);
            here.books.record_wait(nanos);
        }
        here.books.overrun -= u64::from(from == Phase::Overrun);
        // Running 1.1: the permits go back here, whatever the end is.
        if from.holds() && !to.holds() {
            here.pool.give(weight);
            if is_measured {
                here.books.record_run(nanos);
            }
        }
        if to == Phase::Free || from == Phase::Waiting {
            self.touch(index);
        }
    }

    fn enter(&mut self, slot: u32, from: Phase, to: Phase) {
        let call = self.calls.at(slot);
        call.phase = to;
        let (index, weight) = (call.compartment, call.weight);
        let here = &mut self.compartments[index as usize];
        if to == Phase::Waiting {
            self.arrivals += 1;
            call.seq = self.arrivals;
            call.since = self.now;
            here.queue.push(&mut self.calls, slot);
            here.books.peak_queued = here.books.peak_queued.max(here.queue.len());
        } else if !from.holds() {
            self.admissions += 1;
            call.seq = self.admissions;
            call.since = self.now;
            call.is_measured = here.sampling.next();
            let used = here.pool.take(weight);
            here.books.peak_active = here.books.peak_active.max(used);
        }
        here.books.overrun += u64::from(to == Phase::Overrun);
    }

    /// A call that fits runs at once.
    pub(crate) fn admit(&mut self, call: Call) -> Id {
        let due = self.run_deadline(&call, self.now);
        let slot = self.calls.insert(call);
        self.transition(slot, Phase::Running, Why::Admitted, due);
        self.calls.id(slot)
    }

    /// A call waits until `due`.
    pub(crate) fn enqueue(&mut self, call: Call, due: Instant) -> Id {
        let slot = self.calls.insert(call);
        self.transition(slot, Phase::Waiting, Why::Queued, due);
        self.calls.id(slot)
    }

    // Leaving the queue 2.1: the permits are its own from here on, though it has yet to start.
    pub(crate) fn grant(&mut self, slot: u32) {
        self.transition(slot, Phase::Granted, Why::Admitted, Instant::NEVER);
        let id = self.calls.id(slot);
        let owner = self.calls.get(slot).owner;
        self.owners.push_event(owner, Event::Granted { id });
    }

    /// A granted call goes on.
    pub(crate) fn start_granted(&mut self, slot: u32) {
        let call = self.calls.get(slot);
        // Vocabulary 6: the time between grant and start counts too.
        let due = self.run_deadline(call, call.since);
        self.transition(slot, Phase::Running, Why::Started, due);
    }

    /// Ends a waiter that is not granted, and notifies its owner.
    pub(crate) fn end_waiter(&mut self, slot: u32, why: Why) {
        let call = self.calls.get(slot);
        // Errors 7
        let (owner, nanos) = (call.owner, self.now.nanos_since(call.since));
        let id = self.calls.id(slot);
        let event = match why {
            Why::Closed => Event::Closed { id, nanos },
            Why::TooHeavy => Event::TooHeavy { id, nanos },
            _ => Event::QueueTimedOut { id, nanos },
        };
        self.owners.push_event(owner, event);
        self.end_call(slot, why);
    }

    /// Ends a call in whichever phase it is, without a notice.
    pub(crate) fn end_call(&mut self, slot: u32, why: Why) {
        self.transition(slot, Phase::Free, why, Instant::NEVER);
    }

    // Running 4.4, Running 4.5: the permits stay, and only the abandon timer bounds it now.
    /// The caller has its answer since `at`, the work goes on.
    pub(crate) fn answer_early(&mut self, slot: u32, why: Why, at: Instant) {
        let call = self.calls.get(slot);
        let config = &self.compartment(call.compartment).config;
        // Running 6.1: a manual permit is never abandoned.
        let due = if call.is_run {
            at.after(config.abandon_after)
        } else {
            Instant::NEVER
        };
        self.transition(slot, Phase::Overrun, why, due);
    }

    // Running 1.1, Running 2.4
    /// Changes the weight of a slot that holds its permits.
    pub(crate) fn reweigh(&mut self, slot: u32, weight: u32) {
        let call = self.calls.at(slot);
        let index = call.compartment;
        let before = core::mem::replace(&mut call.weight, weight);
        let here = &mut self.compartments[index as usize];
        here.pool.give(before);
        let used = here.pool.take(weight);
        here.books.peak_active = here.books.peak_active.max(used);
        self.touch(index);
    }

    // Running 2.5, Stats 4.1
    /// Takes `weight` of the permits of a slot that runs for a call of its own, which has the run
    /// deadline of the first.
    pub(crate) fn split_off(&mut self, slot: u32, weight: u32) -> Id {
        // That of its timer: reckoned from the grant, a part of a part would have a later one.
        let due = self.owners.due(&self.calls, slot);
        let call = self.calls.get(slot);
        let part = Call::new(call.owner, call.compartment, weight, call.is_run);
        let rest = call.weight - weight;
        self.reweigh(slot, rest);
        let part = self.calls.insert(part);
        self.transition(part, Phase::Running, Why::Admitted, due);
        self.calls.id(part)
    }

    // Vocabulary 7, Options 4.4, Running 6: a manual permit has the run deadline that it brought,
    // and no other.
    fn run_deadline(&self, call: &Call, granted: Instant) -> Instant {
        let own = granted.after(call.own_bound);
        if !call.is_run {
            return own;
        }
        let config = &self.compartment(call.compartment).config;
        let given = granted.after(config.call_timeout);
        own.min(given).min(call.deadline)
    }
}
