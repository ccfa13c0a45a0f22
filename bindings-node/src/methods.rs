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

/// What a driver calls at every step.
const BOUND: &[Method] = &[
    Method {
        name: c"acquire",
        call: acquire,
    },
    Method {
        name: c"tryAcquire",
        call: try_acquire,
    },
    Method {
        name: c"start",
        call: start,
    },
    Method {
        name: c"finish",
        call: finish,
    },
    Method {
        name: c"release",
        call: release,
    },
    Method {
        name: c"nextEvent",
        call: next_event,
    },
    Method {
        name: c"eventId",
        call: event_id,
    },
    Method {
        name: c"eventTime",
        call: event_time,
    },
    Method {
        name: c"nextTimer",
        call: next_timer,
    },
    Method {
        name: c"keepsAlive",
        call: keeps_alive,
    },
];

/// The rest.
const OF_CLASS: &[Method] = &[
    Method {
        name: c"cancel",
        call: cancel,
    },
    Method {
        name: c"abort",
        call: abort,
    },
    Method {
        name: c"resize",
        call: resize,
    },
    Method {
        name: c"close",
        call: close,
    },
    Method {
        name: c"drain",
        call: drain,
    },
    Method {
        name: c"watchIdle",
        call: watch_idle,
    },
    Method {
        name: c"watchRoom",
        call: watch_room,
    },
    Method {
        name: c"handleTimeout",
        call: handle_timeout,
    },
    Method {
        name: c"stats",
        call: stats,
    },
    Method {
        name: c"limit",
        call: limit,
    },
    Method {
        name: c"active",
        call: active,
    },
    Method {
        name: c"queued",
        call: queued,
    },
    Method {
        name: c"maxQueue",
        call: max_queue,
    },
    Method {
        name: c"attach",
        call: attach,
    },
    Method {
        name: c"evict",
        call: evict,
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

method!(acquire, 5, |env, handle, args| {
    let (now, weight) = (args.number(0)?, args.number(1)?);
    let (timeout, deadline, flags) = (args.number(2)?, args.number(3)?, args.small(4)?);
    let answer =
        handle.with(|core, owner| core.acquire(owner, now, weight, timeout, deadline, flags));
    answer.map_or_else(|error| env.range_error(&error), |id| env.number(id))
});

method!(try_acquire, 2, |env, handle, args| {
    let (now, weight) = (args.number(0)?, args.number(1)?);
    let answer = handle.with(|core, owner| core.try_acquire(owner, now, weight));
    answer.map_or_else(|error| env.range_error(&error), |id| env.number(id))
});

method!(start, 1, |env, handle, args| {
    let id = args.number(0)?;
    handle.with(|core, _| core.start(id));
    env.undefined()
});

method!(finish, 3, |env, handle, args| {
    let (now, id, outcome) = (args.number(0)?, args.number(1)?, args.small(2)?);
    env.boolean(handle.with(|core, _| core.finish(now, id, outcome)))
});

method!(release, 2, |env, handle, args| {
    let (now, id) = (args.number(0)?, args.number(1)?);
    env.boolean(handle.with(|core, _| core.release(now, id)))
});

method!(cancel, 2, |env, handle, args| {
    let (now, id) = (args.number(0)?, args.number(1)?);
    env.small(handle.with(|core, _| core.cancel(now, id)))
});

method!(abort, 2, |env, handle, args| {
    let (now, ids) = (args.number(0)?, args.numbers(1)?);
    handle.with(|core, _| core.abort(now, &ids));
    env.undefined()
});

method!(resize, 2, |env, handle, args| {
    let (now, limit) = (args.number(0)?, args.number(1)?);
    let answer = handle.with(|core, _| core.resize(now, limit));
    answer.map_or_else(|error| env.range_error(&error), |()| env.undefined())
});

method!(close, 2, |env, handle, args| {
    let (now, abort) = (args.number(0)?, args.boolean(1)?);
    handle.with(|core, _| core.close(now, abort));
    env.undefined()
});

method!(drain, 1, |env, handle, args| {
    let now = args.number(0)?;
    handle.with(|core, _| core.drain(now));
    env.undefined()
});

method!(watch_idle, 1, |env, handle, args| {
    let now = args.number(0)?;
    env.boolean(handle.with(|core, owner| core.watch_idle(owner, now)))
});

method!(watch_room, 2, |env, handle, args| {
    let (now, weight) = (args.number(0)?, args.number(1)?);
    let answer = handle.with(|core, owner| core.watch_room(owner, now, weight));
    answer.map_or_else(|error| env.range_error(&error), |room| env.boolean(room))
});

method!(handle_timeout, 1, |env, handle, args| {
    let now = args.number(0)?;
    handle.with(|core, _| core.handle_timeout(now));
    env.undefined()
});

method!(next_event, 0, |env, handle, _args| {
    let event = handle.with(Engine::next_event);
    handle.event.set(event);
    env.small(event.kind)
});

method!(event_id, 0, |env, handle, _args| env
    .number(handle.event.get().id));

method!(event_time, 0, |env, handle, _args| env
    .number(handle.event.get().time));

method!(next_timer, 0, |env, handle, _args| {
    env.number(handle.with(|core, owner| core.next_timer(owner)))
});

method!(keeps_alive, 0, |env, handle, _args| {
    env.boolean(handle.with(|core, owner| core.keeps_alive(owner)))
});

method!(stats, 0, |env, handle, _args| env
    .numbers(&handle.with(|core, _| core.stats())));

method!(limit, 0, |env, handle, _args| env
    .small(handle.with(|core, _| core.core().limit())));

method!(active, 0, |env, handle, _args| {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    env.number(handle.with(|core, _| core.core().active() as f64))
});

method!(queued, 0, |env, handle, _args| env
    .small(handle.with(|core, _| core.core().queued())));

method!(max_queue, 0, |env, handle, _args| {
    env.small(handle.with(|core, _| core.core().max_queue()))
});

method!(attach, 0, |env, handle, _args| {
    handle.class.object(env, handle.attach(), BOUND)
});

method!(evict, 1, |env, handle, args| {
    let now = args.number(0)?;
    handle.with(|core, owner| core.evict(owner, now));
    env.undefined()
});

method!(take_wakes, 0, |env, handle, _args| env
    .numbers(&handle.with(Engine::take_wakes)));

method!(owner, 0, |env, handle, _args| env
    .number(owner_number(handle.owner)));
