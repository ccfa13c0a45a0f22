//! One bulkhead by itself: a hull with one compartment.

use crate::admission::{Admission, Offer, Untimed};
use crate::config::Config;
use crate::counted::Credit;
use crate::event::Event;
use crate::hull::Hull;
use crate::ids::{CompartmentId, Id, OwnerId};
use crate::leaving::Cancellation;
use crate::options::{self, InvalidOption, Opt};
use crate::rejection::Rejection;
use crate::request::Request;
use crate::returning::{Outcome, Reclaim};
use crate::snapshot::Snapshot;
use crate::time::{Instant, Span};

/// One bulkhead. Every input takes the host's time; see the crate's text for how to drive it, and
/// [`Hull`] for the phases of a call.
#[derive(Debug)]
pub struct Bulkhead {
    hull: Hull,
}

/// The one compartment.
const HERE: CompartmentId = CompartmentId::FIRST;

impl Bulkhead {
    /// An open bulkhead without calls.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn new(config: Config) -> Result<Self, InvalidOption> {
        let mut hull = Hull::new();
        hull.open(config)?;
        Ok(Self { hull })
    }

    /// A further driver of this bulkhead.
    pub fn add_owner(&mut self) -> OwnerId {
        self.hull.add_owner()
    }

    /// Decides on an arriving call.
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    pub fn acquire(
        &mut self,
        now: Instant,
        request: Request<'_>,
    ) -> Result<Admission, InvalidOption> {
        request.check()?;
        self.hull.at(now).acquire(HERE, request)
    }

    /// As [`Bulkhead::acquire`] without a clock, for a call whose answer no time can change:
    /// nothing can fall due, it need not wait, nothing bounds its run, and it is none of those that
    /// are measured. For every other call the answer is [`Untimed::NeedsClock`].
    pub fn acquire_untimed(&mut self, request: Request<'_>) -> Untimed {
        self.hull.acquire_untimed(HERE, &request)
    }

    /// As [`Bulkhead::acquire`] for an item of a `map`, which never stands in the queue: where that
    /// would queue it, or reject it as `full`, and where as many of its siblings run as can, it
    /// watches instead, as [`Bulkhead::watch_capacity`] does; without siblings that run it is
    /// rejected once it has waited for as long as any call may ([`Rejection::NoRoom`]).
    ///
    /// # Errors
    /// A weight or a call time-out out of its range; nothing is counted.
    pub fn acquire_or_watch(
        &mut self,
        now: Instant,
        request: Request<'_>,
    ) -> Result<Offer, InvalidOption> {
        request.check()?;
        self.hull.at(now).acquire_or_watch(HERE, request)
    }

    /// Asks for one [`Event::Capacity`] when a call of the request's weight would no longer find
    /// the bulkhead full: it would run at once, or end for good (closed, too heavy, reentrant).
    /// True, and no event, if that is now. Reserves nothing: ask again after the event, for every
    /// call of the owner that waits for capacity. While none of its siblings runs, the event comes
    /// at the end of the longest wait at the latest, by a timer of the owner.
    ///
    /// # Errors
    /// A weight or a call time-out out of its range.
    pub fn watch_capacity(
        &mut self,
        now: Instant,
        request: Request<'_>,
    ) -> Result<bool, InvalidOption> {
        request.check()?;
        self.hull.at(now).watch_capacity(HERE, request)
    }

    /// The owner waits for capacity no longer: no call of its own does.
    pub fn unwatch_capacity(&mut self, now: Instant, owner: OwnerId) {
        self.hull.at(now).unwatch_capacity(HERE, owner);
    }

    /// Permits for a call that never waits: what it cannot have at once is a rejection. It cannot
    /// wait for itself either.
    ///
    /// # Errors
    /// A weight out of its range; nothing is counted.
    // Admission 3.2, Nested calls 1.3
    pub fn try_acquire(
        &mut self,
        now: Instant,
        request: Request<'_>,
    ) -> Result<Result<Id, Rejection>, InvalidOption> {
        let unwilling = request.timeout(Span::ZERO).held(&[]);
        Ok(match self.acquire(now, unwilling)? {
            Admission::Admitted(id) | Admission::Queued(id) => Ok(id),
            Admission::Rejected(rejection) => Err(rejection),
        })
    }

    /// A granted waiter goes on: its work starts, or its permit is delivered. Its run deadline acts
    /// from here on; one that has passed already acts at the next input.
    pub fn start(&mut self, id: Id) {
        self.hull.start(id);
    }

    /// Gives back a permit whose end its driver sees exactly once. What was answered early counts
    /// as failed whatever `outcome` says. A run deadline that has passed but was not handled yet no
    /// longer acts. False, and nothing counted, if the id is stale: its run was abandoned.
    pub fn finish(&mut self, now: Instant, id: Id, outcome: Outcome) -> bool {
        self.hull.at_result(now, id).finish(id, outcome)
    }

    /// As [`Bulkhead::finish`] without a clock, if the end affects no other call and is not
    /// measured. False, and nothing has changed, if not: call [`Bulkhead::finish`].
    pub fn finish_untimed(&mut self, id: Id, outcome: Outcome) -> bool {
        self.hull.finish_untimed(id, outcome)
    }

    /// Gives back a manual permit. False if the id is stale: a second release changes only its
    /// counter.
    pub fn release(&mut self, now: Instant, id: Id) -> bool {
        self.hull.at_result(now, id).release(HERE, id)
    }

    /// Gives back some of a manual permit; all that it holds is as [`Bulkhead::release`].
    ///
    /// # Errors
    /// `permits` is 0, or more than it holds; nothing has changed.
    pub fn release_part(
        &mut self,
        now: Instant,
        id: Id,
        permits: u32,
    ) -> Result<bool, InvalidOption> {
        // Its run deadline acts on, unless nothing of it is left.
        let mut step = if permits == self.hull.permits(id) {
            self.hull.at_result(now, id)
        } else {
            self.hull.at(now)
        };
        step.release_part(HERE, id, permits)
    }

    /// Takes some of a manual permit for a permit of its own, under the same bound. It counts as a
    /// call that was admitted now. `None` if the id is stale, or its bound has passed.
    ///
    /// # Errors
    /// `permits` is 0, or all that it holds, or more; nothing has changed.
    pub fn split(
        &mut self,
        now: Instant,
        id: Id,
        permits: u32,
    ) -> Result<Option<Id>, InvalidOption> {
        self.hull.at(now).split(HERE, id, permits)
    }

    /// Changes how many permits a manual permit holds. Fewer: always. More: only if they are free
    /// now, no call waits for them, the bulkhead is open, and the bound of this permit has not
    /// passed. False, and nothing has changed, if not, and if the id is stale.
    ///
    /// # Errors
    /// A weight out of its range; nothing has changed.
    pub fn adjust(&mut self, now: Instant, id: Id, weight: u32) -> Result<bool, InvalidOption> {
        self.hull.at(now).adjust(HERE, id, weight)
    }

    /// Takes back a permit that its holder has dropped without release.
    pub fn reclaim(&mut self, now: Instant, id: Id) -> Reclaim {
        self.hull.at_result(now, id).reclaim(id)
    }

    /// One caller gives up. The answer is the outcome; there is no event for it. A call that
    /// something due ended first is settled, and its event says how.
    pub fn cancel(&mut self, now: Instant, id: Id) -> Cancellation {
        self.hull.at(now).cancel(id)
    }

    /// The callers behind one signal give up, as one step: every end first, in the order of `ids`
    /// (that of arrival), then the grants. The ends come as [`Event::Cancelled`].
    pub fn abort(&mut self, now: Instant, ids: impl IntoIterator<Item = Id>) {
        self.hull.at(now).abort(ids);
    }

    /// Changes the limit, in one step: first the waiters that are too heavy for it end, in order of
    /// the queue, then as many as fit are granted. 0 pauses. What runs is never revoked.
    ///
    /// # Errors
    /// `limit` above [`crate::MAX_COUNT`].
    pub fn resize(&mut self, now: Instant, limit: u32) -> Result<(), InvalidOption> {
        options::check_count(Opt::Resize, limit)?;
        self.hull.at(now).resize(HERE, limit)
    }

    /// Rejects new calls and every waiter, in order of arrival. With `abort` every owner gets one
    /// [`Event::Abort`]. Final; a second close may still add `abort`.
    pub fn close(&mut self, now: Instant, abort: bool) {
        self.hull.at(now).close(HERE, abort);
    }

    /// Rejects new calls and serves the waiters. Changes nothing after [`Bulkhead::close`].
    pub fn drain(&mut self, now: Instant) {
        self.hull.at(now).drain(HERE);
    }

    /// As [`Bulkhead::drain`]; after `timeout`, which may be zero, it rejects the waiters too, as
    /// [`Bulkhead::close`] does. Of several time-outs the one that ends first counts. The timer is
    /// that of `owner`; if that one ends, another's.
    pub fn drain_within(&mut self, now: Instant, owner: OwnerId, timeout: Span) {
        self.hull.at(now).drain_within(HERE, owner, timeout);
    }

    /// Ends an owner whose driver has died: its waiters count as cancelled, its permits come back
    /// as abandoned runs, its events are dropped, its requests are rejected from now on.
    pub fn evict(&mut self, now: Instant, owner: OwnerId) {
        self.hull.at(now).evict(owner);
    }

    /// Forgets every call, as a forked process does, which guards calls of its own from now on: no
    /// call waits or runs, no event is left, every counter is zero, and the only owner is
    /// [`OwnerId::FIRST`]. Limit and state stay. Ids and owners from before are stale.
    pub fn restart(&mut self) {
        self.hull.restart();
    }

    /// Asks for one [`Event::Idle`] at the first moment without waiters and permits in use. `None`,
    /// and no event, if that is now; else the ticket of this request: an event answers every
    /// request of its owner up to the ticket that it carries.
    pub fn watch_idle(&mut self, now: Instant, owner: OwnerId) -> Option<u64> {
        self.hull.at(now).watch_idle(HERE, owner)
    }

    /// Does what is due. Call it when the timer of [`Bulkhead::poll_timeout`] fires; calls too
    /// early or too often do nothing.
    pub fn handle_timeout(&mut self, now: Instant) {
        drop(self.hull.at(now));
    }

    /// See [`Hull::poll_event`].
    pub fn poll_event(&mut self, owner: OwnerId) -> Option<Event> {
        self.hull.poll_event(owner)
    }

    /// See [`Hull::peek_events`].
    pub fn peek_events(&self, owner: OwnerId) -> impl Iterator<Item = &Event> {
        self.hull.peek_events(owner)
    }

    /// See [`Hull::poll_wake`].
    pub fn poll_wake(&mut self) -> Option<OwnerId> {
        self.hull.poll_wake()
    }

    /// See [`Hull::poll_timeout`].
    #[must_use]
    pub fn poll_timeout(&self, owner: OwnerId) -> Option<Instant> {
        self.hull.poll_timeout(owner)
    }

    /// See [`Hull::keeps_alive`].
    #[must_use]
    pub fn keeps_alive(&self, owner: OwnerId) -> bool {
        self.hull.keeps_alive(owner)
    }

    /// See [`Hull::permits`].
    #[must_use]
    pub fn permits(&self, id: Id) -> u32 {
        self.hull.permits(id)
    }

    /// See [`Hull::admit_counted`].
    pub fn admit_counted(&mut self, owner: OwnerId) -> bool {
        self.hull.admit_counted(HERE, owner)
    }

    /// See [`Hull::finish_counted_untimed`].
    pub fn finish_counted_untimed(&mut self, owner: OwnerId, outcome: Outcome) -> bool {
        self.hull.finish_counted_untimed(HERE, owner, outcome)
    }

    /// See [`crate::Step::finish_counted`].
    pub fn finish_counted(&mut self, now: Instant, owner: OwnerId, outcome: Outcome) -> bool {
        self.hull.at(now).finish_counted(HERE, owner, outcome)
    }

    /// See [`crate::Step::reclaim_counted`].
    pub fn reclaim_counted(&mut self, now: Instant, owner: OwnerId) -> Reclaim {
        self.hull.at(now).reclaim_counted(HERE, owner)
    }

    /// See [`crate::Step::finish_measured`].
    pub fn finish_measured(
        &mut self,
        now: Instant,
        owner: OwnerId,
        outcome: Outcome,
        ran: Span,
    ) -> bool {
        self.hull.at(now).finish_measured(HERE, owner, outcome, ran)
    }

    /// See [`Hull::credit`].
    #[must_use]
    pub fn credit(&self, owner: OwnerId) -> Credit {
        self.hull.credit(HERE, owner)
    }

    /// See [`Hull::absorb`].
    pub fn absorb(&mut self, owner: OwnerId, given: Credit, left: Credit) {
        self.hull.absorb(HERE, owner, given, left);
    }

    /// The options that it was made with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.hull.compartment(HERE.0).config
    }

    /// The latest time that an input came with.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.hull.now()
    }

    /// Permits of this bulkhead.
    #[must_use]
    pub fn limit(&self) -> u32 {
        self.hull.compartment(HERE.0).pool.limit()
    }

    /// Permits in use.
    #[must_use]
    pub fn active(&self) -> u64 {
        self.hull.compartment(HERE.0).pool.used()
    }

    /// Waiters.
    #[must_use]
    pub fn queued(&self) -> u32 {
        self.hull.compartment(HERE.0).queue.len()
    }

    /// How many may wait.
    #[must_use]
    pub fn max_queue(&self) -> u32 {
        self.config().max_queue
    }

    /// Every figure, as it is after the last step.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.hull.snapshot(HERE)
    }

    /// Checks every invariant; O(n), for tests.
    ///
    /// # Errors
    /// The one that does not hold.
    #[doc(hidden)]
    pub fn check_invariants(&self) -> Result<(), &'static str> {
        self.hull.check_invariants()
    }
}

impl AsMut<Self> for Bulkhead {
    fn as_mut(&mut self) -> &mut Self {
        self
    }
}
