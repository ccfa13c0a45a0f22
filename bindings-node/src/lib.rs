//! The engine as a native addon for Node: one mailbox for each thread of the host, and a few raw
//! Node-API functions that share its data pointer. Conversions only; see `docs/engine.md`.
//!
//! Raw, because a class method of the `napi` crate costs some 300 ns a call and these cost tens.
//!
//! Environments share nothing but the cores of `openShared`, so the addon loads in any number of
//! workers, and the end of one is nothing to the others but that they get what it held.

mod environment;
mod functions;
mod registry;
mod value;
mod waker;

use napi::sys;

use environment::Environment;
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
    let data = Environment::load(env)?;
    for (name, call) in functions::FUNCTIONS {
        env.set(exports, name, env.function(name, *call, data)?)?;
    }
    // SAFETY: made above, for this environment.
    let here = unsafe { Environment::of(data) };
    env.set(exports, c"mailbox", here.mailbox(env)?)
}
