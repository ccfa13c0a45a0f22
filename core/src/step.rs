//! One step: what is due, then the inputs, then the grants and notices that they allow.

use crate::books::Why;
use crate::compartment::{Compartment, Room, Wish};
use crate::event::Event;
use crate::hull::Hull;
use crate::ids::CompartmentId;
use crate::owners::{Alarms, Timer};
use crate::snapshot::State;
use crate::time::Instant;

/// The inputs of one step; made by [`Hull::at`]. Its end, when it is dropped, grants and notifies.
#[must_use = "a step settles when it is dropped"]
#[derive(Debug)]
pub struct Step<'a> {
    pub(crate) hull: &'a mut Hull,
}

impl<'a> Step<'a> {
    pub(crate) const fn new(hull: &'a mut Hull) -> Self {
        Self { hull }
    }
}

impl Drop for Step<'_> {
    // Time 5: every end that the inputs cause comes before the grants.
    fn drop(&mut self) {
        self.hull.settle();
    }
}

impl Hull {
    // Time 1, Time 2.1, Time 3.3
    /// Does what is due. A time that goes backwards is taken as standing still.
    pub(crate) fn advance(&mut self, now: Instant) {
        self.now = self.now.max(now);
        if !self.owners.is_nothing_due(self.now) {
            self.work_off_due();
        }
    }

    // Time 2.2
    #[inline(never)]
    fn work_off_due(&mut self) {
        self.end_waits();
        self.time_out_runs();
        self.abandon_runs();
        self.heed_alarms();
        self.owners.refresh_next_due(&self.calls);
        self.settle();
    }

    // Time 3.2: at its deadline a waiter has timed out.
    fn end_waits(&mut self) {
        while let Some(due) = self.first_due(Timer::Wait) {
            // Leaving the queue 4.2: each at the cost of one, in one step.
            self.end_waiter(due.1, Why::QueueTimeout);
        }
    }

    // Running 4.1, Running 4.3: the answer is fixed here, before the host aborts any signal.
    fn time_out_runs(&mut self) {
        while let Some((at, slot)) = self.first_due(Timer::Run) {
            let call = self.calls.get(slot);
            // Errors 7
            let (owner, nanos) = (call.owner, self.now.nanos_since(call.since));
            let id = self.calls.id(slot);
            let event = Event::CallTimedOut { id, nanos };
            self.owners.push_event(owner, event);
            self.answer_early(slot, Why::CallTimeout, at);
        }
    }

    // Running 4.6
    fn abandon_runs(&mut self) {
        while let Some((_, slot)) = self.first_due(Timer::Abandon) {
            self.end_call(slot, Why::Abandoned);
        }
    }

    fn heed_alarms(&mut self) {
        while let Some((owner, alarm)) = self.owners.first_alarm(self.now) {
            match alarm.why {
                // Map 1.5: the owner asks again, and is rejected.
                Alarms::Room => self.notify_capacity(alarm.compartment, owner),
                // Ending 2.1
                Alarms::Drain => self.end(alarm.compartment),
            }
        }
    }

    fn first_due(&self, timer: Timer) -> Option<(Instant, u32)> {
        let due = self.owners.first_due(&self.calls, timer, self.now)?;
        Some((due.at, due.slot))
    }

    /// Marks a compartment whose grants, or whose watches, this step may have changed. One without
    /// waiters and watches has nothing to settle: that is the ordinary case, and worth the look.
    pub(crate) fn touch(&mut self, index: u32) {
        let here = &mut self.compartments[index as usize];
        let has_any =
            !here.queue.is_empty() || !here.watches.is_empty() || here.drain_ends < Instant::NEVER;
        if has_any && !here.is_touched {
            here.is_touched = true;
            self.touched.push(index);
        }
    }

    /// Ends a step: grants whatever fits now, then notifies who watches.
    pub(crate) fn settle(&mut self) {
        if !self.touched.is_empty() {
            self.settle_touched();
        }
    }

    #[inline(never)]
    fn settle_touched(&mut self) {
        // Leaving the queue 1, Resizing 1
        while let Some(slot) = self.next_grant() {
            self.grant(slot);
        }
        for place in 0..self.touched.len() {
            let index = self.touched[place];
            self.compartment_mut(index).is_touched = false;
            self.notify_watchers(index);
        }
        self.touched.clear();
    }

    /// The head to be granted next: of several compartments the one whose head came first.
    fn next_grant(&self) -> Option<u32> {
        let heads = self.touched.iter().filter_map(|index| {
            let slot = self.compartment(*index).queue.head()?;
            let call = self.calls.get(slot);
            let fits = self.compartment(*index).pool.fits(call.weight);
            fits.then_some((call.seq, slot))
        });
        heads.min().map(|(_, slot)| slot)
    }

    // Ending 7, Map 1.2
    fn notify_watchers(&mut self, index: u32) {
        let is_narrowed = core::mem::take(&mut self.compartment_mut(index).is_narrowed);
        // Idleness first: callers that wait for the end are notified before those that want to go
        // on.
        if self.is_idle(index) {
            self.clear_drain_bound(index);
            self.notify_idle(index);
        }
        while let Some(owner) = self.first_with_capacity(index, is_narrowed) {
            self.notify_capacity(index, owner);
        }
    }

    fn first_with_capacity(&self, index: u32, is_narrowed: bool) -> Option<u32> {
        let mut watches = self.compartment(index).watches.iter();
        let watch = watches.find(|watch| match watch.wish {
            Wish::Capacity(room) => is_narrowed || self.has_capacity(index, room),
            Wish::Idle { .. } => false,
        });
        watch.map(|watch| watch.owner)
    }

    fn notify_idle(&mut self, index: u32) {
        let compartment = CompartmentId(index);
        let mut place = 0;
        while let Some(watch) = self.compartment(index).watches.get(place).copied() {
            let Wish::Idle { ticket } = watch.wish else {
                place += 1;
                continue;
            };
            self.compartment_mut(index).watches.remove(place);
            let event = Event::Idle {
                compartment,
                ticket,
            };
            self.owners.push_event(watch.owner, event);
        }
    }

    /// An owner that watches for capacity asks again, for all of its calls.
    fn notify_capacity(&mut self, index: u32, owner: u32) {
        self.unwatch_capacity(index, owner);
        let compartment = CompartmentId(index);
        self.owners
            .push_event(owner, Event::Capacity { compartment });
    }

    // Map 1.2, Map 1.3
    /// Whether a call would not find the compartment full: it would run at once, or be rejected for
    /// good.
    pub(crate) fn has_capacity(&self, index: u32, Room { weight, siblings }: Room) -> bool {
        let Compartment {
            state, queue, pool, ..
        } = self.compartment(index);
        let runs = queue.is_empty() && pool.fits(weight) && siblings < pool.width(weight);
        *state != State::Open || pool.is_too_heavy(weight) || runs
    }
}
