//! The engine as a native addon for Node: `createEngine(…)` answers an object whose methods are
//! raw Node-API functions, each bound to its engine by its data pointer. Conversions only.
//!
//! Raw, because a class method of the `napi` crate costs some 300 ns a call and these cost tens.
//! The methods are those of `docs/engine.md`.
//!
//! Environments share nothing but the cores of `openShared`, so that the addon loads in any number
//! of workers and the end of one is nothing to the others, but that they get what it held.

mod class;
mod core;
mod handle;
mod methods;
mod registry;
mod value;
mod waker;

use napi::sys;

use value::Env;

/// What Node calls once for each environment that loads the addon. A failure leaves an exception
/// pending, which is what the loader sees.
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
    let _ = register(Env::new(env), exports);
    exports
}

fn register(env: Env, exports: sys::napi_value) -> Option<()> {
    let class = methods::class(env)?;
    for function in methods::FUNCTIONS {
        env.set(exports, function.name, class.function(env, function)?)?;
    }
    Some(())
}
