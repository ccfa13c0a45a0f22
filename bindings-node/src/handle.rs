//! A handle: a core, an owner, and what counts it.
//!
//! The core lies behind a lock and is counted across threads; the handle itself belongs to one
//! environment, hence to one thread. Its object and each function that is bound to it hold a count
//! of their own: a method that was taken out of its object keeps working however long it lives.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads::OwnerId;
use bulkheads::engine::Engine;
use bulkheads::mailbox::{MAILBOX_LEN, Mailbox};
use napi::sys;

use crate::class::Class;
use crate::value::Env;

/// What the data pointer of a bound function points to, and what an engine object wraps.
pub(crate) struct Handle {
    core: Arc<Mutex<Engine>>,
    pub(crate) owner: OwnerId,
    /// Memory that the host sees as an array, for as long as this handle is counted.
    mail: Box<UnsafeCell<Mailbox>>,
    /// The class of this environment, for the objects of further owners.
    pub(crate) class: Class,
}

/// Told to the garbage collector, which sees only the object: roughly a core with its histograms.
const CORE_BYTES: i64 = 8 * 1024;

impl Handle {
    pub(crate) fn new(core: Engine, class: Class) -> Self {
        Self::of(Arc::new(Mutex::new(core)), OwnerId::FIRST, class)
    }

    /// A further owner over the same core.
    pub(crate) fn attach(&self) -> Self {
        let owner = self.with(|core, _| core.attach());
        Self::of(Arc::clone(&self.core), owner, self.class)
    }

    /// The one way to the core. Nothing of the host's is called under the lock: making a value may
    /// collect garbage, and a collected handle locks too. A panic of another thread does not
    /// spread: the core keeps no half-made state that could harm memory.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut Engine, OwnerId) -> R) -> R {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut core, self.owner)
    }

    /// As [`Handle::with`], with the numbers that the host wrote.
    pub(crate) fn with_mail<R>(
        &self,
        act: impl FnOnce(&mut Engine, OwnerId, &mut Mailbox) -> R,
    ) -> R {
        // SAFETY: only the host and this function touch it, and the host's code does not run during
        // a call: the handle is of one thread, and `act` calls nothing of the host's.
        self.with(|core, owner| act(core, owner, unsafe { &mut *self.mail.get() }))
    }

    /// Where the mailbox lies; it stays there while the handle is counted.
    pub(crate) fn mailbox(&self) -> *mut f64 {
        self.mail.get().cast()
    }

    fn of(core: Arc<Mutex<Engine>>, owner: OwnerId, class: Class) -> Self {
        Self {
            core,
            owner,
            mail: Box::new(UnsafeCell::new([0.0; MAILBOX_LEN])),
            class,
        }
    }
}

impl Drop for Handle {
    /// A handle that nobody can reach any more drives nobody: its owner must not hold permits of a
    /// core that others still use. Time 0 is "no later than before".
    fn drop(&mut self) {
        if Arc::strong_count(&self.core) > 1 {
            self.with(|core, owner| core.evict(owner, 0.0));
        }
    }
}

/// A count of a handle that the host keeps for us until it calls [`give_back`].
pub(crate) struct Lent(*const Handle);

impl Lent {
    pub(crate) fn new(handle: &Rc<Handle>) -> Self {
        Self(Rc::into_raw(Rc::clone(handle)))
    }

    pub(crate) const fn data(&self) -> *mut c_void {
        self.0.cast_mut().cast()
    }

    /// The host has not taken it.
    pub(crate) fn refused(self) {
        // SAFETY: made by `Rc::into_raw`, and no finalizer was registered for it.
        drop(unsafe { Rc::from_raw(self.0) });
    }
}

/// The collector now sees what it holds.
pub(crate) fn announce(env: Env) {
    env.adjust_memory(CORE_BYTES);
}

/// # Safety
/// Called by Node once for each [`Lent`] that it took, on the thread that lent it.
pub(crate) unsafe extern "C" fn give_back(env: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: `data` came from `Rc::into_raw`, and this takes that one count back.
    let handle = unsafe { Rc::from_raw(data.cast_const().cast::<Handle>()) };
    if Rc::strong_count(&handle) == 1 {
        Env::new(env).adjust_memory(-CORE_BYTES);
    }
}
