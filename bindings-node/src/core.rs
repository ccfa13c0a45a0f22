//! A core behind its lock, and the wakers of those who share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bulkheads::OwnerId;
use bulkheads::engine::Engine;

use crate::waker::Waker;

/// Nothing of the host's is called under the lock: making a value may collect garbage, and a
/// collected handle locks too; and waking somebody takes a lock of the host's.
pub(crate) struct Core(Mutex<Locked>);

struct Locked {
    engine: Engine,
    /// By the places of the owners; none in a private core.
    wakers: Vec<Option<Arc<Waker>>>,
}

impl Core {
    pub(crate) fn new(engine: Engine) -> Arc<Self> {
        let wakers = Vec::new();
        Arc::new(Self(Mutex::new(Locked { engine, wakers })))
    }

    /// For what concerns nobody else, or has nobody else to concern.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut Engine) -> R) -> R {
        act(&mut self.lock().engine)
    }

    /// An input of `owner`; the others whom it tells something are woken after it.
    pub(crate) fn waking<R>(&self, owner: OwnerId, act: impl FnOnce(&mut Engine) -> R) -> R {
        self.step(owner, |core| act(&mut core.engine))
    }

    /// From here on this owner is woken.
    pub(crate) fn listen(&self, owner: OwnerId, waker: Arc<Waker>) {
        let (mut core, place) = (self.lock(), place(owner));
        if core.wakers.len() <= place {
            core.wakers.resize(place + 1, None);
        }
        core.wakers[place] = Some(waker);
    }

    /// Ends an owner; whoever gets what it held is woken.
    pub(crate) fn evict(&self, owner: OwnerId, now: f64) {
        self.step(owner, |core| {
            core.engine.evict(owner, now);
            if let Some(waker) = core.wakers.get_mut(place(owner)) {
                *waker = None;
            }
        });
    }

    fn step<R>(&self, owner: OwnerId, act: impl FnOnce(&mut Locked) -> R) -> R {
        let mut core = self.lock();
        let answer = act(&mut core);
        let asleep = core.asleep(owner);
        drop(core);
        for waker in asleep {
            waker.wake();
        }
        answer
    }

    /// A panic of another thread does not spread: the core keeps no half-made state that could
    /// harm memory.
    fn lock(&self) -> MutexGuard<'_, Locked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Locked {
    /// Whom the last input has told something, and no other wake is on its way to.
    fn asleep(&mut self, owner: OwnerId) -> Vec<Arc<Waker>> {
        let Self { engine, wakers } = self;
        let others = std::iter::from_fn(|| engine.next_wake(owner));
        let wakers = others.filter_map(|other| wakers.get(place(other))?.as_ref());
        wakers.filter(|waker| waker.is_asleep()).cloned().collect()
    }
}

/// Places are reused, so that they stay as few as there were owners at a time.
#[expect(clippy::cast_possible_truncation, reason = "the low half is the place")]
fn place(owner: OwnerId) -> usize {
    owner.as_raw() as u32 as usize
}
