//! How a driver is woken by other threads.

use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use bulkheads_driver::Bell;
use napi::sys;

use crate::value::Env;

/// Calls one function of JavaScript, on its own thread, in a turn of its own.
///
/// By itself it keeps no event loop alive. The function is held for as long as its environment
/// lives, and with it the driver: a call that waits for another thread's release may be held by
/// nothing else.
pub(crate) struct Waker {
    /// None from the moment when its environment begins to end: the host frees the function
    /// without asking who still knows it.
    function: Mutex<Option<Function>>,
}

#[derive(Clone, Copy)]
struct Function(sys::napi_threadsafe_function);

// SAFETY: to be called from any thread is what it is for.
unsafe impl Send for Function {}

impl Waker {
    /// For the function of this environment; `None` with an exception if the host refuses.
    pub(crate) fn new(env: Env, callback: sys::napi_value) -> Option<Arc<Bell<Self>>> {
        let name = env.text("bulkheads")?;
        let bell = Bell::new(Self {
            function: Mutex::new(None),
        });
        let lent: *mut c_void = Arc::into_raw(Arc::clone(&bell)).cast_mut().cast();
        let mut function = ptr::null_mut();
        // SAFETY: live values of this environment; `lent` stays valid until `give_back`.
        let status = unsafe {
            sys::napi_create_threadsafe_function(
                env.raw(),
                callback,
                ptr::null_mut(),
                name,
                0,
                1,
                lent,
                Some(give_back),
                lent,
                Some(call),
                &raw mut function,
            )
        };
        if status != sys::Status::napi_ok {
            // SAFETY: the host has not taken it.
            drop(unsafe { Arc::from_raw(lent.cast_const().cast::<Bell<Self>>()) });
        }
        env.check(status)?;
        // Shared in Node 3.2
        // SAFETY: made above.
        env.check(unsafe { sys::napi_unref_threadsafe_function(env.raw(), function) })?;
        bell.waker().set(Some(Function(function)));
        Some(bell)
    }

    /// From any thread.
    pub(crate) fn wake(&self) {
        let function = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Function(function)) = *function {
            let mode = sys::ThreadsafeFunctionCallMode::nonblocking;
            // SAFETY: while the lock is held it is not freed. It fails only as it is closed.
            unsafe { sys::napi_call_threadsafe_function(function, ptr::null_mut(), mode) };
        }
    }

    /// On its own thread: whether that lives on until it is woken.
    pub(crate) fn keep_alive(&self, env: Env, is_kept: bool) -> Option<()> {
        let function = *self.function.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(Function(function)) = function else {
            return Some(());
        };
        // SAFETY: only this thread closes it.
        env.check(unsafe {
            if is_kept {
                sys::napi_ref_threadsafe_function(env.raw(), function)
            } else {
                sys::napi_unref_threadsafe_function(env.raw(), function)
            }
        })
    }

    /// On its own thread, before the host frees the function: no wake reaches it any more.
    pub(crate) fn close(&self) {
        if let Some(Function(function)) = self.set(None) {
            let mode = sys::ThreadsafeFunctionReleaseMode::abort;
            // SAFETY: it lives, and is not used after this.
            unsafe { sys::napi_release_threadsafe_function(function, mode) };
        }
    }

    fn set(&self, function: Option<Function>) -> Option<Function> {
        let mut place = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, function)
    }
}

/// What the host calls on the function's thread.
///
/// # Safety
/// Called by Node, with the `context` that was lent to it, and without an environment when that has
/// ended: then `context` may have been given back already.
unsafe extern "C" fn call(
    env: sys::napi_env,
    callback: sys::napi_value,
    context: *mut c_void,
    _: *mut c_void,
) {
    if env.is_null() || callback.is_null() {
        return;
    }
    // SAFETY: as for this function.
    let bell = unsafe { &*context.cast_const().cast::<Bell<Waker>>() };
    // Before the driver looks: an event that comes from now on rings again.
    bell.answer();
    Env::new(env).call(callback);
}

/// # Safety
/// Called by Node once, when the function ends, with what was lent to it.
unsafe extern "C" fn give_back(_: sys::napi_env, lent: *mut c_void, _: *mut c_void) {
    // SAFETY: `lent` came from `Arc::into_raw`, and this takes that one count back.
    drop(unsafe { Arc::from_raw(lent.cast_const().cast::<Bell<Waker>>()) });
}
