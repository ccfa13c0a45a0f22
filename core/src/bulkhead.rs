//! The state machine: what it holds, and the moves that several inputs share.

use crate::admission::Request;
use crate::config::Config;
use crate::event::Event;
use crate::histogram::Histogram;
use crate::ids::OwnerId;
use crate::options::{self, InvalidOption, Opt};
use crate::owners::{Kind, Owners};
use crate::sampling::Sampling;
use crate::snapshot::{Rejected, Snapshot, State};
use crate::store::{Phase, Store};
use crate::time::{Instant, Span};

/// One bulkhead. Every input takes the host's time; see the crate's text for how to drive it.
///
/// | a slot is | holds permits | its timer | leaves by |
/// |---|---|---|---|
/// | free | no | none | admission: waiting or running |
/// | waiting | no | end of its wait | grant: granted; its deadline, cancel, abort, close, resize, evict: free |
/// | granted | yes | none: a bound that passes in the gap acts once the work runs | start: running (or overrun, after a close with abort); cancel, abort: free, unclaimed; release, evict: free |
/// | running | yes | its bound, if the bulkhead runs the work | finish, release, evict: free; bound, cancel, abort, close with abort: overrun |
/// | overrun | yes | end of its grace | finish, grace, evict: free |
///
/// `check_invariants` says the rest in code.
#[derive(Debug)]
pub struct Bulkhead {
    pub(crate) config: Config,
    pub(crate) limit: u32,
    pub(crate) state: State,
    /// Every run has a bound.
    pub(crate) is_bounded: bool,
    /// Set by `close` with abort: a run that starts later is answered at its start.
    pub(crate) aborting: bool,
    pub(crate) now: Instant,
    pub(crate) used: u64,
    pub(crate) overrun: u64,
    /// How many have ever stood in the queue.
    pub(crate) enqueued: u64,
    pub(crate) store: Store,
    pub(crate) owners: Owners,
    pub(crate) sampling: Sampling,
    pub(crate) books: Books,
}

/// Counters since creation, and what was measured.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) peak_active: u64,
    pub(crate) peak_queued: u32,
    pub(crate) admitted: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) call_timeouts: u64,
    pub(crate) unclaimed: u64,
    pub(crate) abandoned_runs: u64,
    pub(crate) leaked: u64,
    pub(crate) double_releases: u64,
    pub(crate) rejected: Rejected,
    pub(crate) waited: Histogram,
    pub(crate) ran: Histogram,
}

impl Books {
    /// Those that hold permits: every grant that has not ended.
    pub(crate) const fn running(&self) -> u64 {
        let returned = self.completed + self.failed + self.abandoned_runs + self.leaked;
        self.admitted - self.unclaimed - returned
    }
}

