//! The decision on an arriving call: it runs, waits, or is rejected.

use crate::calls::{Call, Plain};
use crate::compartment::Wish;
use crate::hull::Hull;
use crate::ids::{CompartmentId, Id};
use crate::options::InvalidOption;
use crate::rejection::{FullReason, Rejection};
use crate::request::Request;
use crate::snapshot::State;
use crate::step::Step;
use crate::time::{Instant, Span};

/// What became of an arriving call.
#[must_use = "an admitted call holds permits until it is finished or released"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It runs: it counts as started.
    Admitted(Id),
    /// It waits; an event says how its wait ends.
    Queued(Id),
    /// It never runs.
    Rejected(Rejection),
}

/// What became of a call that asked without a clock.
#[must_use = "an admitted call holds permits until it is finished or released"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Untimed {
    /// It runs.
    Admitted(Id),
    /// The time may matter, to this call or to another, or the weight is out of its range. Nothing
    /// has changed: ask with a time.
    NeedsClock,
    /// It never runs.
    Rejected(Rejection),
}

/// What became of a call that takes its permits at once or asks to hear when it could.
#[must_use = "an admitted call holds permits until it is finished or released"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// It runs.
    Admitted(Id),
    /// It never runs.
    Rejected(Rejection),
    /// Nothing was counted; one [`crate::Event::Capacity`] says when to ask again.
    Watching,
}

enum Decision {
    Run,
    Wait,
    Reject(Rejection),
}

impl Step<'_> {
    /// See [`crate::Bulkhead::acquire`].
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    pub fn acquire(
        &mut self,
        CompartmentId(index): CompartmentId,
        request: Request<'_>,
    ) -> Result<Admission, InvalidOption> {
        request.check()?;
        let hull = &mut *self.hull;
        Ok(match hull.decide(index, &request) {
            Decision::Run => Admission::Admitted(hull.admit_request(index, &request)),
            Decision::Wait => Admission::Queued(hull.enqueue_request(index, &request)),
            Decision::Reject(rejection) => Admission::Rejected(hull.reject(index, rejection)),
        })
    }

    /// See [`crate::Bulkhead::acquire_or_watch`].
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    // Map 1.1
    pub fn acquire_or_watch(
        &mut self,
        CompartmentId(index): CompartmentId,
        request: Request<'_>,
    ) -> Result<Offer, InvalidOption> {
        request.check()?;
        let hull = &mut *self.hull;
        Ok(match hull.decide(index, &request) {
            Decision::Run => Offer::Admitted(hull.admit_request(index, &request)),
            Decision::Wait | Decision::Reject(Rejection::Full(_)) => {
                hull.watch_capacity(index, &request);
                Offer::Watching
            }
            Decision::Reject(rejection) => Offer::Rejected(hull.reject(index, rejection)),
        })
    }

    /// See [`crate::Bulkhead::watch_capacity`].
    ///
    /// # Errors
    /// A weight out of its range.
    pub fn watch_capacity(
        &mut self,
        CompartmentId(index): CompartmentId,
        request: Request<'_>,
    ) -> Result<bool, InvalidOption> {
        request.check()?;
        let hull = &mut *self.hull;
        // Map 1.4, Nested calls 1.4: a call that would be rejected for good need not wait for that,
        // and neither need one of an owner that has ended.
        let has_capacity = hull.has_capacity(index, request.weight)
            || hull.waits_for_itself(index, &request)
            || hull.owners.find(request.owner).is_none();
        if !has_capacity {
            hull.watch_capacity(index, &request);
        }
        Ok(has_capacity)
    }
}

impl Hull {
    /// See [`crate::Bulkhead::acquire_untimed`].
    pub fn acquire_untimed(
        &mut self,
        CompartmentId(index): CompartmentId,
        request: &Request<'_>,
    ) -> Untimed {
        let is_timed = self.owners.has_timers() || request.deadline < Instant::NEVER;
        if is_timed || request.check().is_err() {
            return Untimed::NeedsClock;
        }
        match self.decide(index, request) {
            Decision::Run => self.admit_plain(index, request),
            Decision::Wait => Untimed::NeedsClock,
            Decision::Reject(rejection) => Untimed::Rejected(self.reject(index, rejection)),
        }
    }

