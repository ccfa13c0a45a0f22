//! The shared cores of the process, by name.
//!
//! A core lives for as long as any thread has it; then its name is free. The table itself takes no
//! memory when no thread shares anything: the host unloads the addon with the last thread that uses
//! it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bulkheads_core::OwnerId;
use bulkheads_driver::{Bell, Shared};
use bulkheads_engine::Engine;

use crate::value::Env;
use crate::waker::Waker;

/// In the units of JavaScript's strings, so that no two names are taken for one.
pub(crate) type Name = Vec<u16>;

/// The options in effect, as [`Engine::settings`], and the facade's own as one number.
pub(crate) type Settings = [f64; 6];

type Core = Shared<Engine, Waker>;

// Shared in Node 1.1, Shared in Node 1.2: one core, with its one queue, for each name.
static CORES: Mutex<BTreeMap<Name, Entry>> = Mutex::new(BTreeMap::new());

struct Entry {
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
pub(crate) fn join(
    name: Name,
    wanted: Option<(Engine, Settings)>,
    host_now: f64,
    bell: &Arc<Bell<Waker>>,
) -> Found {
    let mut cores = cores();
    match (cores.get_mut(&name), wanted) {
        // Shared in Node 2.3: the limit that `resize` has set since is not among these.
        (Some(entry), Some((_, settings))) if entry.settings != settings => {
            Found::Different(entry.settings)
        }
        (Some(entry), _) => Found::Joined(entry.join(name, bell)),
        (None, None) => Found::Nobody,
        (None, Some((engine, settings))) => {
            let mut entry = Entry::new(engine, settings, host_now);
            let member = entry.join(name.clone(), bell);
            cores.insert(name, entry);
            Found::Joined(member)
        }
    }
}

/// Frees a name: threads that have its core keep that, and the next that asks for the name makes a
/// new one.
pub(crate) fn reset(name: &Name) {
    let mut cores = cores();
    // Shared in Node 7
    let former = take(&mut cores, name);
    // Not under the table's lock.
    drop((cores, former));
}

impl Entry {
    fn new(engine: Engine, settings: Settings, host: f64) -> Self {
        Self {
            core: Arc::new(Shared::new(engine.shared())),
            settings,
            birth: Birth {
                host,
                process: Instant::now(),
            },
            members: 0,
        }
    }

    fn join(&mut self, name: Name, bell: &Arc<Bell<Waker>>) -> Member {
        // The core is made with its first owner.
        let owner = match self.members {
            0 => OwnerId::FIRST,
            _ => self.core.look(|engine| engine.as_mut().add_owner()),
        };
        self.members += 1;
        self.core.listen(owner, Arc::clone(bell));
        Member {
            owner,
            core: Arc::clone(&self.core),
            settings: self.settings,
            birth: self.birth,
            name,
            bell: Arc::clone(bell),
        }
    }
}

/// One thread's part in a shared core. Dropping it leaves: what it held goes back, its waiters
/// leave the queue, and the threads whose calls get it are woken.
pub(crate) struct Member {
    pub(crate) owner: OwnerId,
    pub(crate) settings: Settings,
    core: Arc<Core>,
    birth: Birth,
    name: Name,
    bell: Arc<Bell<Waker>>,
}

impl Member {
    /// The time 0 of the core on the host's clock.
    pub(crate) const fn origin(&self) -> f64 {
        self.birth.host
    }

    pub(crate) fn input<R>(&self, act: impl FnOnce(&mut Engine) -> R) -> R {
        let (answer, wakes) = self.core.step(self.owner, act);
        // Shared in Node 1.3, Shared in Node 3.1: each owner with an event is woken in its own
        // thread.
        wakes.ring(Waker::wake);
        answer
    }

    /// Whether this is the core that has its name now.
    pub(crate) fn is_current(&self) -> bool {
        let cores = cores();
        let entry = cores.get(&self.name);
        entry.is_some_and(|entry| Arc::ptr_eq(&entry.core, &self.core))
    }

    pub(crate) fn keep_alive(&self, env: Env, is_kept: bool) -> Option<()> {
        self.bell.waker().keep_alive(env, is_kept)
    }
}

impl Drop for Member {
    // Shared in Node 4.1, Shared in Node 4.2: only the end of its thread takes what an owner has.
    fn drop(&mut self) {
        // First: the host frees the waker's function next, without asking who still knows it.
        self.bell.waker().close();
        let now = self.birth.process.elapsed().as_secs_f64() * 1e3;
        self.input(|engine| engine.evict(self.owner, now));
        self.core.unlisten(self.owner);
        let last = forget(&self.name, &self.core);
        // Not under the table's lock.
        drop(last);
    }
}

/// One member of this core less. Answers what no thread has any more.
fn forget(name: &Name, core: &Arc<Core>) -> Option<Entry> {
    let mut cores = cores();
    // Since a reset the name may be another core's.
    let entry = cores
        .get_mut(name)
        .filter(|entry| Arc::ptr_eq(&entry.core, core))?;
    entry.members -= 1;
    // Shared in Node 4.3
    if entry.members > 0 {
        return None;
    }
    take(&mut cores, name)
}

fn take(cores: &mut BTreeMap<Name, Entry>, name: &Name) -> Option<Entry> {
    let taken = cores.remove(name);
    if cores.is_empty() {
        *cores = BTreeMap::new();
    }
    taken
}

fn cores() -> MutexGuard<'static, BTreeMap<Name, Entry>> {
    CORES.lock().unwrap_or_else(PoisonError::into_inner)
}
