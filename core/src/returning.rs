//! From the grant to the permits' return.

use crate::books::Why;
use crate::calls::Phase;
use crate::hull::Hull;
use crate::ids::{CompartmentId, Id};
use crate::step::Step;

/// How a permit's holder ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Completed,
    /// It failed, or was cancelled.
    Failed,
}

/// What reclaiming a permit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reclaim {
    /// It came back; not the first of its bulkhead that leaked.
    Again,
    /// It came back, the first of its bulkhead that leaked: the host warns.
    First,
    /// Nothing: the id is stale.
    Stale,
}

impl Hull {
    /// What the permit that has just been counted as leaked was.
    pub(crate) fn reclaimed(&self, index: u32) -> Reclaim {
        if self.compartment(index).books.leaked == 1 {
            Reclaim::First
        } else {
            Reclaim::Again
        }
    }

    /// See [`crate::Bulkhead::start`].
    pub fn start(&mut self, id: Id) {
        let call = self.calls.current(id);
        if call.is_some_and(|call| call.phase == Phase::Granted) {
            self.start_granted(id.slot());
        }
    }

    /// See [`crate::Bulkhead::finish_untimed`].
    pub fn finish_untimed(&mut self, id: Id, outcome: Outcome) -> bool {
        let Some(call) = self.calls.current(id).filter(|call| !call.is_measured) else {
            return false;
        };
        // Quiescent: no call waits, so a current id holds permits; it may be overrun, without an
        // abandon timer.
        let (index, weight) = (call.compartment, call.weight);
        let is_overrun = call.phase == Phase::Overrun;
        if !self.is_quiescent(index) {
            return false;
        }
        // Running 1.1, Running 4.5
        self.calls.remove(id.slot());
        self.compartment_mut(index).pool.give(weight);
        let books = &mut self.compartments[index as usize].books;
        books.overrun -= u64::from(is_overrun);
        books.count(outcome.why(is_overrun));
        true
    }
}

impl Step<'_> {
    /// See [`crate::Bulkhead::finish`]; of a step that [`Hull::at_result`] has made.
    pub fn finish(&mut self, id: Id, outcome: Outcome) -> bool {
        // Running 4.7: the id of an abandoned run is stale, so nothing is counted.
        let Some(phase) = self.holding(id) else {
            return false;
        };
        let why = outcome.why(phase == Phase::Overrun);
        self.hull.end_call(id.slot(), why);
        true
    }

    /// See [`crate::Bulkhead::release`]; of a step that [`Hull::at_result`] has made.
    // Running 2.1, Running 2.2
    pub fn release(&mut self, CompartmentId(index): CompartmentId, id: Id) -> bool {
        let call = self.hull.calls.current(id);
        let is_here = call.is_some_and(|call| call.compartment == index);
        let is_released = is_here && self.finish(id, Outcome::Completed);
        let books = &mut self.hull.compartment_mut(index).books;
        books.double_releases += u64::from(!is_released);
        is_released
    }

    /// See [`crate::Bulkhead::reclaim`]; of a step that [`Hull::at_result`] has made.
    // Running 3.1
    pub fn reclaim(&mut self, id: Id) -> Reclaim {
        if self.holding(id).is_none() {
            return Reclaim::Stale;
        }
        let index = self.hull.calls.get(id.slot()).compartment;
        self.hull.end_call(id.slot(), Why::Leaked);
        self.hull.reclaimed(index)
    }

    /// The phase of an id that holds permits.
    fn holding(&self, id: Id) -> Option<Phase> {
        let call = self.hull.calls.current(id)?;
        call.phase.holds().then_some(call.phase)
    }
}

impl Outcome {
    // Running 4.5, Stats 4.2: whatever was answered early counts as failed.
    pub(crate) const fn why(self, is_overrun: bool) -> Why {
        match self {
            Self::Completed if !is_overrun => Why::Completed,
            Self::Completed | Self::Failed => Why::Failed,
        }
    }
}
