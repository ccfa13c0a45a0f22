//! Who drives what: the events and timers of each driver of a hull.

mod alarms;

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::calls::{Calls, Phase};
use crate::deadlines::{Deadline, Deadlines};
use crate::event::Event;
use crate::ids::{OwnerId, next_generation};
use crate::list::NIL;
use crate::time::Instant;

pub(crate) use alarms::{Alarm, Alarms};

/// The three kinds of timers, in the order in which one instant works them off (Time 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timer {
    /// The end of a wait.
    Wait,
    /// The deadline of a run.
    Run,
    /// After it a run that was answered early is given up.
    Abandon,
}

impl Timer {
    pub(crate) const ALL: [Self; 3] = [Self::Wait, Self::Run, Self::Abandon];

    /// The timer that a call in this phase may have.
    pub(crate) const fn of(phase: Phase) -> Option<Self> {
        match phase {
            Phase::Waiting => Some(Self::Wait),
            Phase::Running => Some(Self::Run),
            Phase::Overrun => Some(Self::Abandon),
            // Leaving the queue 2.4: a deadline that passes before the start acts after it.
            Phase::Granted | Phase::Free => None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Owner {
    /// Of the owner that lives here, or of the next that will: no id that was given out before has
    /// this one.
    generation: u32,
    /// The latest generation that was given out here. A restart gives [`OwnerId::FIRST`] again, but
    /// no other id from before.
    latest: u32,
    is_alive: bool,
    /// Stands in the list of owners to wake.
    is_to_wake: bool,
    timers: [Deadlines; 3],
    /// One at most for each compartment and reason.
    alarms: Vec<Alarm>,
    events: VecDeque<Event>,
}

#[derive(Debug)]
pub(crate) struct Owners {
    list: Vec<Owner>,
    /// No deadline lies before this, so that an input with nothing due compares one number.
    next_due: Instant,
    /// How many timers are set in all.
    armed: u32,
    to_wake: Vec<u32>,
}

impl Owners {
    /// With [`OwnerId::FIRST`].
    pub(crate) fn new() -> Self {
        let mut owners = Self {
            // One owner is the common case; the first push would reserve four.
            list: Vec::with_capacity(1),
            next_due: Instant::NEVER,
            armed: 0,
            to_wake: Vec::new(),
        };
        let first = owners.add();
        debug_assert!(first == OwnerId::FIRST);
        owners
    }

    pub(crate) fn add(&mut self) -> OwnerId {
        let free = self.list.iter().position(|owner| !owner.is_alive);
        let index = free.unwrap_or(self.list.len());
        if index == self.list.len() {
            self.list.push(Owner::of(1));
        }
        let owner = &mut self.list[index];
        owner.is_alive = true;
        owner.latest = owner.generation;
        OwnerId {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            generation: owner.generation,
        }
    }

    /// Its events go with it; its calls must have ended.
    pub(crate) fn remove(&mut self, index: u32) {
        let alarms = core::mem::take(&mut self.at(index).alarms);
        let owner = self.at(index);
        *owner = Owner {
            is_to_wake: owner.is_to_wake,
            latest: owner.latest,
            ..Owner::of(next_generation(owner.latest))
        };
        for alarm in alarms {
            self.disarmed();
            if alarm.why == Alarms::Drain {
                self.hand_over(alarm);
            }
        }
    }

    /// As [`Owners::new`]: every other owner is evicted. All calls must have ended.
    pub(crate) fn restart(&mut self) {
        for index in self.indices() {
            // What is still set are alarms: nothing of what they are for is left.
            self.at(index).alarms.clear();
            self.remove(index);
            self.at(index).is_to_wake = false;
        }
        self.to_wake.clear();
        self.armed = 0;
        self.next_due = Instant::NEVER;
        let first = self.at(OwnerId::FIRST.index);
        first.is_alive = true;
        first.generation = OwnerId::FIRST.generation;
    }

    pub(crate) fn find(&self, id: OwnerId) -> Option<u32> {
        let owner = self.list.get(id.index as usize)?;
        (owner.generation == id.generation).then_some(id.index)
    }

    pub(crate) fn get(&self, index: u32) -> &Owner {
        &self.list[index as usize]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Owner> {
        self.list.iter()
    }

    pub(crate) fn push_event(&mut self, index: u32, event: Event) {
        self.at(index).events.push_back(event);
        self.wake(index);
    }

    fn wake(&mut self, index: u32) {
        let is_awake = core::mem::replace(&mut self.at(index).is_to_wake, true);
        if !is_awake {
            self.to_wake.push(index);
        }
    }

    pub(crate) fn push_event_to_all(&mut self, event: Event) {
        for index in self.indices() {
            if self.get(index).is_alive {
                self.push_event(index, event);
            }
        }
    }

    pub(crate) fn pop_event(&mut self, index: u32) -> Option<Event> {
        self.at(index).events.pop_front()
    }

    /// An owner that has had an event since it was named here last.
    pub(crate) fn pop_wake(&mut self) -> Option<OwnerId> {
        while let Some(index) = self.to_wake.pop() {
            let owner = self.at(index);
            owner.is_to_wake = false;
            if owner.is_alive {
                return Some(OwnerId {
                    index,
                    generation: owner.generation,
                });
            }
        }
        None
    }

    /// Whether any timer is set: if not, nothing can fall due.
    pub(crate) const fn has_timers(&self) -> bool {
        self.armed > 0
    }

    /// How many timers are set.
    pub(crate) const fn armed(&self) -> usize {
        self.armed as usize
    }

    // Time 2.1
    pub(crate) const fn is_nothing_due(&self, now: Instant) -> bool {
        now.as_nanos() < self.next_due.as_nanos()
    }

    /// Makes `next_due` exact again; in between it may lie too early, which costs a look.
    pub(crate) fn refresh_next_due(&mut self, calls: &Calls) {
        let first = |owner: &Owner| owner.first_deadline(calls);
        let first = self.list.iter().filter_map(first).min();
        self.next_due = first.unwrap_or(Instant::NEVER);
    }

    /// Sets the timer of a slot that has none, for the phase that it is in.
    #[inline]
    pub(crate) fn arm(&mut self, calls: &mut Calls, at: Instant, slot: u32) {
        // Options 2.2: too far off to represent is never.
        if at < Instant::NEVER {
            self.insert_timer(calls, at, slot);
        }
    }

    fn insert_timer(&mut self, calls: &mut Calls, at: Instant, slot: u32) {
        let call = calls.get(slot);
        let (owner, Some(timer)) = (call.owner, Timer::of(call.phase)) else {
            return;
        };
        self.armed += 1;
        self.next_due = self.next_due.min(at);
        self.at(owner).timers[timer as usize].insert(calls, at, slot);
    }

    /// When the timer of a slot is due; never if it has none.
    pub(crate) fn due(&self, calls: &Calls, slot: u32) -> Instant {
        let call = calls.get(slot);
        match Timer::of(call.phase) {
            Some(timer) if call.timer != NIL => {
                self.get(call.owner).timers[timer as usize].due(calls, slot)
            }
            _ => Instant::NEVER,
        }
    }

    /// Takes the timer of a slot away, if it has one, before it leaves its phase.
    #[inline]
    pub(crate) fn disarm(&mut self, calls: &mut Calls, slot: u32) {
        if calls.get(slot).timer != NIL {
            self.remove_timer(calls, slot);
        }
    }

    fn remove_timer(&mut self, calls: &mut Calls, slot: u32) {
        let call = calls.get(slot);
        let (owner, Some(timer)) = (call.owner, Timer::of(call.phase)) else {
            return;
        };
        self.at(owner).timers[timer as usize].remove(calls, slot);
        self.disarmed();
    }

    fn disarmed(&mut self) {
        self.armed -= 1;
        if self.armed == 0 {
            self.next_due = Instant::NEVER;
        }
    }

    // Time 2.2: by deadline, then by arrival or admission.
    /// The first timer of a kind, among all owners, that is due.
    pub(crate) fn first_due(&self, calls: &Calls, timer: Timer, now: Instant) -> Option<Deadline> {
        let of_owner = |owner: &Owner| owner.timers[timer as usize].first(calls);
        let firsts = self.list.iter().filter_map(of_owner);
        firsts.min().filter(|deadline| deadline.at <= now)
    }

    pub(crate) fn indices(&self) -> core::ops::Range<u32> {
        0..u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    fn at(&mut self, index: u32) -> &mut Owner {
        &mut self.list[index as usize]
    }
}

impl Owner {
    /// A place without an owner yet.
    fn of(generation: u32) -> Self {
        Self {
            generation,
            latest: 0,
            is_alive: false,
            is_to_wake: false,
            timers: Default::default(),
            alarms: Vec::new(),
            events: VecDeque::new(),
        }
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &Event> {
        self.events.iter()
    }

    pub(crate) fn timers(&self) -> impl Iterator<Item = (Timer, &Deadlines)> {
        Timer::ALL.into_iter().zip(&self.timers)
    }

    pub(crate) fn first_deadline(&self, calls: &Calls) -> Option<Instant> {
        // Leaving the queue 4.2: the host arms one timer, for the first of them.
        let firsts = self.timers.iter().filter_map(|timers| timers.first(calls));
        let firsts = firsts.map(|deadline| deadline.at);
        firsts.chain(self.alarms.iter().map(|alarm| alarm.at)).min()
    }

    // Running 10.1, Running 10.2
    /// Whether a caller that has no answer yet depends on its timers.
    pub(crate) fn keeps_alive(&self, calls: &Calls) -> bool {
        let unanswered = [Timer::Wait, Timer::Run];
        let has = |timer: &Timer| self.timers[*timer as usize].first(calls).is_some();
        !self.alarms.is_empty() || unanswered.iter().any(has)
    }
}