    /// Decides on an arrival. Everything due has been done, or nothing can fall due.
    fn decide(&self, index: u32, request: &Request<'_>) -> Decision {
        let here = self.compartment(index);
        let Request { weight, .. } = *request;
        // Admission 1.1: these checks, in this order.
        if request.aborted {
            return Decision::Reject(Rejection::Cancelled);
        }
        if here.state != State::Open || self.owners.find(request.owner).is_none() {
            return Decision::Reject(Rejection::Closed);
        }
        if request.deadline <= self.now {
            return Decision::Reject(Rejection::QueueTimeout);
        }
        if self.compartment(index).pool.is_too_heavy(weight) {
            return Decision::Reject(Rejection::TooHeavy);
        }
        // Admission 2.1, Admission 2.2
        if here.queue.is_empty() && self.compartment(index).pool.fits(weight) {
            return Decision::Run;
        }
        // Admission 3.3, Nested calls 1.2
        if self.waits_for_itself(index, request) {
            let holding = self.held(index, request);
            return Decision::Reject(Rejection::Reentrant { holding });
        }
        // Admission 3.1, Options 3.2
        if here.has_place() && request.timeout > Span::ZERO {
            return Decision::Wait;
        }
        Decision::Reject(self.full(index).into())
    }

    // Errors 13
    /// Why a call that can neither run at once nor wait is rejected.
    fn full(&self, index: u32) -> FullReason {
        let here = self.compartment(index);
        if self.compartment(index).pool.is_paused() {
            FullReason::Paused
        } else if here.config.max_queue == 0 {
            FullReason::NoQueue
        } else if here.has_place() {
            FullReason::NotWilling
        } else {
            FullReason::QueueFull
        }
    }

    fn waits_for_itself(&self, index: u32, request: &Request<'_>) -> bool {
        let held = self.held(index, request);
        self.compartment(index)
            .pool
            .waits_for_itself(request.weight, held)
    }

    // Nested calls 2.2: ids whose permits came back are stale, and count nothing.
    /// The permits of this compartment that the caller holds; an id that is named twice counts once.
    fn held(&self, index: u32, request: &Request<'_>) -> u64 {
        let held = request.held;
        let once = held.iter().enumerate();
        let once = once.filter(|(place, id)| !held[..*place].contains(id));
        let calls = once.filter_map(|(_, id)| self.calls.current(*id));
        let here = calls.filter(|call| call.compartment == index && call.phase.holds());
        here.map(|call| u64::from(call.weight)).sum()
    }

    fn admit_request(&mut self, index: u32, request: &Request<'_>) -> Id {
        self.admit(call_of(index, request))
    }

    fn enqueue_request(&mut self, index: u32, request: &Request<'_>) -> Id {
        // Options 4.1: a call's own time-out may only shorten the bulkhead's.
        let timeout = self.compartment(index).config.wait_bound();
        let timeout = request.timeout.min(timeout);
        // Vocabulary 4, Vocabulary 5: the earlier of the two bounds the wait.
        // Time 3.1
        let due = self.now.after(timeout).min(request.deadline);
        self.enqueue(call_of(index, request), due)
    }

    /// Admits a run that fits without a clock, unless it needs one.
    fn admit_plain(&mut self, index: u32, request: &Request<'_>) -> Untimed {
        let here = &self.compartments[index as usize];
        let is_bounded = request.is_run && here.config.is_bounded();
        if is_bounded || here.sampling.left() == 0 {
            return Untimed::NeedsClock;
        }
        let Some(owner) = self.owners.find(request.owner) else {
            return Untimed::NeedsClock;
        };
        self.compartment_mut(index)
            .count_admissions(1, request.weight);
        self.admissions += 1;
        let slot = self.calls.insert_plain(Plain {
            seq: self.admissions,
            owner,
            compartment: index,
            weight: request.weight,
            is_run: request.is_run,
        });
        Untimed::Admitted(self.calls.id(slot))
    }

    fn watch_capacity(&mut self, index: u32, request: &Request<'_>) {
        if let Some(owner) = self.owners.find(request.owner) {
            let weight = request.weight;
            self.compartment_mut(index)
                .watch(owner, Wish::Capacity { weight });
        }
    }

    fn reject(&mut self, index: u32, rejection: Rejection) -> Rejection {
        let rejected = &mut self.compartment_mut(index).books.rejected;
        *match rejection {
            Rejection::Cancelled => &mut rejected.cancelled,
            Rejection::Closed => &mut rejected.closed,
            Rejection::Full(_) => &mut rejected.full,
            Rejection::QueueTimeout => &mut rejected.queue_timeout,
            Rejection::Reentrant { .. } => &mut rejected.reentrant,
            Rejection::TooHeavy => &mut rejected.too_heavy,
        } += 1;
        rejection
    }
}

fn call_of(index: u32, request: &Request<'_>) -> Call {
    let mut call = Call::new(request.owner.index, index, request.weight, request.is_run);
    call.deadline = request.deadline;
    call
}