impl Bulkhead {
    /// An open bulkhead with nobody in it.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn new(config: Config) -> Result<Self, InvalidOption> {
        config.validate()?;
        Ok(Self::unchecked(config))
    }

    /// The options must be valid.
    pub(crate) fn unchecked(config: Config) -> Self {
        Self {
            limit: config.max_concurrent,
            is_bounded: config.call_timeout < Span::FOREVER,
            config,
            state: State::Open,
            aborting: false,
            now: Instant::ZERO,
            used: 0,
            overrun: 0,
            enqueued: 0,
            store: Store::new(),
            owners: Owners::new(),
            sampling: Sampling::new(config.ran_sampled_every()),
            books: Books::default(),
        }
    }

    /// A further driver of this bulkhead.
    pub fn add_owner(&mut self) -> OwnerId {
        self.owners.add()
    }

    /// Changes the limit, in one step: first the waiters that are too heavy for it end, in queue
    /// order, then as many as fit are granted. 0 pauses. What runs is never revoked.
    ///
    /// # Errors
    /// `limit` above [`options::MAX_COUNT`].
    pub fn resize(&mut self, now: Instant, limit: u32) -> Result<(), InvalidOption> {
        options::check_count(Opt::Resize, limit)?;
        self.advance(now);
        let before = core::mem::replace(&mut self.limit, limit);
        if limit > 0 && (limit < before || before == 0) {
            self.end_heavy_waiters();
        }
        self.settle();
        Ok(())
    }

    /// The next outcome of `owner`'s calls. Ask until `None` after every input.
    pub fn poll_event(&mut self, owner: OwnerId) -> Option<Event> {
        let owner = self.owners.find(owner)?;
        self.owners.pop_event(owner)
    }

    /// What [`Bulkhead::poll_event`] would answer, without taking it.
    pub fn peek_events(&self, owner: OwnerId) -> impl Iterator<Item = &Event> {
        let owner = self.owners.find(owner);
        owner
            .into_iter()
            .flat_map(|owner| self.owners.events(owner))
    }

    /// An owner with a new event whose driver may be asleep; ask until `None` after every input.
    /// Whoever is awake anyway may be named too. A private bulkhead need not ask.
    pub fn poll_wake(&mut self) -> Option<OwnerId> {
        self.owners.pop_wake()
    }

    /// When `owner` must call [`Bulkhead::handle_timeout`]; may change with every input.
    #[must_use]
    pub fn poll_timeout(&self, owner: OwnerId) -> Option<Instant> {
        let owner = self.owners.find(owner)?;
        self.owners.get(owner).first_deadline(&self.store)
    }

    /// Whether anybody unanswered depends on `owner`'s timer: if not, it need not keep the host's
    /// loop alive.
    #[must_use]
    pub fn keeps_alive(&self, owner: OwnerId) -> bool {
        self.owners
            .find(owner)
            .is_some_and(|owner| self.owners.get(owner).keeps_alive(&self.store))
    }

    /// Asks for one [`Event::Idle`] at the first moment when nobody waits and no permit is held.
    /// True, and no event, if that is now.
    pub fn watch_idle(&mut self, now: Instant, owner: OwnerId) -> bool {
        self.advance(now);
        let idle = self.is_idle();
        if let (false, Some(owner)) = (idle, self.owners.find(owner)) {
            self.owners.watch_idle(owner);
        }
        idle
    }

    /// Asks for one [`Event::Room`] when a call of `weight` would no longer find the bulkhead
    /// full: it would run at once, or end for good (closed, too heavy, reentrant). True, and no event, if
    /// that is now. Reserves nothing: whoever hears of it asks again. One wish for each owner, for
    /// the lightest weight it asked for. Of a request only owner, weight and what it holds matter.
    ///
    /// # Errors
    /// A weight out of its range.
    pub fn watch_room(&mut self, now: Instant, request: Request) -> Result<bool, InvalidOption> {
        let (owner, weight) = request.owner_and_weight();
        options::check_count(Opt::Weight, weight)?;
        self.advance(now);
        let room = self.room().admits(weight) || self.waits_for_itself(&request);
        if let (false, Some(owner)) = (room, self.owners.find(owner)) {
            self.owners.watch_room(owner, weight);
        }
        Ok(room)
    }

    /// Permits of this bulkhead.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Permits in use.
    #[must_use]
    pub const fn active(&self) -> u64 {
        self.used
    }

    /// Waiters.
    #[must_use]
    pub const fn queued(&self) -> u32 {
        self.store.queued()
    }

    /// How many may wait.
    #[must_use]
    pub const fn max_queue(&self) -> u32 {
        self.config.max_queue
    }

    /// Every figure, as it is after the last step.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let books = &self.books;
        Snapshot {
            state: self.state,
            limit: self.limit,
            active: self.used,
            available: u64::from(self.limit).saturating_sub(self.used),
            running: books.running(),
            queued: self.store.queued(),
            overrun: self.overrun,
            peak_active: books.peak_active,
            peak_queued: books.peak_queued,
            admitted: books.admitted,
            completed: books.completed,
            failed: books.failed,
            call_timeouts: books.call_timeouts,
            unclaimed: books.unclaimed,
            abandoned_runs: books.abandoned_runs,
            leaked: books.leaked,
            double_releases: books.double_releases,
            rejected: books.rejected,
            waited: books.waited.summary(),
            ran: books.ran.summary(),
            ran_sampled_every: self.sampling.every(),
        }
    }

    /// Whether an ordinary call may come or go with no look at the clock: nothing can fall due, and nobody waits whose
    /// time would have to be told.
    pub(crate) const fn is_calm(&self) -> bool {
        self.store.queued() == 0 && self.owners.is_calm()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.used == 0 && self.store.queued() == 0
    }

    fn room(&self) -> Room {
        let free = u64::from(self.limit).saturating_sub(self.used);
        Room {
            free: if self.store.queued() == 0 { free } else { 0 },
            limit: self.limit,
            open: self.state == State::Open,
        }
    }

    pub(crate) fn fits(&self, weight: u32) -> bool {
        self.used + u64::from(weight) <= u64::from(self.limit)
    }

    /// Closes a step: grants from the head whatever now fits, then tells who watches for idleness.
    pub(crate) fn settle(&mut self) {
        while let Some(slot) = self.store.head() {
            if !self.fits(self.store.get(slot).weight) {
                break;
            }
            self.grant(slot);
        }
        if self.is_idle() {
            self.owners.tell_idle();
        }
        let room = self.room();
        self.owners.tell_room(|weight| room.admits(weight));
    }

    fn grant(&mut self, slot: u32) {
        self.leave_queue(slot);
        self.store.at(slot).phase = Phase::Granted;
        self.take_permits(slot);
        let event = Event::Granted {
            id: self.store.id(slot),
        };
        self.owners.push_event(self.store.get(slot).owner, event);
    }

    /// Books the permits of a slot that was just admitted.
    pub(crate) fn take_permits(&mut self, slot: u32) {
        let entry = self.store.at(slot);
        entry.measured = self.sampling.next();
        entry.seq = self.books.admitted;
        entry.since = self.now;
        let weight = entry.weight;
        self.count_grant(weight);
    }

    pub(crate) fn count_grant(&mut self, weight: u32) {
        self.used += u64::from(weight);
        self.books.admitted += 1;
        self.books.peak_active = self.books.peak_active.max(self.used);
    }

    /// Takes a waiter out of the queue, however it leaves; answers how long it waited.
    pub(crate) fn leave_queue(&mut self, slot: u32) -> u64 {
        self.owners.disarm(&mut self.store, Kind::Wait, slot);
        self.store.unlink(slot);
        let waited = self.now.nanos_since(self.store.get(slot).since);
        self.books.waited.record(waited);
        waited
    }

    /// Ends a waiter that is not granted, and tells its owner.
    pub(crate) fn end_waiter(&mut self, slot: u32, event: fn(crate::Id, u64) -> Event) {
        let nanos = self.leave_queue(slot);
        let event = event(self.store.id(slot), nanos);
        self.owners.push_event(self.store.get(slot).owner, event);
        self.store.remove(slot);
    }

    fn end_heavy_waiters(&mut self) {
        let mut next = self.store.head();
        while let Some(slot) = next {
            next = self.store.behind(slot);
            if self.store.get(slot).weight > self.limit {
                self.books.rejected.too_heavy += 1;
                self.end_waiter(slot, |id, nanos| Event::TooHeavy { id, nanos });
            }
        }
    }
}

/// What an arrival would find.
struct Room {
    /// Permits that it could have at once.
    free: u64,
    limit: u32,
    open: bool,
}

impl Room {
    /// Whether a call of this weight would not be turned away as `full`.
    fn admits(&self, weight: u32) -> bool {
        let too_heavy = weight > self.limit && self.limit > 0;
        !self.open || too_heavy || u64::from(weight) <= self.free
    }
}
