//! The contract again, without any cleverness: lists, scans and sums.

use bulkheads::{Event, Id, State};

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
}

#[derive(Clone, Debug)]
pub(crate) struct Holder {
    pub(crate) id: Id,
    pub(crate) owner: usize,
    pub(crate) weight: u32,
    pub(crate) run: bool,
    pub(crate) since: u64,
    pub(crate) bound: u64,
    pub(crate) phase: Phase,
    pub(crate) timer: u64,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) limit: u32,
    pub(crate) max_queue: u32,
    pub(crate) timeout: u64,
    pub(crate) call_timeout: u64,
    pub(crate) abandon_after: u64,
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
    pub(crate) events: Vec<(usize, Event)>,
    pub(crate) books: Books,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Books {
    pub(crate) admitted: u64,
    pub(crate) completed: u64,
    pub(crate) failed: u64,
    pub(crate) call_timeouts: u64,
    pub(crate) unclaimed: u64,
    pub(crate) abandoned_runs: u64,
    pub(crate) leaked: u64,
    pub(crate) double_releases: u64,
    pub(crate) full: u64,
    pub(crate) queue_timeout: u64,
    pub(crate) cancelled: u64,
    pub(crate) closed: u64,
    pub(crate) too_heavy: u64,
    pub(crate) waited: u64,
    pub(crate) ran: u64,
}

impl Naive {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            state: State::Open,
            aborting: false,
            now: 0,
            waiters: Vec::new(),
            holders: Vec::new(),
            events: Vec::new(),
            books: Books::default(),
        }
    }

    pub(crate) fn used(&self) -> u64 {
        self.holders
            .iter()
            .map(|holder| u64::from(holder.weight))
            .sum()
    }

    pub(crate) fn next_timer(&self, owner: usize) -> u64 {
        let waits = self
            .waiters
            .iter()
            .filter(|one| one.owner == owner)
            .map(|one| one.end);
        let holds = self
            .holders
            .iter()
            .filter(|one| one.owner == owner)
            .map(|one| one.timer);
        waits.chain(holds).min().unwrap_or(NEVER)
    }

    pub(crate) fn advance(&mut self, now: u64) {
        self.now = self.now.max(now);
        self.end_waits();
        self.time_out_runs();
        self.abandon_runs();
        self.grant();
    }

    fn end_waits(&mut self) {
        let now = self.now;
        let mut due: Vec<_> = self
            .waiters
            .iter()
            .filter(|one| one.end <= now)
            .cloned()
            .collect();
        due.sort_by_key(|one| one.end); // stable: arrival decides among equals
        for one in due {
            self.waiters.retain(|other| other.id != one.id);
            self.books.queue_timeout += 1;
            self.books.waited += 1;
            let event = Event::QueueTimedOut {
                id: one.id,
                nanos: now - one.since,
            };
            self.events.push((one.owner, event));
        }
    }

    fn time_out_runs(&mut self) {
        let now = self.now;
        let due = |one: &&Holder| one.phase == Phase::Running && one.timer <= now;
        let mut due: Vec<_> = self.holders.iter().filter(due).cloned().collect();
        due.sort_by_key(|one| one.timer);
        for one in due {
            self.books.call_timeouts += 1;
            let event = Event::CallTimedOut {
                id: one.id,
                nanos: now - one.since,
            };
            self.events.push((one.owner, event));
            self.answer(one.id, one.timer);
        }
    }

    fn abandon_runs(&mut self) {
        let now = self.now;
        let is_due = |one: &Holder| one.phase == Phase::Overrun && one.timer <= now;
        let count = self.holders.iter().filter(|one| is_due(one)).count() as u64;
        self.holders.retain(|one| !is_due(one));
        self.books.abandoned_runs += count;
        self.books.ran += count;
    }

    pub(crate) fn grant(&mut self) {
        let limit = u64::from(self.settings.limit);
        while self
            .waiters
            .first()
            .is_some_and(|one| self.used() + u64::from(one.weight) <= limit)
        {
            let one = self.waiters.remove(0);
            self.books.admitted += 1;
            self.books.waited += 1;
            self.events.push((one.owner, Event::Granted { id: one.id }));
            self.holders.push(Holder {
                id: one.id,
                owner: one.owner,
                weight: one.weight,
                run: one.run,
                since: self.now,
                bound: one.bound,
                phase: Phase::Granted,
                timer: NEVER,
            });
        }
    }

    pub(crate) fn answer(&mut self, id: Id, at: u64) {
        let grace = self.settings.abandon_after;
        for one in self.holders.iter_mut().filter(|one| one.id == id) {
            one.phase = Phase::Overrun;
            one.timer = at.saturating_add(grace);
        }
    }

    pub(crate) fn run_timer(&self, one: &Holder) -> u64 {
        let bound = one
            .since
            .saturating_add(self.settings.call_timeout)
            .min(one.bound);
        if one.run { bound } else { NEVER }
    }

    /// Takes a holder out; its caller counts why.
    pub(crate) fn take(&mut self, id: Id) -> Option<Holder> {
        let place = self.holders.iter().position(|one| one.id == id)?;
        Some(self.holders.remove(place))
    }
}
