//! Callers who give up.

use crate::books::Why;
use crate::calls::Phase;
use crate::event::Event;
use crate::hull::Hull;
use crate::ids::Id;
use crate::step::Step;

/// What giving up did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    /// It runs: its caller is answered, its permits stay until it is finished.
    AnsweredEarly,
    /// Nothing: it is stale, was answered already, or is a permit that its caller holds.
    Settled,
    /// It never runs: it left the queue, or its undelivered grant passed on.
    Withdrawn,
}

impl Step<'_> {
    /// See [`crate::Bulkhead::cancel`].
    pub fn cancel(&mut self, id: Id) -> Cancellation {
        self.hull.withdraw(id)
    }

    /// See [`crate::Bulkhead::abort`].
    // Time 5: every end first, in the order of `ids`; the grants come when the step is dropped.
    pub fn abort(&mut self, ids: impl IntoIterator<Item = Id>) {
        let hull = &mut *self.hull;
        for id in ids {
            let owner = hull.calls.current(id).map(|call| call.owner);
            let is_cancelled = hull.withdraw(id) != Cancellation::Settled;
            if let Some(owner) = owner.filter(|_| is_cancelled) {
                hull.owners.push_event(owner, Event::Cancelled { id });
            }
        }
    }
}

impl Hull {
    fn withdraw(&mut self, id: Id) -> Cancellation {
        let Some(call) = self.calls.current(id) else {
            return Cancellation::Settled;
        };
        let slot = id.slot();
        match call.phase {
            Phase::Waiting => {
                self.end_call(slot, Why::Cancelled);
                Cancellation::Withdrawn
            }
            // Leaving the queue 2.2
            Phase::Granted => {
                self.end_call(slot, Why::Undelivered);
                Cancellation::Withdrawn
            }
            // Running 4.2
            Phase::Running if call.is_run => {
                self.answer_early(slot, Why::AnsweredEarly, self.now);
                Cancellation::AnsweredEarly
            }
            Phase::Running | Phase::Overrun | Phase::Free => Cancellation::Settled,
        }
    }
}
