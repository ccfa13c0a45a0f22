//! A handle: a core, an owner, and what counts it.
//!
//! The core lies behind a lock and is counted across threads; the handle itself belongs to one
//! environment, hence to one thread. Its object and the function that is bound to it hold a count
//! of their own: a method that was taken out of its object keeps working however long it lives.

use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::rc::Rc;
use std::sync::Arc;

use bulkheads::engine::Engine;
use bulkheads::mailbox::{MAILBOX_LEN, Mailbox};
use bulkheads::{InvalidOption, OwnerId};
use napi::sys;

use crate::core::Core;
use crate::registry::Member;
use crate::value::Env;

/// What the data pointer of a bound function points to, and what an engine object wraps.
pub(crate) struct Handle {
    core: Arc<Core>,
    owner: OwnerId,
    /// Memory that the host sees as an array, for as long as this handle is counted.
    mail: Box<UnsafeCell<Mailbox>>,
    /// Of a core that other threads may have as well.
    member: Option<Member>,
    /// What was wrong with the last input of a shared core: there the next input may be another's.
    fault: Cell<Option<InvalidOption>>,
}

/// Told to the garbage collector, which sees only the object: roughly a core with its histograms.
const CORE_BYTES: i64 = 8 * 1024;

impl Handle {
    /// Over a core of its own.
    pub(crate) fn private(core: Engine) -> Self {
        Self::of(Core::new(core), OwnerId::FIRST, None)
    }

    /// Over a core of several threads.
    pub(crate) fn shared(member: Member) -> Self {
        Self::of(Arc::clone(&member.core), member.owner, Some(member))
    }

    /// For what tells nobody anything.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut Engine) -> R) -> R {
        self.core.with(act)
    }

    /// With the numbers that the host wrote, in a core where nobody else has to be told.
    pub(crate) fn alone<R>(&self, act: impl FnOnce(&mut Engine, OwnerId, &mut Mailbox) -> R) -> R {
        self.core.with(|core| act(core, self.owner, self.mail()))
    }

    /// With the numbers that the host wrote; other drivers that have something to hear are woken.
    pub(crate) fn waking<R>(&self, act: impl FnOnce(&mut Engine, OwnerId, &mut Mailbox) -> R) -> R {
        self.core.waking(self.owner, |core| {
            let answer = act(core, self.owner, self.mail());
            self.fault.set(core.take_fault());
            answer
        })
    }

    /// Why the last input answered no number.
    pub(crate) fn take_fault(&self) -> Option<InvalidOption> {
        self.fault
            .take()
            .or_else(|| self.core.with(Engine::take_fault))
    }

    /// Its environment ends, and may still be asked for what it needs for that.
    pub(crate) fn leave(&self) {
        if let Some(member) = &self.member {
            member.leave();
        }
    }

    /// Where the mailbox lies; it stays there while the handle is counted.
    pub(crate) fn mailbox(&self) -> *mut f64 {
        self.mail.get().cast()
    }

    #[expect(
        clippy::mut_from_ref,
        reason = "once at a time, in each step under the lock"
    )]
    fn mail(&self) -> &mut Mailbox {
        // SAFETY: only the host and the two steps above touch it, and the host's code does not run
        // during a step: the handle is of one thread, and a step calls nothing of the host's.
        unsafe { &mut *self.mail.get() }
    }

    fn of(core: Arc<Core>, owner: OwnerId, member: Option<Member>) -> Self {
        Self {
            core,
            owner,
            mail: Box::new(UnsafeCell::new([0.0; MAILBOX_LEN])),
            member,
            fault: Cell::new(None),
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

/// Sees to it that the handle leaves its core when its environment ends, however that comes about.
/// To be asked for after its waker was made: the last that was asked for comes first.
pub(crate) fn leave_at_end(env: Env, handle: &Rc<Handle>) -> Option<()> {
    let lent = Lent::new(handle);
    // SAFETY: a live environment, and data that stays valid until the hook, which takes it.
    let status = unsafe {
        sys::napi_add_env_cleanup_hook(env.raw(), Some(leave_and_give_back), lent.data())
    };
    taken(env, status, lent)
}

pub(crate) fn taken(env: Env, status: sys::napi_status, lent: Lent) -> Option<()> {
    if status != sys::Status::napi_ok {
        lent.refused();
    }
    env.check(status)
}

unsafe extern "C" fn leave_and_give_back(data: *mut c_void) {
    // SAFETY: called once, for the count that was lent with the hook.
    let handle = unsafe { Rc::from_raw(data.cast_const().cast::<Handle>()) };
    handle.leave();
}
