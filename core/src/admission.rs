//! The decision on an arriving call: it runs, waits, or is rejected.

use crate::calls::{Call, Plain};
use crate::compartment::{Room, Wish};
use crate::hull::Hull;
use crate::ids::{CompartmentId, Id, OwnerId};
use crate::options::InvalidOption;
use crate::owners::Alarm;
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

/// What became of a call that takes its permits at once or asks for an event when it could.
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
            Decision::Run if hull.has_room(index, &request) => {
                Offer::Admitted(hull.admit_request(index, &request))
            }
            Decision::Run | Decision::Wait | Decision::Reject(Rejection::Full(_)) => {
                hull.watch_or_time_out(index, &request)
            }
            // Its deadline has passed: if it had to wait before, that was in vain.
            Decision::Reject(Rejection::QueueTimeout) if request.has_waited(hull.now) => {
                Offer::Rejected(hull.reject_without_room(index, &request))
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
        let has_capacity = hull.has_capacity(index, Room::of(&request))
            || hull.waits_for_itself(index, &request)
            || hull.owners.find(request.owner).is_none()
            || hull.room_bound(index, &request) <= hull.now;
        if !has_capacity {
            hull.watch_capacity(index, &request);
        }
        Ok(has_capacity)
    }

    /// See [`crate::Bulkhead::unwatch_capacity`].
    pub fn unwatch_capacity(&mut self, CompartmentId(index): CompartmentId, owner: OwnerId) {
        if let Some(owner) = self.hull.owners.find(owner) {
            self.hull.unwatch_capacity(index, owner);
        }
    }
}

impl Hull {
    /// See [`crate::Bulkhead::acquire_untimed`].
    pub fn acquire_untimed(
        &mut self,
        CompartmentId(index): CompartmentId,
        request: &Request<'_>,
    ) -> Untimed {
        let is_bounded = request.deadline < Instant::NEVER || request.call_timeout < Span::FOREVER;
        if is_bounded || self.owners.has_timers() || request.check().is_err() {
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
    /// The permits of this compartment that the caller holds; an id that is named twice counts
    /// once.
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

    /// The item of a `map` for which there is no capacity waits for it, unless it has waited
    /// enough.
    fn watch_or_time_out(&mut self, index: u32, request: &Request<'_>) -> Offer {
        if self.room_bound(index, request) <= self.now {
            return Offer::Rejected(self.reject_without_room(index, request));
        }
        self.watch_capacity(index, request);
        Offer::Watching
    }

    // Errors 7
    fn reject_without_room(&mut self, index: u32, request: &Request<'_>) -> Rejection {
        let nanos = self.now.nanos_since(request.waits_since);
        self.reject(index, Rejection::NoRoom { nanos })
    }

    // Map 1.5
    /// When a `map` has waited for capacity long enough: as any wait that had begun when it began
    /// to wait; never while one of its items runs, since that one's end frees capacity.
    fn room_bound(&self, index: u32, request: &Request<'_>) -> Instant {
        if request.siblings > 0 {
            return Instant::NEVER;
        }
        let timeout = self.compartment(index).config.wait_bound();
        let since = request.waits_since.min(self.now);
        let until = since.after(request.timeout.min(timeout));
        until.min(request.deadline)
    }

    fn has_room(&self, index: u32, request: &Request<'_>) -> bool {
        request.siblings < self.compartment(index).pool.width(request.weight)
    }

    fn watch_capacity(&mut self, index: u32, request: &Request<'_>) {
        let Some(owner) = self.owners.find(request.owner) else {
            return;
        };
        let until = self.room_bound(index, request);
        self.compartment_mut(index)
            .watch(owner, Wish::Capacity(Room::of(request)));
        self.owners.set_alarm(owner, Alarm::room(index, until));
    }

    pub(crate) fn unwatch_capacity(&mut self, index: u32, owner: u32) {
        self.compartment_mut(index).unwatch_capacity(owner);
        self.owners.clear_room_alarm(owner, index);
    }

    fn reject(&mut self, index: u32, rejection: Rejection) -> Rejection {
        let rejected = &mut self.compartment_mut(index).books.rejected;
        *match rejection {
            Rejection::Cancelled => &mut rejected.cancelled,
            Rejection::Closed => &mut rejected.closed,
            Rejection::Full(_) => &mut rejected.full,
            Rejection::QueueTimeout | Rejection::NoRoom { .. } => &mut rejected.queue_timeout,
            Rejection::Reentrant { .. } => &mut rejected.reentrant,
            Rejection::TooHeavy => &mut rejected.too_heavy,
        } += 1;
        rejection
    }
}

fn call_of(index: u32, request: &Request<'_>) -> Call {
    let mut call = Call::new(request.owner.index, index, request.weight, request.is_run);
    call.deadline = request.deadline;
    call.own_bound = request.call_timeout;
    call
}
