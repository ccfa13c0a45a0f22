//! The decision on an arriving call: admitted, queued or rejected.

use crate::bulkhead::Bulkhead;
use crate::ids::{Id, OwnerId};
use crate::options::{self, InvalidOption, Opt};
use crate::owners::Kind;
use crate::snapshot::State;
use crate::store::{Entry, Phase};
use crate::time::{Instant, Span};

/// What a caller asks for.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Request {
    owner: OwnerId,
    weight: u32,
    run: bool,
    aborted: bool,
    timeout: Span,
    deadline: Instant,
    holding: u64,
}

impl Request {
    /// Work that the bulkhead runs: call time-out and deadline bound it.
    #[must_use]
    pub const fn run(weight: u32) -> Self {
        Self {
            owner: OwnerId::FIRST,
            weight,
            run: true,
            aborted: false,
            timeout: Span::FOREVER,
            deadline: Instant::NEVER,
            holding: 0,
        }
    }

    /// A permit by hand: nothing bounds it once it was granted.
    #[must_use]
    pub const fn permit(weight: u32) -> Self {
        Self {
            run: false,
            ..Self::run(weight)
        }
    }

    /// Whose call it is. Default: [`OwnerId::FIRST`].
    #[must_use]
    pub const fn owner(mut self, owner: OwnerId) -> Self {
        self.owner = owner;
        self
    }

    /// The longest it wants to wait; can only shorten the bulkhead's. Zero: not at all.
    #[must_use]
    pub const fn timeout(mut self, span: Span) -> Self {
        self.timeout = span;
        self
    }

    /// The caller's own absolute bound, on the wait and on the run.
    #[must_use]
    pub const fn deadline(mut self, at: Instant) -> Self {
        self.deadline = at;
        self
    }

    /// Whether its caller had given up before it asked.
    #[must_use]
    pub const fn aborted(mut self, aborted: bool) -> Self {
        self.aborted = aborted;
        self
    }

    /// How many permits of this bulkhead its caller's own context holds, and will not give back before this call has ended:
    /// with more than the limit leaves for it the call would wait for itself. Default: 0, nobody knows.
    #[must_use]
    pub const fn holding(mut self, permits: u64) -> Self {
        self.holding = permits;
        self
    }

    pub(crate) const fn owner_and_weight(&self) -> (OwnerId, u32) {
        (self.owner, self.weight)
    }
}

/// What became of an arriving call.
#[must_use = "an admitted call holds permits until it is finished or released"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// It runs: it counts as started.
    Admitted(Id),
    /// It waits; an event tells the rest.
    Queued(Id),
    /// It never runs.
    Rejected(Rejection),
}

/// The bound that rejected a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// Its caller had given up.
    #[error("cancelled before it was admitted")]
    Cancelled,
    /// The bulkhead admits nothing any more, or has evicted the call's owner.
    #[error("bulkhead closed")]
    Closed,
    /// No permit and no place in the queue.
    #[error(transparent)]
    Full(#[from] FullReason),
    /// Its deadline had passed when it arrived.
    #[error("deadline passed before a permit was free")]
    QueueTimeout,
    /// It would wait for permits that its own caller holds.
    #[error("it would wait for permits of its own caller")]
    Reentrant,
    /// Heavier than the limit.
    #[error("weight above the limit")]
    TooHeavy,
}

/// Why a full bulkhead could not queue a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FullReason {
    /// No queue is configured.
    #[error("no permit free and no queue configured")]
    NoQueue,
    /// The call's time-out is zero.
    #[error("no permit free and the call is not willing to wait")]
    NotWilling,
    /// The limit is zero.
    #[error("paused")]
    Paused,
    /// As many wait as may.
    #[error("queue full")]
    QueueFull,
}

impl Bulkhead {
    /// Decides on an arriving call.
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    pub fn acquire(&mut self, now: Instant, request: Request) -> Result<Admission, InvalidOption> {
        options::check_count(Opt::Weight, request.weight)?;
        self.advance(now);
        Ok(match self.admit(&request) {
            Ok(Some(id)) => Admission::Admitted(id),
            Ok(None) if self.waits_for_itself(&request) => {
                Admission::Rejected(self.reject(Rejection::Reentrant))
            }
            Ok(None) if self.may_wait(&request) => Admission::Queued(self.enqueue(&request)),
            Ok(None) => Admission::Rejected(self.reject(self.refusal().into())),
            Err(rejection) => Admission::Rejected(self.reject(rejection)),
        })
    }

