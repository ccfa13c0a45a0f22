//! A core behind its lock.

use std::sync::{Arc, PoisonError};

use bulkheads_core::{Bulkhead, OwnerId};

use crate::bell::{Bell, Wakes};
use crate::sync::{Mutex, MutexGuard, TryLockError};

/// A core, or what a binding keeps around it, that several owners drive; `W` wakes one of them.
#[derive(Debug)]
pub struct Shared<C, W> {
    state: Mutex<State<C, W>>,
}

#[derive(Debug)]
struct State<C, W> {
    core: C,
    /// By the places of the owners. Places are reused, so there are as few as there were owners at
    /// a time; none for an owner that is never woken.
    bells: Vec<Option<(OwnerId, Arc<Bell<W>>)>>,
}

impl<C: AsMut<Bulkhead>, W> Shared<C, W> {
    /// Over a core that no driver listens to yet.
    pub fn new(core: C) -> Self {
        let bells = Vec::new();
        Self {
            state: Mutex::new(State { core, bells }),
        }
    }

    /// One input of `owner`, and the owners to wake after it. `owner` itself is awake, and looks at
    /// its events without being woken.
    pub fn step<R>(&self, owner: OwnerId, act: impl FnOnce(&mut C) -> R) -> (R, Wakes<W>) {
        let mut state = self.lock();
        let answer = act(&mut state.core);
        let wakes = state.wakes(owner);
        (answer, wakes)
    }

    /// What notifies no other owner: a look, or an input of the only owner.
    pub fn look<R>(&self, act: impl FnOnce(&mut C) -> R) -> R {
        act(&mut self.lock().core)
    }

    /// As [`Shared::look`]; `None` if the lock is taken. For a garbage collector, which may run in
    /// the middle of a step.
    pub fn try_look<R>(&self, act: impl FnOnce(&C) -> R) -> Option<R> {
        match self.state.try_lock() {
            Ok(state) => Some(act(&state.core)),
            Err(TryLockError::Poisoned(poisoned)) => Some(act(&poisoned.into_inner().core)),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// From here on this owner is woken by its bell.
    pub fn listen(&self, owner: OwnerId, bell: Arc<Bell<W>>) {
        let (mut state, place) = (self.lock(), place(owner));
        if state.bells.len() <= place {
            state.bells.resize_with(place + 1, || None);
        }
        let before = state.bells[place].replace((owner, bell));
        drop(state);
        // Running 9: dropping a waker may run a host's code, so not under the lock.
        drop(before);
    }

    /// This owner is not woken any more.
    pub fn unlisten(&self, owner: OwnerId) {
        let mut state = self.lock();
        let bell = state.bells.get_mut(place(owner));
        let bell = bell.and_then(|bell| bell.take_if(|(whose, _)| *whose == owner));
        drop(state);
        drop(bell);
    }

    /// In a forked child: the drivers of the parent are not here. What they left is the answer, to
    /// be forgotten or dropped as the host needs it.
    pub fn unlisten_all(&self) -> Vec<Arc<Bell<W>>> {
        let bells = std::mem::take(&mut self.lock().bells);
        bells.into_iter().flatten().map(|(_, bell)| bell).collect()
    }

    /// A panic of another thread does not spread: a core that was left in the middle of a step is
    /// no danger to memory, and every later call would fail for no reason that its caller knows.
    fn lock(&self) -> MutexGuard<'_, State<C, W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: AsMut<Bulkhead>, W> State<C, W> {
    fn wakes(&mut self, owner: OwnerId) -> Wakes<W> {
        let Self { core, bells } = self;
        let core = core.as_mut();
        let others = std::iter::from_fn(|| core.poll_wake()).filter(|other| *other != owner);
        let bells = others.filter_map(|other| {
            let (whose, bell) = bells.get(place(other))?.as_ref()?;
            (*whose == other).then(|| Arc::clone(bell))
        });
        Wakes(bells.collect())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is the place")]
fn place(owner: OwnerId) -> usize {
    owner.as_raw() as u32 as usize
}
