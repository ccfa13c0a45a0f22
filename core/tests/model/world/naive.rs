//! The contract again, without any cleverness: lists, scans and sums.

use std::collections::{BTreeSet, VecDeque};

use bulkheads_core::{CompartmentId, Event, Id, State};

use super::books::Books;

/// No deadline, no time-out.
pub(crate) const NEVER: u64 = u64::MAX;

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Phase {
    Granted,
    Running,
    Overrun,
}

#[derive(Clone, Debug)]
pub(crate) struct Waiter {
    pub(crate) id: Id,
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) run: bool,
    pub(crate) since: u64,
    pub(crate) end: u64,
    pub(crate) bound: u64,
    /// Its own bound on its run.
    pub(crate) call_timeout: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) id: Id,
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) run: bool,
    pub(crate) since: u64,
    pub(crate) bound: u64,
    pub(crate) call_timeout: u64,
    pub(crate) phase: Phase,
    pub(crate) timer: u64,
}

#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) events: VecDeque<Event>,
    /// Has had an event since it was named last.
    pub(crate) to_wake: bool,
    /// The ticket of its latest wish to hear of idleness; 0 for none.
    pub(crate) watches_idle: u64,
    /// The weights that it wants capacity for, with how many items of their map run.
    pub(crate) watches_capacity: Vec<(u32, u32)>,
    /// When it is to ask again for room, and when a drain that it asked for ends.
    pub(crate) alarms: [u64; 2],
}

impl Default for Owner {
    fn default() -> Self {
        Self {
            events: VecDeque::new(),
            to_wake: false,
            watches_idle: 0,
            watches_capacity: Vec::new(),
            alarms: [NEVER; 2],
        }
    }
}

/// The places of the alarms.
pub(crate) const ROOM: usize = 0;
pub(crate) const DRAIN: usize = 1;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) limit: u32,
    pub(crate) max_queue: u32,
    pub(crate) timeout: u64,
    pub(crate) call_timeout: u64,
    pub(crate) abandon_after: u64,
    /// What the host's clock shows at first.
    pub(crate) origin: u64,
}

#[derive(Debug)]
pub(crate) struct Naive {
    pub(crate) settings: Settings,
    pub(crate) state: State,
    pub(crate) aborting: bool,
    pub(crate) now: u64,
    pub(crate) waiters: Vec<Waiter>,
    /// In order of admission.
    pub(crate) holders: Vec<Holder>,
    pub(crate) owners: Vec<Owner>,
    pub(crate) books: Books,
    pub(crate) tickets: u64,
    /// The limit was lowered in this step: who watches for capacity asks again.
    pub(crate) is_narrowed: bool,
}

/// The only compartment.
pub(crate) const HERE: CompartmentId = CompartmentId::FIRST;

/// Of runs without a slot.
pub(crate) const COUNTED: Id = Id::from_raw(0);

impl Naive {
    pub(crate) fn new(settings: Settings, owners: usize) -> Self {
        Self {
            settings,
            state: State::Open,
            aborting: false,
            now: 0,
            waiters: Vec::new(),
            holders: Vec::new(),
            owners: std::iter::repeat_with(Owner::default)
                .take(owners)
                .collect(),
            books: Books::default(),
            tickets: 0,
            is_narrowed: false,
        }
    }

    pub(crate) fn used(&self) -> u64 {
        let weights = self.holders.iter().map(|one| u64::from(one.weight));
        weights.sum()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.waiters.is_empty() && self.holders.is_empty()
    }

    /// How many calls of this weight can run at a time.
    pub(crate) fn width(&self, weight: u32) -> u32 {
        (self.settings.limit / weight).max(1)
    }

    /// Whether such an item would run at once, or end for good.
    pub(crate) fn has_capacity(&self, weight: u32, siblings: u32) -> bool {
        let limit = self.settings.limit;
        let too_heavy = limit > 0 && weight > limit;
        let fits = self.used() + u64::from(weight) <= u64::from(limit);
        let has_turn = siblings < self.width(weight);
        self.state != State::Open || too_heavy || (self.waiters.is_empty() && fits && has_turn)
    }