    /// As [`Bulkhead::acquire`], with no look at the clock, for the ordinary call of a quiet bulkhead: nobody waits, nothing
    /// can fall due, nothing bounds the run, and it is none of those that are measured. `None`, and nothing has changed, for
    /// every other: ask [`Bulkhead::acquire`].
    pub fn admit_now(&mut self, request: Request) -> Option<Id> {
        let Request { weight, run, .. } = request;
        let is_timed =
            (run && self.is_bounded) || request.deadline < Instant::NEVER || self.sampling.is_due();
        let is_open = self.state == State::Open && !request.aborted;
        if is_timed || weight == 0 || !is_open || !self.is_calm() || !self.fits(weight) {
            return None;
        }
        let owner = self.owners.find(request.owner)?;
        self.sampling.skip();
        let seq = self.books.admitted;
        self.count_grant(weight);
        Some(self.store.insert_run(seq, owner, weight, run))
    }

    /// A permit by hand if one is free and nobody waits; never queued, so that it cannot wait for itself either.
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    pub fn try_acquire(
        &mut self,
        now: Instant,
        request: Request,
    ) -> Result<Result<Id, Rejection>, InvalidOption> {
        options::check_count(Opt::Weight, request.weight)?;
        self.advance(now);
        let answer = self.admit(&request);
        let refused = answer.and_then(|id| id.ok_or_else(|| self.refusal().into()));
        Ok(refused.map_err(|rejection| self.reject(rejection)))
    }

    /// The checks of an arrival, in the order of the contract, and its permits if it can have
    /// them at once.
    fn admit(&mut self, request: &Request) -> Result<Option<Id>, Rejection> {
        if request.aborted {
            return Err(Rejection::Cancelled);
        }
        let owner = self.owners.find(request.owner).ok_or(Rejection::Closed)?;
        if self.state != State::Open {
            return Err(Rejection::Closed);
        }
        if request.deadline <= self.now {
            return Err(Rejection::QueueTimeout);
        }
        if request.weight > self.limit && self.limit > 0 {
            return Err(Rejection::TooHeavy);
        }
        let nobody_waits = self.store.queued() == 0;
        let admitted = nobody_waits && self.fits(request.weight);
        Ok(admitted.then(|| self.admit_at_once(request, owner)))
    }

    fn admit_at_once(&mut self, request: &Request, owner: u32) -> Id {
        let mut entry = Entry::new(Phase::Running, owner, request.weight, request.run);
        entry.bound = request.deadline;
        let id = self.store.insert(entry);
        self.take_permits(id.slot());
        self.arm_bound(id.slot());
        id
    }

    /// Whether its caller would have to give something back first, if it is not too heavy anyway. A pause may end before that
    /// matters, and what is held is no more than what is in use.
    pub(crate) fn waits_for_itself(&self, request: &Request) -> bool {
        let holding = request.holding.min(self.used);
        let needed = holding + u64::from(request.weight);
        self.limit > 0 && needed > u64::from(self.limit)
    }

    fn may_wait(&self, request: &Request) -> bool {
        self.has_place() && request.timeout > Span::ZERO
    }

    fn has_place(&self) -> bool {
        self.store.queued() < self.config.max_queue
    }

    /// Why a call that can neither run at once nor wait is rejected.
    fn refusal(&self) -> FullReason {
        if self.limit == 0 {
            FullReason::Paused
        } else if self.config.max_queue == 0 {
            FullReason::NoQueue
        } else if self.has_place() {
            FullReason::NotWilling
        } else {
            FullReason::QueueFull
        }
    }

    fn enqueue(&mut self, request: &Request) -> Id {
        let timeout = request.timeout.min(self.config.wait_bound());
        let mut entry = Entry::new(
            Phase::Waiting,
            request.owner.index,
            request.weight,
            request.run,
        );
        self.enqueued += 1;
        entry.seq = self.enqueued;
        entry.since = self.now;
        entry.bound = request.deadline;
        let deadline = self.now.after(timeout).min(request.deadline);
        let id = self.store.insert(entry);
        self.store.enqueue(id.slot());
        self.owners
            .arm(&mut self.store, Kind::Wait, deadline, id.slot());
        self.books.peak_queued = self.books.peak_queued.max(self.store.queued());
        id
    }

    fn reject(&mut self, rejection: Rejection) -> Rejection {
        let rejected = &mut self.books.rejected;
        *match rejection {
            Rejection::Cancelled => &mut rejected.cancelled,
            Rejection::Closed => &mut rejected.closed,
            Rejection::Full(_) => &mut rejected.full,
            Rejection::QueueTimeout => &mut rejected.queue_timeout,
            Rejection::Reentrant => &mut rejected.reentrant,
            Rejection::TooHeavy => &mut rejected.too_heavy,
        } += 1;
        rejection
    }
}
