//! A handle: a core, an owner, and the object that JavaScript holds.
//!
//! The core lies behind a lock and is counted across threads; the handle itself belongs to one
//! environment, hence to one thread. Each function of the object holds its own count of the
//! handle: a method that was taken out of its object keeps working however long it lives.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads::OwnerId;
use bulkheads::engine::{Engine, EventNumbers};
use napi::sys;

use crate::value::Env;

/// What the data pointer of every function points to.
pub(crate) struct Handle {
    core: Arc<Mutex<Engine>>,
    pub(crate) owner: OwnerId,
    /// What `nextEvent` returned last: three numbers in three calls cost less than an object.
    pub(crate) event: Cell<EventNumbers>,
}

/// One method of the object.
pub(crate) struct Method {
    pub(crate) name: &'static CStr,
    pub(crate) call:
        unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value,
}

/// Told to the garbage collector, which sees only the object: roughly a core with its histograms.
const CORE_BYTES: i64 = 8 * 1024;

impl Handle {
    pub(crate) fn new(core: Engine) -> Self {
        Self::of(Arc::new(Mutex::new(core)), OwnerId::FIRST)
    }

    /// A further owner over the same core.
    pub(crate) fn attach(&self) -> Self {
        let owner = self.with(|core, _| core.attach());
        Self::of(Arc::clone(&self.core), owner)
    }

    /// The one way to the core. Nothing of the host's is called under the lock: making a value may
    /// collect garbage, and a collected handle locks too. A panic of another thread does not
    /// spread: the core keeps no half-made state that could harm memory.
    pub(crate) fn with<R>(&self, act: impl FnOnce(&mut Engine, OwnerId) -> R) -> R {
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        act(&mut core, self.owner)
    }

    /// The object that JavaScript holds; `None` with an exception pending if the host failed.
    pub(crate) fn into_object(self, env: Env, methods: &[Method]) -> Option<sys::napi_value> {
        let handle = Rc::new(self);
        let object = env.object()?;
        for method in methods {
            bind(env, object, method, Rc::clone(&handle))?;
        }
        env.adjust_memory(CORE_BYTES);
        Some(object)
    }

    fn of(core: Arc<Mutex<Engine>>, owner: OwnerId) -> Self {
        Self {
            core,
            owner,
            event: Cell::default(),
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

/// One function with its own count of the handle, given up when the function is collected.
fn bind(env: Env, object: sys::napi_value, method: &Method, handle: Rc<Handle>) -> Option<()> {
    let data = Rc::into_raw(handle).cast_mut().cast::<c_void>();
    let mut function = ptr::null_mut();
    // SAFETY: `env` and `object` are live, the name is static, and `data` stays valid until the
    // finalizer, which runs after the last possible call of the function.
    let status = unsafe {
        let (env, name) = (env.raw(), method.name.as_ptr());
        let created =
            sys::napi_create_function(env, name, -1, Some(method.call), data, &raw mut function);
        if created == sys::Status::napi_ok {
            let hint = ptr::null_mut();
            let nobody = ptr::null_mut();
            sys::napi_add_finalizer(env, function, data, Some(unbind), hint, nobody)
        } else {
            created
        }
    };
    if status != sys::Status::napi_ok {
        // SAFETY: no finalizer was registered, so the count is still ours; the function, if there
        // is one, never left this frame.
        drop(unsafe { Rc::from_raw(data.cast::<Handle>()) });
        return env.failed();
    }
    env.set(object, method.name, function)
}

/// # Safety
/// Called by Node once for each function that [`bind`] made, on the thread that made it.
unsafe extern "C" fn unbind(env: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: `data` came from `Rc::into_raw` and this takes that one count back.
    let handle = unsafe { Rc::from_raw(data.cast::<Handle>()) };
    if Rc::strong_count(&handle) == 1 {
        Env::new(env).adjust_memory(-CORE_BYTES);
    }
}
