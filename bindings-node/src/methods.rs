//! The methods, one raw function each: arguments, the core's answer, the value.

use bulkheads::Notation;
use bulkheads::engine::{Engine, Options, owner_number};
use napi::sys;

use crate::class::{Class, Method};
use crate::handle::Handle;
use crate::value::{Answer, Args, Env};

/// Declares the raw function `$name` of `$n` arguments with a handle, around a safe body.
macro_rules! method {
    ($name:ident, $n:literal, |$env:ident, $handle:ident, $args:ident| $body:expr) => {
        unsafe extern "C" fn $name(
            env: sys::napi_env,
            info: sys::napi_callback_info,
        ) -> sys::napi_value {
            fn body($env: Env, $handle: &Handle, $args: &Args<$n>) -> Answer {
                $body
            }
            // SAFETY: Node calls this with the function's own call, and the functions of the two
            // tables are made by `Class` alone, without data or with a handle's.
            let call = unsafe { Args::with_handle(env, info) };
            call.and_then(|(args, handle)| body(Env::new(env), handle, &args))
                .unwrap_or(std::ptr::null_mut())
        }
    };
}

/// What a driver calls at every step; all its numbers go through the mailbox.
const BOUND: &[Method] = &[Method {
    name: c"exchange",
    call: exchange,
}];

/// The rest.
const OF_CLASS: &[Method] = &[
    Method {
        name: c"abort",
        call: abort,
    },
    Method {
        name: c"throwFault",
        call: throw_fault,
    },
    Method {
        name: c"stats",
        call: stats,
    },
    Method {
        name: c"attach",
        call: attach,
    },
    Method {
        name: c"takeWakes",
        call: take_wakes,
    },
    Method {
        name: c"owner",
        call: owner,
    },
];

/// The class of an environment that loads the addon.
pub(crate) fn class(env: Env) -> Option<Class> {
    Class::define(env, OF_CLASS)
}

/// `createEngine(maxConcurrent, maxQueue?, timeout?, callTimeout?, abandonAfter?)`
///
/// # Safety
/// Called by Node; the data pointer of its function is that of the class.
pub(crate) unsafe extern "C" fn create_engine(
    env: sys::napi_env,
    info: sys::napi_callback_info,
) -> sys::napi_value {
    // SAFETY: the function's own call.
    let (args, data) = unsafe { Args::<5>::of(env, info) };
    create(Env::new(env), &args, Class::from_data(data)).unwrap_or(std::ptr::null_mut())
}

fn create(env: Env, args: &Args<5>, class: Class) -> Answer {
    let options = Options {
        max_concurrent: args.number(0)?,
        max_queue: args.optional(1)?,
        timeout: args.optional(2)?,
        call_timeout: args.optional(3)?,
        abandon_after: args.optional(4)?,
    };
    match Engine::new(Notation::CamelMillis, options) {
        Ok(core) => class.object(env, Handle::new(core, class), BOUND),
        Err(error) => env.range_error(&error),
    }
}

method!(exchange, 0, |env, handle, _args| {
    handle.with_mail(Engine::exchange);
    env.undefined()
});

method!(abort, 2, |env, handle, args| {
    let (now, ids) = (args.number(0)?, args.numbers(1)?);
    handle.with_mail(|core, owner, mail| core.exchange_abort(owner, mail, now, &ids));
    env.undefined()
});

method!(throw_fault, 0, |env, handle, _args| {
    let fault = handle.with(|core, _| core.take_fault());
    fault.map_or_else(|| env.undefined(), |fault| env.range_error(&fault))
});

method!(stats, 0, |env, handle, _args| env
    .numbers(&handle.with(|core, _| core.stats())));

method!(attach, 0, |env, handle, _args| {
    handle.class.object(env, handle.attach(), BOUND)
});

method!(take_wakes, 0, |env, handle, _args| env
    .numbers(&handle.with(Engine::take_wakes)));

method!(owner, 0, |env, handle, _args| env
    .number(owner_number(handle.owner)));