    /// Whether what the caller holds and what it wants are more than there is, if it does hold that
    /// much.
    pub(crate) fn waits_for_itself(&self, weight: u32, holding: u64) -> bool {
        let holding = holding.min(self.used());
        let needed = holding + u64::from(weight);
        let limit = self.settings.limit;
        limit > 0 && holding > 0 && needed > u64::from(limit)
    }

    /// What these ids hold.
    pub(crate) fn held(&self, ids: &[Id]) -> u64 {
        let once: BTreeSet<_> = ids.iter().collect();
        once.iter().map(|id| u64::from(self.permits(**id))).sum()
    }

    /// The place of a counted run of this owner.
    pub(crate) fn counted(&self, owner: usize) -> Option<usize> {
        let counted = |one: &Holder| one.id == COUNTED && one.owner == owner;
        self.holders.iter().position(counted)
    }

    pub(crate) fn permits(&self, id: Id) -> u32 {
        let holder = self.holders.iter().find(|one| one.id == id);
        holder.map_or(0, |one| one.weight)
    }

    pub(crate) fn next_timer(&self, owner: usize) -> u64 {
        let holders = self.holders.iter().filter(|one| one.owner == owner);
        let holds = holders.map(|one| one.timer);
        let alarms = self.owners[owner].alarms;
        let timers = self.waits_of(owner).chain(holds).chain(alarms);
        timers.min().unwrap_or(NEVER)
    }

    pub(crate) fn keeps_alive(&self, owner: usize) -> bool {
        let unanswered = |one: &&Holder| one.owner == owner && one.phase != Phase::Overrun;
        let runs = self.holders.iter().filter(unanswered).map(|one| one.timer);
        let alarms = self.owners[owner].alarms;
        let timers = self.waits_of(owner).chain(runs).chain(alarms);
        timers.into_iter().any(|timer| timer < NEVER)
    }

    fn waits_of(&self, owner: usize) -> impl Iterator<Item = u64> {
        let waiters = self.waiters.iter().filter(move |one| one.owner == owner);
        waiters.map(|one| one.end)
    }

    pub(crate) fn tell(&mut self, owner: usize, event: Event) {
        self.owners[owner].events.push_back(event);
        self.owners[owner].to_wake = true;
    }

