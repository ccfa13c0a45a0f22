//! The methods, one raw function each: arguments, the core's answer, the value.

use std::rc::Rc;

use bulkheads::Notation;
use bulkheads::engine::{Engine, Options};
use napi::sys;

use crate::class::{Class, Method};
use crate::handle::{self, Handle};
use crate::registry::{self, Found, Member, Settings};
use crate::value::{Answer, Args, Env};
use crate::waker::Waker;

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
const EXCHANGE: Method = Method {
    name: c"exchange",
    call: exchange,
};

/// The same where there may be others to wake.
const EXCHANGE_SHARED: Method = Method {
    name: c"exchange",
    call: exchange_shared,
};

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
];

/// What the addon exports.
pub(crate) const FUNCTIONS: &[Method] = &[
    Method {
        name: c"createEngine",
        call: create_engine,
    },
    Method {
        name: c"settings",
        call: settings,
    },
    Method {
        name: c"openShared",
        call: open_shared,
    },
];

/// The class of an environment that loads the addon.
pub(crate) fn class(env: Env) -> Option<Class> {
    Class::define(env, OF_CLASS)
}

/// Declares the raw function `$name` of the addon, of `$n` arguments, around a safe body.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $n:literal, |$env:ident, $class:ident, $args:ident| $body:expr) => {
        $(#[$doc])*
        unsafe extern "C" fn $name(
            env: sys::napi_env,
            info: sys::napi_callback_info,
        ) -> sys::napi_value {
            fn body($env: Env, $class: Class, $args: &Args<$n>) -> Answer {
                $body
            }
            // SAFETY: Node calls this with the function's own call, whose data is that of the class.
            let (args, data) = unsafe { Args::of(env, info) };
            body(Env::new(env), Class::from_data(data), &args).unwrap_or(std::ptr::null_mut())
        }
    };
}

function!(
    /// `createEngine(maxConcurrent, maxQueue?, timeout?, callTimeout?, abandonAfter?)`
    create_engine, 5, |env, class, args| {
        let core = engine(env, &options(args)?)?;
        class.object(env, &Rc::new(Handle::private(core)), &EXCHANGE)
    }
);

function!(
    /// The options of `createEngine` as they would be in effect; throws as that.
    settings, 5, |env, _class, args| env.numbers(&engine(env, &options(args)?)?.settings())
);

function!(
    /// `openShared(name, wake, now, settings?)`: an engine over the core of this name; if there is
    /// none, over a new one with these settings, or `undefined` without them. If they differ from
    /// those of the core that there is: those, and nothing else has happened.
    open_shared, 4, |env, class, args| {
        let (name, wake, now) = (args.text(0)?, args.function(1)?, args.number(2)?);
        let wanted = match args.optional_numbers(3)? {
            None => None,
            Some(settings) => Some((engine(env, &options_of(&settings))?, settings)),
        };
        match registry::join(name, wanted, now) {
            Found::Joined(member) => shared_object(env, class, member, wake),
            Found::Different(settings) => env.numbers(&settings),
            Found::Nobody => env.undefined(),
        }
    }
);

/// If the host refuses anything of it, the member is dropped, which leaves the core.
fn shared_object(env: Env, class: Class, member: Member, wake: sys::napi_value) -> Answer {
    let (settings, origin) = (member.settings, member.origin());
    member.listen(Waker::new(env, wake)?);
    let handle = Rc::new(Handle::shared(member));
    handle::leave_at_end(env, &handle)?;
    let object = class.object(env, &handle, &EXCHANGE_SHARED)?;
    env.set(object, c"settings", env.numbers(&settings)?)?;
    env.set(object, c"origin", env.number(origin)?)?;
    Some(object)
}

fn engine(env: Env, options: &Options) -> Option<Engine> {
    match Engine::new(Notation::CamelMillis, *options) {
        Ok(core) => Some(core),
        Err(error) => env.range_error(&error),
    }
}

fn options(args: &Args<5>) -> Option<Options> {
    Some(Options {
        max_concurrent: args.number(0)?,
        max_queue: args.optional(1)?,
        timeout: args.optional(2)?,
        call_timeout: args.optional(3)?,
        abandon_after: args.optional(4)?,
    })
}

const fn options_of(settings: &Settings) -> Options {
    let [
        max_concurrent,
        max_queue,
        timeout,
        call_timeout,
        abandon_after,
        _,
    ] = *settings;
    Options {
        max_concurrent,
        max_queue: Some(max_queue),
        timeout: Some(timeout),
        call_timeout: Some(call_timeout),
        abandon_after: Some(abandon_after),
    }
}

method!(exchange, 0, |env, handle, _args| {
    handle.alone(Engine::exchange);
    env.undefined()
});

method!(exchange_shared, 0, |env, handle, _args| {
    handle.waking(Engine::exchange);
    env.undefined()
});

method!(abort, 2, |env, handle, args| {
    let (now, ids) = (args.number(0)?, args.numbers(1)?);
    handle.waking(|core, owner, mail| core.exchange_abort(owner, mail, now, &ids));
    env.undefined()
});

method!(throw_fault, 0, |env, handle, _args| {
    let fault = handle.take_fault();
    fault.map_or_else(|| env.undefined(), |fault| env.range_error(&fault))
});

method!(stats, 0, |env, handle, _args| env
    .numbers(&handle.with(|core| core.stats())));
