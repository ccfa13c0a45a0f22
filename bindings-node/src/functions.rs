//! The functions of the addon: arguments, the core's answer, the value.

use bulkheads_engine::{Engine, Fault, Notation, Options};
use napi::sys;

use crate::environment::{Driven, Environment};
use crate::registry::{self, Found, Settings};
use crate::value::{Answer, Args, Env, Raw};
use crate::waker::Waker;

/// What the addon exports, beside `mailbox`.
pub(crate) const FUNCTIONS: &[(&std::ffi::CStr, Raw)] = &[
    (c"open", open),
    (c"drop", drop_engine),
    (c"exchange", exchange),
    (c"exchangeHolding", exchange_holding),
    (c"abort", abort),
    (c"fault", fault),
    (c"stats", stats),
    (c"settings", settings),
    (c"openShared", open_shared),
    (c"isCurrent", is_current),
    (c"resetShared", reset_shared),
    (c"keepAlive", keep_alive),
];

/// Declares the raw function `$name`, of `$n` arguments, around a safe body.
macro_rules! function {
    ($(#[$doc:meta])* $name:ident, $n:literal, |$env:ident, $here:ident, $args:ident| $body:expr) => {
        $(#[$doc])*
        unsafe extern "C" fn $name(
            env: sys::napi_env,
            info: sys::napi_callback_info,
        ) -> sys::napi_value {
            #[inline]
            fn body($env: Env, $here: &Environment, $args: &Args<$n>) -> Answer {
                $body
            }
            // SAFETY: Node calls this with the function's own call, whose data is its
            // environment's.
            let (args, here) = unsafe {
                let (args, data) = Args::of(env, info);
                (args, Environment::of(data))
            };
            body(Env::new(env), here, &args).unwrap_or(std::ptr::null_mut())
        }
    };
}

function!(
    /// `open(maxConcurrent, maxQueue?, timeout?, callTimeout?, abandonAfter?)`: a handle; 0 if an
    /// option is out of its range, which `fault` says.
    open, 5, |env, here, args| match engine(&options(args)?) {
        Ok(engine) => env.number(here.add(Driven::Private(Box::new(engine))).into()),
        Err(fault) => {
            here.refuse(fault);
            env.number(0.0)
        }
    }
);

function!(
    /// `drop(handle)`: to be called once the engine is not used any more.
    drop_engine, 1, |env, here, args| {
        here.remove(args.handle(0)?);
        env.undefined()
    }
);

function!(
    /// Does the input that lies in the mailbox.
    exchange, 0, |env, here, _args| {
        here.input(Engine::exchange);
        env.undefined()
    }
);

function!(
    /// `exchangeHolding(ids)`: for an arrival whose caller holds the permits of these ids.
    exchange_holding, 1, |env, here, args| {
        let ids = args.numbers(0)?;
        here.input(|engine, owner, mail| engine.exchange_holding(owner, mail, &ids));
        env.undefined()
    }
);

function!(
    /// `abort(ids)`: the callers behind one signal give up.
    abort, 1, |env, here, args| {
        let ids = args.numbers(0)?;
        here.input(|engine, owner, mail| engine.exchange_abort(owner, mail, &ids));
        env.undefined()
    }
);

function!(
    /// What was wrong with the last options or input, as a code, with the value in the mailbox. The
    /// error is the package's to make: it is then one of its caller's realm.
    fault, 0, |env, here, _args| env.number(here.take_fault().into())
);

function!(
    /// A snapshot as numbers.
    stats, 0, |env, here, _args| {
        let stats = here.input(|engine, owner, mail| Some(engine.exchange_stats(owner, mail)));
        match stats {
            None => env.undefined(),
            Some(stats) => env.numbers(&stats),
        }
    }
);

function!(
    /// The options of `open` as they would be in effect; `undefined` if one is out of its range,
    /// which `fault` says.
    settings, 5, |env, here, args| match engine(&options(args)?) {
        Ok(engine) => env.numbers(&engine.settings()),
        Err(fault) => {
            here.refuse(fault);
            env.undefined()
        }
    }
);

function!(
    /// `openShared(name, wake, now, settings?)`: the core of this name, as `{ handle, settings,
    /// origin }`; if there is none, a new one with these settings, or `undefined` without them. If
    /// they differ from those of the core that there is: those, and nothing else has happened.
    open_shared, 4, |env, here, args| {
        let (name, wake, now) = (args.text(0)?, args.function(1)?, args.number(2)?);
        let wanted = match args.optional_numbers(3)? {
            None => None,
            Some(settings) => match engine(&options_of(&settings)) {
                Ok(engine) => Some((engine, settings)),
                // What `settings` has answered is never out of its range.
                Err(fault) => return env.range_error(&fault),
            },
        };
        let bell = Waker::new(env, wake)?;
        match registry::join(name, wanted, now, &bell) {
            Found::Joined(member) => {
                let object = env.object()?;
                env.set(object, c"settings", env.numbers(&member.settings)?)?;
                env.set(object, c"origin", env.number(member.origin())?)?;
                let handle = here.add_shared(env, member)?;
                let number = env.number(handle.into());
                let is_set = number.and_then(|number| env.set(object, c"handle", number));
                if is_set.is_none() {
                    // The thread gets no handle, and could never leave.
                    here.remove(handle);
                }
                is_set.map(|()| object)
            }
            Found::Different(settings) => {
                bell.waker().close();
                env.numbers(&settings)
            }
            Found::Nobody => {
                bell.waker().close();
                env.undefined()
            }
        }
    }
);

function!(
    /// `isCurrent(handle)`: 1 if the shared core of this handle is the one that has its name now.
    is_current, 1, |env, here, args| {
        env.number(f64::from(u8::from(here.is_current(args.handle(0)?))))
    }
);

function!(
    /// `resetShared(name)`: frees the name; threads that have its core keep that.
    reset_shared, 1, |env, _here, args| {
        registry::reset(&args.text(0)?);
        env.undefined()
    }
);

function!(
    /// `keepAlive(handle, isKept)`: whether this thread is to live on for what another thread can
    /// bring to a shared core.
    keep_alive, 2, |env, here, args| {
        here.keep_alive(env, args.handle(0)?, args.number(1)? != 0.0)?;
        env.undefined()
    }
);

fn engine(options: &Options) -> Result<Engine, Fault> {
    Engine::new(Notation::CamelMillis, *options)
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
    let [options @ .., _flags] = *settings;
    Options::from_settings(options)
}