    pub(crate) fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
        self.end_waits();
        self.time_out_runs();
        self.abandon_runs();
        while let Some((owner, alarm)) = self.first_alarm() {
            self.owners[owner].alarms[alarm] = NEVER;
            if alarm == ROOM {
                self.tell_capacity(owner);
            } else {
                self.end();
            }
        }
        self.settle();
    }

    /// The first alarm that is due.
    fn first_alarm(&self) -> Option<(usize, usize)> {
        let owners = self.owners.iter().enumerate();
        let alarms = owners.flat_map(|(owner, one)| {
            let alarms = one.alarms.iter().enumerate();
            alarms.map(move |(alarm, at)| (*at, alarm, owner))
        });
        let (at, alarm, owner) = alarms.min()?;
        (at <= self.now && at < NEVER).then_some((owner, alarm))
    }

    fn tell_capacity(&mut self, owner: usize) {
        self.owners[owner].watches_capacity.clear();
        self.owners[owner].alarms[ROOM] = NEVER;
        self.tell(owner, Event::Capacity { compartment: HERE });
    }

    /// Rejects whatever waits, and from now on whatever comes.
    pub(crate) fn end(&mut self) {
        self.state = State::Closed;
        self.drain_has_ended();
        for one in self.take_waiters(|_| true) {
            self.books.closed += 1;
            let (id, nanos) = (one.id, self.now - one.since);
            self.tell(one.owner, Event::Closed { id, nanos });
        }
    }

    fn drain_has_ended(&mut self) {
        for owner in &mut self.owners {
            owner.alarms[DRAIN] = NEVER;
        }
    }

    fn end_waits(&mut self) {
        let now = self.now;
        let mut due = self.take_waiters(|one| one.end <= now);
        due.sort_by_key(|one| one.end); // stable: arrival decides among equals
        for one in due {
            self.books.queue_timeout += 1;
            let (id, nanos) = (one.id, now - one.since);
            self.tell(one.owner, Event::QueueTimedOut { id, nanos });
        }
    }

    fn time_out_runs(&mut self) {
        let now = self.now;
        let due = |one: &&Holder| one.phase == Phase::Running && one.timer <= now;
        let mut due: Vec<_> = self.holders.iter().filter(due).cloned().collect();
        due.sort_by_key(|one| one.timer);
        for one in due {
            self.books.call_timeouts += 1;
            let (id, nanos) = (one.id, now - one.since);
            self.tell(one.owner, Event::CallTimedOut { id, nanos });
            self.answer(one.id, one.timer);
        }
    }

    fn abandon_runs(&mut self) {
        let now = self.now;
        self.abandon(|one| one.phase == Phase::Overrun && one.timer <= now);
    }

    /// Takes the permits of some away though their work goes on.
    pub(crate) fn abandon(&mut self, whose: impl Fn(&Holder) -> bool) {
        let holders = std::mem::take(&mut self.holders);
        let (gone, kept): (Vec<_>, _) = holders.into_iter().partition(|one| whose(one));
        self.holders = kept;
        for one in gone {
            self.books.abandoned_runs += 1;
            self.books.ran.add(self.now - one.since);
        }
    }

    /// Grants from the head whatever fits, then notifies the watchers.
    pub(crate) fn settle(&mut self) {
        let limit = u64::from(self.settings.limit);
        let fits = |naive: &Self, one: &Waiter| naive.used() + u64::from(one.weight) <= limit;
        while self.waiters.first().is_some_and(|one| fits(self, one)) {
            let one = self.waiters.remove(0);
            self.books.waited.add(self.now - one.since);
            self.tell(one.owner, Event::Granted { id: one.id });
            self.admit(&one, Phase::Granted);
        }
        if self.is_idle() {
            self.drain_has_ended();
        }
        for owner in 0..self.owners.len() {
            let ticket = self.owners[owner].watches_idle;
            if self.is_idle() && ticket > 0 {
                self.owners[owner].watches_idle = 0;
                let compartment = HERE;
                self.tell(
                    owner,
                    Event::Idle {
                        compartment,
                        ticket,
                    },
                );
            }
        }
        for owner in 0..self.owners.len() {
            let mut wishes = self.owners[owner].watches_capacity.iter();
            let comes_true = |wish: &(u32, u32)| self.has_capacity(wish.0, wish.1);
            if wishes.any(|wish| self.is_narrowed || comes_true(wish)) {
                self.tell_capacity(owner);
            }
        }
        self.is_narrowed = false;
    }

    /// Gives permits to one who came or waited.
    pub(crate) fn admit(&mut self, one: &Waiter, phase: Phase) {
        let mut holder = Holder {
            id: one.id,
            owner: one.owner,
            weight: one.weight,
            run: one.run,
            since: self.now,
            bound: one.bound,
            call_timeout: one.call_timeout,
            phase,
            timer: NEVER,
        };
        if phase == Phase::Running {
            holder.timer = self.run_timer(&holder);
        }
        self.holders.push(holder);
        self.books.admitted += 1;
        self.books.peak_active = self.books.peak_active.max(self.used());
    }

    pub(crate) fn answer(&mut self, id: Id, at: u64) {
        let grace = self.settings.abandon_after;
        for one in self.holders.iter_mut().filter(|one| one.id == id) {
            one.phase = Phase::Overrun;
            one.timer = if one.run {
                at.saturating_add(grace)
            } else {
                NEVER
            };
        }
    }

    pub(crate) fn run_timer(&self, one: &Holder) -> u64 {
        let own = one.since.saturating_add(one.call_timeout);
        let end = one.since.saturating_add(self.settings.call_timeout);
        if one.run {
            own.min(end).min(one.bound)
        } else {
            own
        }
    }

    /// Takes a holder out; its caller counts why.
    pub(crate) fn take(&mut self, id: Id) -> Option<Holder> {
        let place = self.holders.iter().position(|one| one.id == id)?;
        Some(self.holders.remove(place))
    }

    /// Takes waiters out; its caller counts why.
    pub(crate) fn take_waiters(&mut self, wanted: impl Fn(&Waiter) -> bool) -> Vec<Waiter> {
        let waiters = std::mem::take(&mut self.waiters);
        let (taken, kept): (Vec<_>, _) = waiters.into_iter().partition(|one| wanted(one));
        self.waiters = kept;
        for one in &taken {
            self.books.waited.add(self.now - one.since);
        }
        taken
    }
}
