//! The object that JavaScript holds.
//!
//! A function bound to one engine costs some 20 ns a call; a method of a class costs 90, because the
//! host checks its object and then looks up what that wraps. But a function costs 2 µs to make and
//! to collect, and a method is made once. So what a driver calls at every step is bound, and the
//! rest is the class's.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::rc::Rc;

use bulkheads::mailbox::MAILBOX_LEN;
use napi::sys;

use crate::handle::{self, Handle, Lent, taken};
use crate::value::{Answer, Env};

/// One raw function under its name.
pub(crate) struct Method {
    pub(crate) name: &'static CStr,
    pub(crate) call: Raw,
}

pub(crate) type Raw =
    unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// The class of one environment, until that ends.
#[derive(Clone, Copy)]
pub(crate) struct Class(sys::napi_ref);

impl Class {
    /// Defines the class, with the methods that are not bound.
    pub(crate) fn define(env: Env, methods: &[Method]) -> Option<Self> {
        let properties: Vec<_> = methods.iter().map(descriptor).collect();
        let (mut class, mut reference) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: a live environment, NUL-terminated names, and a count that is the list's length.
        env.check(unsafe {
            sys::napi_define_class(
                env.raw(),
                c"Engine".as_ptr(),
                -1,
                Some(construct),
                ptr::null_mut(),
                properties.len(),
                properties.as_ptr(),
                &raw mut class,
            )
        })?;
        // SAFETY: the class is a live value of this environment.
        env.check(unsafe { sys::napi_create_reference(env.raw(), class, 1, &raw mut reference) })?;
        forget_at_end(env, reference)?;
        Some(Self(reference))
    }

    /// A function that makes objects of this class, or could.
    pub(crate) fn function(self, env: Env, method: &Method) -> Answer {
        let mut function = ptr::null_mut();
        // SAFETY: a live environment, a NUL-terminated name; the data is no memory of ours.
        env.check(unsafe {
            sys::napi_create_function(
                env.raw(),
                method.name.as_ptr(),
                -1,
                Some(method.call),
                self.0.cast(),
                &raw mut function,
            )
        })?;
        Some(function)
    }

    /// From the data pointer of such a function.
    pub(crate) const fn from_data(data: *mut c_void) -> Self {
        Self(data.cast())
    }

    /// An object of this class over a handle.
    pub(crate) fn object(self, env: Env, handle: &Rc<Handle>, bound: &Method) -> Answer {
        let (mut class, mut object) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the reference is of this environment, and strong.
        env.check(unsafe { sys::napi_get_reference_value(env.raw(), self.0, &raw mut class) })?;
        // SAFETY: a live class, no arguments.
        env.check(unsafe {
            sys::napi_new_instance(env.raw(), class, 0, ptr::null(), &raw mut object)
        })?;
        wrap(env, object, handle)?;
        env.set(object, c"mailbox", mailbox(env, handle)?)?;
        env.set(object, bound.name, bind(env, bound, handle)?)?;
        handle::announce(env);
        Some(object)
    }
}

/// The host keeps a reference for as long as nobody deletes it, also beyond its environment.
fn forget_at_end(env: Env, reference: sys::napi_ref) -> Option<()> {
    let lent = Box::into_raw(Box::new((env, reference)));
    // SAFETY: a live environment, and data that stays valid until the hook, which takes it.
    let status = unsafe { sys::napi_add_env_cleanup_hook(env.raw(), Some(forget), lent.cast()) };
    if status != sys::Status::napi_ok {
        // SAFETY: the host has not taken it.
        drop(unsafe { Box::from_raw(lent) });
    }
    env.check(status)
}

unsafe extern "C" fn forget(lent: *mut c_void) {
    // SAFETY: called once, with what was lent, before the environment itself ends.
    unsafe {
        let (env, reference) = *Box::from_raw(lent.cast::<(Env, sys::napi_ref)>());
        sys::napi_delete_reference(env.raw(), reference);
    }
}

/// `new` on the class gives an object without an engine, on which every method throws.
unsafe extern "C" fn construct(_: sys::napi_env, _: sys::napi_callback_info) -> sys::napi_value {
    ptr::null_mut()
}

fn descriptor(method: &Method) -> sys::napi_property_descriptor {
    sys::napi_property_descriptor {
        utf8name: method.name.as_ptr(),
        name: ptr::null_mut(),
        method: Some(method.call),
        getter: None,
        setter: None,
        value: ptr::null_mut(),
        attributes: sys::PropertyAttributes::writable | sys::PropertyAttributes::configurable,
        data: ptr::null_mut(),
    }
}

fn wrap(env: Env, object: sys::napi_value, handle: &Rc<Handle>) -> Option<()> {
    let lent = Lent::new(handle);
    let hint = ptr::null_mut();
    // SAFETY: a live object, and data that stays valid until the finalizer.
    let status = unsafe {
        sys::napi_wrap(
            env.raw(),
            object,
            lent.data(),
            Some(handle::give_back),
            hint,
            ptr::null_mut(),
        )
    };
    taken(env, status, lent)
}

/// The handle's mailbox as an array, with a count of the handle.
fn mailbox(env: Env, handle: &Rc<Handle>) -> Answer {
    let lent = Lent::new(handle);
    let (mut buffer, mut array) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: the memory lies where it is said for as long as the handle is counted, which the
    // finalizer ends. Each handle has memory of its own.
    let status = unsafe {
        sys::napi_create_external_arraybuffer(
            env.raw(),
            handle.mailbox().cast(),
            MAILBOX_LEN * size_of::<f64>(),
            Some(give_back_mailbox),
            lent.data(),
            &raw mut buffer,
        )
    };
    taken(env, status, lent)?;
    let kind = sys::TypedarrayType::float64_array;
    // SAFETY: a live buffer of this length.
    env.check(unsafe {
        sys::napi_create_typedarray(env.raw(), kind, MAILBOX_LEN, buffer, 0, &raw mut array)
    })?;
    Some(array)
}

/// The host names the memory first; whose it is comes as the hint.
unsafe extern "C" fn give_back_mailbox(env: sys::napi_env, _: *mut c_void, handle: *mut c_void) {
    // SAFETY: called once, for the count that was lent with the buffer.
    unsafe { handle::give_back(env, handle, ptr::null_mut()) };
}

/// A function with a count of the handle that it gives up when it is collected.
fn bind(env: Env, method: &Method, handle: &Rc<Handle>) -> Answer {
    let lent = Lent::new(handle);
    let mut function = ptr::null_mut();
    // SAFETY: a live environment, a NUL-terminated name, and data that stays valid until the
    // finalizer, which runs after the last possible call of the function.
    let status = unsafe {
        let (name, data) = (method.name.as_ptr(), lent.data());
        match sys::napi_create_function(
            env.raw(),
            name,
            -1,
            Some(method.call),
            data,
            &raw mut function,
        ) {
            sys::Status::napi_ok => sys::napi_add_finalizer(
                env.raw(),
                function,
                data,
                Some(handle::give_back),
                ptr::null_mut(),
                ptr::null_mut(),
            ),
            refused => refused,
        }
    };
    taken(env, status, lent)?;
    Some(function)
}
