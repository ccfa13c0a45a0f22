//! The state machine: what it holds, and what can be seen of it.

use alloc::vec::Vec;

use crate::calls::Calls;
use crate::compartment::Compartment;
use crate::config::Config;
use crate::event::Event;
use crate::ids::{CompartmentId, Id, OwnerId};
use crate::options::InvalidOption;
use crate::owners::Owners;
use crate::snapshot::{Snapshot, State};
use crate::step::Step;
use crate::time::Instant;

/// Several compartments under one clock, with one list of owners, one timer and one queue of events
/// for each owner. Each compartment has a limit, a queue and books of its own; a
/// [`crate::Bulkhead`] is a hull with one compartment.
///
/// Every input goes through [`Hull::at`], which does what is due; see the crate's text.
///
/// | a slot is | holds permits | its timer | leaves by |
/// |---|---|---|---|
/// | free | no | none | admission: waiting or running |
/// | waiting | no | end of its wait | grant: granted; its deadline, cancel, abort, close, resize, evict: free |
/// | granted | yes | none: a run deadline that passes in the gap acts once the work runs | start: running; cancel, abort: free, undelivered; finish, evict: free |
/// | running | yes | its run deadline: of a manual permit the one that it brought | finish, evict: free; run deadline, cancel, abort: overrun |
/// | overrun | yes | its abandon timer, if the bulkhead runs the work | finish, abandon timer, evict: free |
///
/// An ordinary run may do without a slot: see [`crate::Credit`]. `check_invariants` says the rest
/// in code.
#[derive(Debug)]
pub struct Hull {
    pub(crate) now: Instant,
    pub(crate) calls: Calls,
    pub(crate) compartments: Vec<Compartment>,
    pub(crate) owners: Owners,
    /// How many calls have ever been queued, and admitted with a slot: their order.
    pub(crate) arrivals: u64,
    pub(crate) admissions: u64,
    /// The ticket of the latest request for an idle moment.
    pub(crate) tickets: u64,
    /// Compartments that this step has to settle.
    pub(crate) touched: Vec<u32>,
}

impl Hull {
    /// A hull without compartments, with the owner [`OwnerId::FIRST`].
    #[must_use]
    pub fn new() -> Self {
        Self {
            now: Instant::ZERO,
            calls: Calls::new(),
            compartments: Vec::new(),
            owners: Owners::new(),
            arrivals: 0,
            admissions: 0,
            tickets: 0,
            touched: Vec::new(),
        }
    }

    /// A further compartment, open and empty.
    ///
    /// # Errors
    /// An option out of its range.
    pub fn open(&mut self, config: Config) -> Result<CompartmentId, InvalidOption> {
        config.validate()?;
        let index = u32::try_from(self.compartments.len()).unwrap_or(u32::MAX);
        // A vector that doubles would reserve as many again, of 300 bytes each.
        if self.compartments.len() == self.compartments.capacity() {
            self.compartments
                .reserve_exact(1 + self.compartments.len() / 32);
        }
        self.compartments.push(Compartment::new(config));
        Ok(CompartmentId(index))
    }

    /// A further driver of this hull.
    pub fn add_owner(&mut self) -> OwnerId {
        self.owners.add()
    }

