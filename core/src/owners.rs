//! Who drives what: events and timers of each driver of a shared bulkhead.

use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

use crate::deadlines::{Deadline, Deadlines};
use crate::event::Event;
use crate::ids::{MAX_GENERATION, OwnerId};
use crate::store::Store;
use crate::time::Instant;

/// The three kinds of deadlines, in the order in which one instant works them off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The end of a wait.
    Wait,
    /// The bound of a run.
    Run,
    /// The end of the grace of a run that was answered early.
    Grace,
}

#[derive(Debug, Default)]
pub(crate) struct Owner {
    generation: u32,
    alive: bool,
    /// Stands in the list of owners to wake.
    woken: bool,
    /// Wants one [`Event::Idle`].
    watches_idle: bool,
    /// Wants one [`Event::Room`] for this weight; 0 for no wish.
    watches_room: u32,
    pub(crate) timers: [Deadlines; 3],
    events: VecDeque<Event>,
}

#[derive(Debug)]
pub(crate) struct Owners {
    list: Vec<Owner>,
    /// A lower bound of every deadline, so that an input with nothing due looks at one number.
    next_due: Instant,
    wakes: Vec<u32>,
    /// How many deadlines there are in all.
    armed: u32,
    /// How many owners watch for idleness and for room, so that a step without watchers looks at
    /// one number.
    watchers: u32,
}

impl Owners {
    pub(crate) fn new() -> Self {
        let first = Owner {
            generation: 1,
            alive: true,
            ..Owner::default()
        };
        Self {
            list: vec![first],
            next_due: Instant::NEVER,
            wakes: Vec::new(),
            armed: 0,
            watchers: 0,
        }
    }

    pub(crate) fn add(&mut self) -> OwnerId {
        let index = self
            .list
            .iter()
            .position(|owner| !owner.alive)
            .unwrap_or(self.list.len());
        if index == self.list.len() {
            self.list.push(Owner::default());
        }
        let owner = &mut self.list[index];
        owner.alive = true;
        owner.generation = if owner.generation == MAX_GENERATION {
            1
        } else {
            owner.generation + 1
        };
        OwnerId {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            generation: owner.generation,
        }
    }

    /// Its events go with it; its timers must have been removed.
    pub(crate) fn remove(&mut self, index: u32) {
        self.watch_room(index, 0);
        self.forget_idle(index);
        let owner = &mut self.list[index as usize];
        *owner = Owner {
            generation: owner.generation,
            woken: owner.woken,
            ..Owner::default()
        };
    }

    /// As [`Owners::new`], and every other owner is evicted; all timers must have been removed.
    pub(crate) fn restart(&mut self) {
        self.wakes.clear();
        for index in 0..u32::try_from(self.list.len()).unwrap_or(u32::MAX) {
            self.at(index).woken = false;
            self.remove(index);
        }
        let first = self.at(OwnerId::FIRST.index);
        first.alive = true;
        first.generation = OwnerId::FIRST.generation;
    }

    pub(crate) fn find(&self, id: OwnerId) -> Option<u32> {
        let owner = self.list.get(id.index as usize)?;
        (owner.alive && owner.generation == id.generation).then_some(id.index)
    }

    pub(crate) fn at(&mut self, index: u32) -> &mut Owner {
        &mut self.list[index as usize]
    }

