//! The shared cores of the process, by name.
//!
//! A core lives for as long as any thread has it; then its name is free. The table itself takes no
//! memory when nobody shares anything: the host unloads the addon with the last thread that uses it.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bulkheads::OwnerId;
use bulkheads::engine::Engine;

use crate::core::Core;
use crate::waker::Waker;

/// In the units of JavaScript's strings, so that no two names are taken for one.
pub(crate) type Name = Vec<u16>;

/// The options in effect, as [`Engine::settings`], and the facade's own as one number.
pub(crate) type Settings = [f64; 6];

static CORES: Mutex<BTreeMap<Name, Shared>> = Mutex::new(BTreeMap::new());

struct Shared {
    core: Arc<Core>,
    settings: Settings,
    birth: Birth,
    members: usize,
}

/// When a core was made: its time 0.
#[derive(Clone, Copy)]
struct Birth {
    /// On the clock of the host, which all its threads share.
    host: f64,
    /// On that of this process, for the end of a thread, where the host cannot be asked.
    process: Instant,
}

/// What there is under a name.
pub(crate) enum Found {
    Joined(Member),
    /// A core with other settings.
    Different(Settings),
    /// No core, and no settings to make one with.
    Nobody,
}

/// A further owner of the core of this name; it is made if there is none.
#[expect(clippy::float_cmp, reason = "equal options come out as equal numbers")]
pub(crate) fn join(name: Name, wanted: Option<(Engine, Settings)>, host_now: f64) -> Found {
    let mut cores = cores();
    match (cores.get_mut(&name), wanted) {
        (Some(shared), Some((_, settings))) if shared.settings != settings => {
            Found::Different(shared.settings)
        }
        (Some(shared), _) => Found::Joined(shared.join(name)),
        (None, None) => Found::Nobody,
        (None, Some((engine, settings))) => {
            let mut shared = Shared::new(engine, settings, host_now);
            let member = shared.join(name.clone());
            cores.insert(name, shared);
            Found::Joined(member)
        }
    }
}

impl Shared {
    fn new(mut engine: Engine, settings: Settings, host: f64) -> Self {
        // The owner that every core is born with is nobody here.
        engine.evict(OwnerId::FIRST, 0.0);
        Self {
            core: Core::new(engine),
            settings,
            birth: Birth {
                host,
                process: Instant::now(),
            },
            members: 0,
        }
    }

    fn join(&mut self, name: Name) -> Member {
        self.members += 1;
        Member {
            owner: self.core.with(Engine::attach),
            core: Arc::clone(&self.core),
            settings: self.settings,
            birth: self.birth,
            name,
            waker: OnceCell::new(),
            has_left: Cell::new(false),
        }
    }
}

/// One thread's part in a shared core.
pub(crate) struct Member {
    pub(crate) core: Arc<Core>,
    pub(crate) owner: OwnerId,
    pub(crate) settings: Settings,
    birth: Birth,
    name: Name,
    waker: OnceCell<Arc<Waker>>,
    has_left: Cell<bool>,
}

impl Member {
    /// The time 0 of the core on the host's clock.
    pub(crate) const fn origin(&self) -> f64 {
        self.birth.host
    }

    /// To be called once.
    pub(crate) fn listen(&self, waker: Arc<Waker>) {
        self.core.listen(self.owner, Arc::clone(&waker));
        let _ = self.waker.set(waker);
    }

    /// Gives back what it held and leaves the queue. On its own thread, while the host still has
    /// the function of the waker.
    pub(crate) fn leave(&self) {
        if self.has_left.replace(true) {
            return;
        }
        if let Some(waker) = self.waker.get() {
            waker.close();
        }
        let now = self.birth.process.elapsed().as_secs_f64() * 1e3;
        self.core.evict(self.owner, now);
        let _last = forget(&self.name);
    }
}

impl Drop for Member {
    /// One whose environment could not finish what it began.
    fn drop(&mut self) {
        self.leave();
    }
}

/// One member less. Answers what nobody has any more, to be dropped outside of the lock.
fn forget(name: &Name) -> Option<Shared> {
    let mut cores = cores();
    let shared = cores.get_mut(name)?;
    shared.members -= 1;
    let last = if shared.members == 0 {
        cores.remove(name)
    } else {
        None
    };
    if cores.is_empty() {
        *cores = BTreeMap::new();
    }
    last
}

fn cores() -> MutexGuard<'static, BTreeMap<Name, Shared>> {
    CORES.lock().unwrap_or_else(PoisonError::into_inner)
}