    /// The one door of all inputs with a time: does what is due at `now`, which is a step of its
    /// own. Dropping the answer grants what the inputs allow, then notifies who watches.
    // Time 2.1
    pub fn at(&mut self, now: Instant) -> Step<'_> {
        self.advance(now);
        Step::new(self)
    }

    /// As [`Hull::at`], for the input that gives `id` back: its run deadline, if that has passed
    /// but was not handled yet, no longer acts.
    // Time 4.1: a result in hand is never thrown away.
    pub fn at_result(&mut self, now: Instant, id: Id) -> Step<'_> {
        if let Some(slot) = self.running(id) {
            self.owners.disarm(&mut self.calls, slot);
        }
        self.at(now)
    }

    /// The next event of `owner`'s calls. Ask until `None` after every input.
    pub fn poll_event(&mut self, owner: OwnerId) -> Option<Event> {
        let owner = self.owners.find(owner)?;
        self.owners.pop_event(owner)
    }

    /// What [`Hull::poll_event`] would answer, without taking it.
    pub fn peek_events(&self, owner: OwnerId) -> impl Iterator<Item = &Event> {
        let owner = self.owners.find(owner).into_iter();
        owner.flat_map(|owner| self.owners.get(owner).events())
    }

    /// An owner with a new event whose driver may be asleep; ask until `None` after every input.
    /// An owner that is awake may be named too. A hull with one owner need not ask.
    pub fn poll_wake(&mut self) -> Option<OwnerId> {
        self.owners.pop_wake()
    }

    /// When `owner` must call [`Hull::at`] next; may change with every input.
    #[must_use]
    pub fn poll_timeout(&self, owner: OwnerId) -> Option<Instant> {
        let owner = self.owners.find(owner)?;
        self.owners.get(owner).first_deadline(&self.calls)
    }

    /// Whether a caller without an answer depends on `owner`'s timer: if not, it need not keep the
    /// host's event loop alive.
    #[must_use]
    pub fn keeps_alive(&self, owner: OwnerId) -> bool {
        let owner = self.owners.find(owner);
        owner.is_some_and(|owner| self.owners.get(owner).keeps_alive(&self.calls))
    }

    /// The permits that an id holds: none while it waits, and none once it is stale.
    #[must_use]
    pub fn permits(&self, id: Id) -> u32 {
        let call = self.calls.current(id).filter(|call| call.phase.holds());
        call.map_or(0, |call| call.weight)
    }

    /// The latest time that an input came with.
    #[must_use]
    pub const fn now(&self) -> Instant {
        self.now
    }

    /// Every figure of a compartment, as it is after the last step.
    // Time 6, Stats 1.1, Stats 1.2, Stats 1.4
    #[must_use]
    pub fn snapshot(&self, compartment: CompartmentId) -> Snapshot {
        let CompartmentId(index) = compartment;
        let here = self.compartment(index);
        let books = &here.books;
        Snapshot {
            state: self.state(index),
            limit: self.compartment(index).pool.limit(),
            active: self.compartment(index).pool.used(),
            available: self.compartment(index).pool.available(),
            running: books.running(),
            queued: here.queue.len(),
            max_queue: here.config.max_queue,
            overrun: books.overrun,
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
            waited: books.waited(),
            ran: books.ran(),
            ran_sampled_every: here.sampling.every(),
        }
    }

    // Ending 3.1: nothing is admitted any more, so it stays idle.
    fn state(&self, index: u32) -> State {
        match self.compartment(index).state {
            State::Draining if self.is_idle(index) => State::Closed,
            state => state,
        }
    }

    pub(crate) fn compartment(&self, index: u32) -> &Compartment {
        &self.compartments[index as usize]
    }

    pub(crate) fn compartment_mut(&mut self, index: u32) -> &mut Compartment {
        &mut self.compartments[index as usize]
    }

    /// The indices of all compartments.
    pub(crate) fn indices(&self) -> core::ops::Range<u32> {
        0..u32::try_from(self.compartments.len()).unwrap_or(u32::MAX)
    }

    /// No permit is held and no call waits.
    pub(crate) fn is_idle(&self, index: u32) -> bool {
        // Ending 3
        self.compartment(index).pool.used() == 0 && self.compartment(index).queue.is_empty()
    }

    /// Whether an ordinary call of this compartment may come or go without a clock: nothing can
    /// fall due in the hull, no call waits whose time would have to be measured, and no owner
    /// watches that a change would have to notify.
    pub(crate) fn is_quiescent(&self, index: u32) -> bool {
        let here = self.compartment(index);
        !self.owners.has_timers() && here.queue.is_empty() && here.watches.is_empty()
    }

    /// The slot of an id in the phase in which its run deadline acts.
    fn running(&self, id: Id) -> Option<u32> {
        let call = self.calls.current(id)?;
        // Time 4.2: a call that was answered early keeps its abandon timer, which comes first.
        (call.phase == crate::calls::Phase::Running).then_some(id.slot())
    }
}

impl Default for Hull {
    fn default() -> Self {
        Self::new()
    }
}