    pub(crate) fn get(&self, index: u32) -> &Owner {
        &self.list[index as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Owner> {
        self.list.iter()
    }

    pub(crate) fn push_event(&mut self, index: u32, event: Event) {
        let owner = &mut self.list[index as usize];
        owner.events.push_back(event);
        if !owner.woken {
            owner.woken = true;
            self.wakes.push(index);
        }
    }

    pub(crate) fn pop_event(&mut self, index: u32) -> Option<Event> {
        self.list[index as usize].events.pop_front()
    }

    pub(crate) fn events(&self, index: u32) -> impl Iterator<Item = &Event> {
        self.list[index as usize].events.iter()
    }

    /// An owner that has had an event since it was named here last.
    pub(crate) fn pop_wake(&mut self) -> Option<OwnerId> {
        while let Some(index) = self.wakes.pop() {
            let owner = self.at(index);
            owner.woken = false;
            if owner.alive {
                return Some(OwnerId {
                    index,
                    generation: owner.generation,
                });
            }
        }
        None
    }

    pub(crate) fn watch_idle(&mut self, index: u32) {
        let watched = core::mem::replace(&mut self.at(index).watches_idle, true);
        self.watchers += u32::from(!watched);
    }

    /// True if it watched.
    fn forget_idle(&mut self, index: u32) -> bool {
        let watched = core::mem::take(&mut self.at(index).watches_idle);
        self.watchers -= u32::from(watched);
        watched
    }

    /// One idle event to each owner that watches.
    pub(crate) fn tell_idle(&mut self) {
        if self.watchers == 0 {
            return;
        }
        for index in 0..u32::try_from(self.list.len()).unwrap_or(u32::MAX) {
            if self.forget_idle(index) {
                self.push_event(index, Event::Idle);
            }
        }
    }

    /// Whether nothing can fall due and nobody watches.
    pub(crate) const fn is_calm(&self) -> bool {
        self.armed == 0 && self.watchers == 0
    }

    /// Sets what an owner watches for; the lightest of its wishes counts, 0 ends them.
    pub(crate) fn watch_room(&mut self, index: u32, weight: u32) {
        let watched = &mut self.list[index as usize].watches_room;
        self.watchers -= u32::from(*watched > 0);
        *watched = if *watched > 0 {
            weight.min(*watched)
        } else {
            weight
        };
        self.watchers += u32::from(*watched > 0);
    }

    /// One room event to each owner whose weight `has_room`.
    pub(crate) fn tell_room(&mut self, has_room: impl Fn(u32) -> bool) {
        if self.watchers == 0 {
            return;
        }
        for index in 0..u32::try_from(self.list.len()).unwrap_or(u32::MAX) {
            let weight = self.get(index).watches_room;
            if weight > 0 && has_room(weight) {
                self.watch_room(index, 0);
                self.push_event(index, Event::Room);
            }
        }
    }

    pub(crate) const fn has_deadlines(&self) -> bool {
        self.armed > 0
    }

    pub(crate) const fn nothing_due(&self, now: Instant) -> bool {
        now.as_nanos() < self.next_due.as_nanos()
    }

    /// Makes the lower bound exact again.
    pub(crate) fn refresh_next_due(&mut self, store: &Store) {
        let first = |owner: &Owner| owner.first_deadline(store);
        self.next_due = self
            .list
            .iter()
            .filter_map(first)
            .min()
            .unwrap_or(Instant::NEVER);
    }

    /// Sets the timer of a slot that has none.
    pub(crate) fn arm(&mut self, store: &mut Store, kind: Kind, at: Instant, slot: u32) {
        if at < Instant::NEVER {
            self.armed += 1;
            self.next_due = self.next_due.min(at);
            let owner = store.get(slot).owner;
            self.at(owner).timers[kind as usize].insert(store, at, slot);
        }
    }

    /// Takes the timer of a slot away, if it has one.
    pub(crate) fn disarm(&mut self, store: &mut Store, kind: Kind, slot: u32) {
        let entry = store.get(slot);
        if entry.timer != crate::store::NIL {
            self.list[entry.owner as usize].timers[kind as usize].remove(store, slot);
            self.armed -= 1;
            if self.armed == 0 {
                self.next_due = Instant::NEVER;
            }
        }
    }

    /// The first deadline of a kind among all owners that is due, taken out of its heap.
    pub(crate) fn pop_due(
        &mut self,
        store: &mut Store,
        kind: Kind,
        now: Instant,
    ) -> Option<Deadline> {
        let firsts = self
            .list
            .iter()
            .filter_map(|owner| owner.timers[kind as usize].first(store));
        let first = firsts.min().filter(|deadline| deadline.at <= now)?;
        self.disarm(store, kind, first.slot);
        Some(first)
    }
}

impl Owner {
    pub(crate) fn first_deadline(&self, store: &Store) -> Option<Instant> {
        let firsts = self.timers.iter().filter_map(|timers| timers.first(store));
        firsts.map(|deadline| deadline.at).min()
    }

    /// Whether anybody who was not answered yet depends on its timers.
    pub(crate) fn keeps_alive(&self, store: &Store) -> bool {
        [Kind::Wait, Kind::Run]
            .iter()
            .any(|kind| self.timers[*kind as usize].first(store).is_some())
    }
}
