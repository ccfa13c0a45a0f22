//! The engine as a native addon for Node: `createEngine(…)` answers an object whose methods are
//! raw Node-API functions, each bound to its engine by its data pointer. Conversions only.
//!
//! Raw, because a class method of the `napi` crate costs some 300 ns a call and these cost tens.
//! The methods are those of `docs/engine.md`.
//!
//! Nothing here is shared between environments, so that the addon loads in any number of workers
//! and the end of one is nothing to the others.

mod handle;
mod methods;
mod value;

use napi::sys;

/// What Node calls once for each environment that loads the addon.
///
/// # Safety
/// Called by Node, with a live environment and its `exports`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn napi_register_module_v1(
    env: sys::napi_env,
    exports: sys::napi_value,
) -> sys::napi_value {
    #[cfg(target_env = "msvc")]
    // SAFETY: only resolves the host's symbols; the host outlives the addon.
    std::mem::forget(unsafe { sys::setup() });
    let name = c"createEngine";
    let mut function = std::ptr::null_mut();
    // SAFETY: `env` and `exports` are live; the name is NUL-terminated. A failure leaves the
    // export missing and its exception pending, which is what the loader looks at.
    unsafe {
        let created = sys::napi_create_function(
            env,
            name.as_ptr(),
            -1,
            Some(methods::create_engine),
            std::ptr::null_mut(),
            &raw mut function,
        );
        if created == sys::Status::napi_ok {
            sys::napi_set_named_property(env, exports, name.as_ptr(), function);
        }
    }
    exports
}
