//! What one thread of the host has: its engines, and the mailbox through which it speaks to them.

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;

use bulkheads_core::OwnerId;
use bulkheads_engine::mailbox::{self, MAILBOX_LEN, Mailbox};
use bulkheads_engine::{Engine, Fault, Handles};
use napi::sys;

use crate::registry::Member;
use crate::value::{Answer, Env};

/// One environment of the addon. The data pointer of each of its functions points here.
pub(crate) struct Environment {
    engines: RefCell<Handles<Driven>>,
    /// Memory of the host's own, which it sees as an array; `array` keeps it.
    mail: *mut Mailbox,
    array: sys::napi_ref,
    /// What was wrong with the last options, or the last input of a shared core: there the next
    /// input may be another's.
    fault: Cell<Option<Fault>>,
}

/// An engine as this thread drives it.
pub(crate) enum Driven {
    /// By this thread alone: no lock.
    Private(Box<Engine>),
    /// By several threads.
    Shared(Box<Member>),
}

impl Environment {
    /// Made once for each environment that loads the addon; freed when that ends.
    pub(crate) fn load(env: Env) -> Option<*mut c_void> {
        let (memory, array) = env.memory(MAILBOX_LEN)?;
        let mail: *mut Mailbox = memory.cast();
        // SAFETY: memory of this length that only this thread can see.
        unsafe { mail.write(mailbox::empty()) };
        let mut reference = ptr::null_mut();
        // SAFETY: a live array of this environment. Its count keeps the memory where it is, as long
        // as the buffer is not transferred, and the package keeps it to itself.
        env.check(unsafe { sys::napi_create_reference(env.raw(), array, 1, &raw mut reference) })?;
        let environment: *mut c_void = Box::into_raw(Box::new(Self {
            engines: RefCell::default(),
            mail,
            array: reference,
            fault: Cell::new(None),
        }))
        .cast();
        // SAFETY: a live environment, and data that stays valid until the hook, which takes it.
        let status = unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(end), environment) };
        if status != sys::Status::napi_ok {
            // SAFETY: the host has not taken it, and no function was made with it.
            drop(unsafe { Box::from_raw(environment.cast::<Self>()) });
        }
        env.check(status)?;
        Some(environment)
    }

    /// # Safety
    /// `data` is that of a function of this addon in a running call.
    pub(crate) const unsafe fn of<'call>(data: *mut c_void) -> &'call Self {
        // SAFETY: an environment outlives the calls of its functions.
        unsafe { &*data.cast_const().cast::<Self>() }
    }

    /// The array of the mailbox.
    pub(crate) fn mailbox(&self, env: Env) -> Answer {
        let mut array = ptr::null_mut();
        // SAFETY: the reference is of this environment, and strong.
        env.check(unsafe { sys::napi_get_reference_value(env.raw(), self.array, &raw mut array) })?;
        Some(array)
    }

    pub(crate) fn add(&self, engine: Driven) -> u32 {
        self.engines.borrow_mut().insert(engine)
    }

    /// Adds a shared engine that leaves its core however the environment ends. To be called after
    /// its waker was made: the host runs the hooks from the last to the first, and frees the
    /// waker's function in a hook of its own, after which no other thread may wake it.
    pub(crate) fn add_shared(&self, env: Env, member: Member) -> Option<u32> {
        let handle = self.add(Driven::Shared(Box::new(member)));
        let lent = Box::into_raw(Box::new((ptr::from_ref(self), handle)));
        // SAFETY: a live environment, and data that stays valid until the hook, which takes it.
        let status = unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(leave), lent.cast()) };
        if status != sys::Status::napi_ok {
            // SAFETY: the host has not taken it.
            drop(unsafe { Box::from_raw(lent) });
            self.remove(handle);
        }
        env.check(status)?;
        Some(handle)
    }

    /// A shared one gives back what it held.
    pub(crate) fn remove(&self, handle: u32) {
        let removed = self.engines.borrow_mut().remove(handle);
        drop(removed);
    }

    /// One input of the engine that the mailbox names. Other threads that it notifies are woken.
    #[inline]
    pub(crate) fn input<R: Default>(
        &self,
        act: impl FnOnce(&mut Engine, OwnerId, &mut Mailbox) -> R,
    ) -> R {
        let mail = self.mail();
        match self.engines.borrow_mut().get_mut(mailbox::handle(mail)) {
            Some(Driven::Private(engine)) => act(engine, OwnerId::FIRST, mail),
            Some(Driven::Shared(member)) => {
                let owner = member.owner;
                let (answer, fault) = member.input(|engine| {
                    let answer = act(engine, owner, mail);
                    (answer, engine.take_fault())
                });
                self.fault.set(fault);
                answer
            }
            None => {
                mailbox::answer_nothing(mail);
                R::default()
            }
        }
    }

    /// Some options were out of their range.
    pub(crate) fn refuse(&self, fault: Fault) {
        self.fault.set(Some(fault));
    }

    /// What was wrong with the last options or input, as a code, with the value in the mailbox; 0
    /// if nothing was.
    pub(crate) fn take_fault(&self) -> u32 {
        let of_options = self.fault.take();
        let fault = of_options.or_else(|| self.input(|engine, _, _| engine.take_fault()));
        fault.map_or(0, |fault| {
            self.mail()[mailbox::place::CODE] = fault.value;
            fault.code()
        })
    }

    /// Whether the core of this handle is the one that has its name.
    pub(crate) fn is_current(&self, handle: u32) -> bool {
        match self.engines.borrow().get(handle) {
            Some(Driven::Shared(member)) => member.is_current(),
            Some(Driven::Private(_)) | None => false,
        }
    }

    /// Whether this thread is to live on for what other threads can bring to this engine.
    pub(crate) fn keep_alive(&self, env: Env, handle: u32, is_kept: bool) -> Option<()> {
        match self.engines.borrow().get(handle) {
            Some(Driven::Shared(member)) => member.keep_alive(env, is_kept),
            Some(Driven::Private(_)) | None => Some(()),
        }
    }

    #[expect(
        clippy::mut_from_ref,
        reason = "once at a time, in each input of this thread"
    )]
    fn mail(&self) -> &mut Mailbox {
        // SAFETY: only the host and the inputs of this thread touch it, and no code of the host's
        // runs during an input.
        unsafe { &mut *self.mail }
    }
}

/// What a shared engine held goes back, and the threads whose calls get it are woken.
unsafe extern "C" fn leave(lent: *mut c_void) {
    // SAFETY: called once, for what was lent with the hook, before the environment is freed.
    let (here, handle) = unsafe { *Box::from_raw(lent.cast::<(*const Environment, u32)>()) };
    // SAFETY: as above.
    unsafe { &*here }.remove(handle);
}

unsafe extern "C" fn end(environment: *mut c_void) {
    // SAFETY: called once, for what was lent with the hook; none of its functions is called again.
    // The host frees its own memory and references with the environment.
    drop(unsafe { Box::from_raw(environment.cast::<Environment>()) });
}
