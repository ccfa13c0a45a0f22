//! Numbers in, numbers out, errors as exceptions.

use std::ffi::{CStr, c_void};
use std::fmt::Display;
use std::ptr;

use napi::sys;

/// A live environment, within one call from it.
#[derive(Clone, Copy)]
pub(crate) struct Env(sys::napi_env);

/// The arguments of a call.
pub(crate) struct Args<const N: usize> {
    env: Env,
    values: [sys::napi_value; N],
}

/// A function of the addon as the host calls it.
pub(crate) type Raw =
    unsafe extern "C" fn(sys::napi_env, sys::napi_callback_info) -> sys::napi_value;

/// An answer; `None` says that an exception is pending.
pub(crate) type Answer = Option<sys::napi_value>;

impl Env {
    pub(crate) const fn new(env: sys::napi_env) -> Self {
        Self(env)
    }

    pub(crate) const fn raw(self) -> sys::napi_env {
        self.0
    }

    pub(crate) fn number(self, value: f64) -> Answer {
        let mut out = ptr::null_mut();
        // SAFETY: a live environment and memory for the answer.
        self.check(unsafe { sys::napi_create_double(self.0, value, &raw mut out) })?;
        Some(out)
    }

    pub(crate) fn text(self, text: &str) -> Answer {
        let mut out = ptr::null_mut();
        let length = isize::try_from(text.len()).unwrap_or(0);
        // SAFETY: a live environment, a text of the length given, memory for the answer.
        self.check(unsafe {
            sys::napi_create_string_utf8(self.0, text.as_ptr().cast(), length, &raw mut out)
        })?;
        Some(out)
    }

    /// Node takes a null answer as `undefined`.
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "as the other answers"
    )]
    pub(crate) const fn undefined(self) -> Answer {
        Some(ptr::null_mut())
    }

    /// A `Float64Array` of its own memory.
    pub(crate) fn numbers(self, values: &[f64]) -> Answer {
        let (memory, array) = self.memory(values.len())?;
        // SAFETY: there is memory for so many numbers, which no other code can see yet.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), memory.cast(), values.len()) };
        Some(array)
    }

    /// A `Float64Array` of zeros, and where its numbers lie for as long as it lives.
    pub(crate) fn memory(self, length: usize) -> Option<(*mut c_void, sys::napi_value)> {
        let (mut memory, mut buffer, mut array) =
            (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let bytes = length * size_of::<f64>();
        let kind = sys::TypedarrayType::float64_array;
        // SAFETY: a live environment and memory for the answers; the array is as long as its
        // buffer.
        unsafe {
            self.check(sys::napi_create_arraybuffer(
                self.0,
                bytes,
                &raw mut memory,
                &raw mut buffer,
            ))?;
            self.check(sys::napi_create_typedarray(
                self.0,
                kind,
                length,
                buffer,
                0,
                &raw mut array,
            ))?;
        }
        Some((memory, array))
    }

    pub(crate) fn object(self) -> Answer {
        let mut object = ptr::null_mut();
        // SAFETY: a live environment and memory for the answer.
        self.check(unsafe { sys::napi_create_object(self.0, &raw mut object) })?;
        Some(object)
    }

    /// A function with this data.
    pub(crate) fn function(self, name: &CStr, call: Raw, data: *mut c_void) -> Answer {
        let mut function = ptr::null_mut();
        // SAFETY: a live environment, a NUL-terminated name, and data that outlives the calls.
        self.check(unsafe {
            sys::napi_create_function(
                self.0,
                name.as_ptr(),
                -1,
                Some(call),
                data,
                &raw mut function,
            )
        })?;
        Some(function)
    }

    pub(crate) fn set(
        self,
        object: sys::napi_value,
        name: &CStr,
        value: sys::napi_value,
    ) -> Option<()> {
        // SAFETY: live values of this environment and a NUL-terminated name.
        self.check(unsafe { sys::napi_set_named_property(self.0, object, name.as_ptr(), value) })
    }

    /// Calls a function that answers nothing, with nothing of JavaScript's below it: what it throws
    /// is an uncaught exception. An environment that ends calls nothing any more.
    pub(crate) fn call(self, function: sys::napi_value) {
        let (mut this, mut error) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: a live environment, a live function, memory for the answers.
        unsafe {
            sys::napi_get_undefined(self.0, &raw mut this);
            let none = ptr::null();
            let status = sys::napi_call_function(self.0, this, function, 0, none, ptr::null_mut());
            if status == sys::Status::napi_pending_exception
                && sys::napi_get_and_clear_last_exception(self.0, &raw mut error)
                    == sys::Status::napi_ok
            {
                sys::napi_fatal_exception(self.0, error);
            }
        }
    }

    /// A good value of the right type, but out of its range.
    pub(crate) fn range_error<T>(self, error: &impl Display) -> Option<T> {
        self.throw(&error.to_string(), sys::napi_create_range_error)
    }

    pub(crate) fn type_error<T>(self, text: &str) -> Option<T> {
        self.throw(text, sys::napi_create_type_error)
    }

    /// Turns a refusal of the host into an exception.
    pub(crate) fn check(self, status: sys::napi_status) -> Option<()> {
        if status == sys::Status::napi_ok {
            return Some(());
        }
        self.throw(
            "the host refused a value of the engine",
            sys::napi_create_error,
        )
    }

    #[cold]
    fn throw<T>(self, text: &str, create: CreateError) -> Option<T> {
        let (mut message, mut error) = (ptr::null_mut(), ptr::null_mut());
        let length = isize::try_from(text.len()).unwrap_or(0);
        // SAFETY: a live environment, a text of the length given, memory for the answers. While an
        // exception is pending each of these fails and leaves that one in place.
        unsafe {
            let text = text.as_ptr().cast();
            if sys::napi_create_string_utf8(self.0, text, length, &raw mut message)
                == sys::Status::napi_ok
                && create(self.0, ptr::null_mut(), message, &raw mut error) == sys::Status::napi_ok
            {
                sys::napi_throw(self.0, error);
            }
        }
        None
    }
}

type CreateError = unsafe extern "C" fn(
    sys::napi_env,
    sys::napi_value,
    sys::napi_value,
    *mut sys::napi_value,
) -> sys::napi_status;

impl<const N: usize> Args<N> {
    /// The arguments of this call and the data pointer of its function. Missing arguments are
    /// `undefined`.
    ///
    /// # Safety
    /// `info` is that of a running call.
    pub(crate) unsafe fn of(
        env: sys::napi_env,
        info: sys::napi_callback_info,
    ) -> (Self, *mut c_void) {
        let mut count = N;
        let mut values = [ptr::null_mut(); N];
        let mut data = ptr::null_mut();
        // SAFETY: `info` is that of a running call, and there is memory for `N` arguments: it
        // cannot fail.
        unsafe {
            sys::napi_get_cb_info(
                env,
                info,
                &raw mut count,
                values.as_mut_ptr(),
                ptr::null_mut(),
                &raw mut data,
            );
        }
        let env = Env(env);
        (Self { env, values }, data)
    }

    #[inline]
    pub(crate) fn number(&self, index: usize) -> Option<f64> {
        let mut out = 0.0;
        // SAFETY: a live value and memory for the answer.
        let status =
            unsafe { sys::napi_get_value_double(self.env.0, self.values[index], &raw mut out) };
        if status == sys::Status::napi_ok {
            return Some(out);
        }
        self.wrong(index, "a number")
    }

    /// As [`Args::number`]; the outer `None` is the exception, the inner one `undefined`.
    #[expect(clippy::option_option, reason = "two different absences")]
    pub(crate) fn optional(&self, index: usize) -> Option<Option<f64>> {
        if self.kind(index) == sys::ValueType::napi_undefined {
            return Some(None);
        }
        self.number(index).map(Some)
    }

    /// So many numbers, or `undefined`.
    #[expect(clippy::option_option, reason = "two different absences")]
    pub(crate) fn optional_numbers<const M: usize>(
        &self,
        index: usize,
    ) -> Option<Option<[f64; M]>> {
        if self.kind(index) == sys::ValueType::napi_undefined {
            return Some(None);
        }
        match self.numbers(index)?.try_into() {
            Ok(numbers) => Some(Some(numbers)),
            Err(_) => self.wrong(index, &format!("{M} numbers")),
        }
    }

    pub(crate) fn function(&self, index: usize) -> Answer {
        if self.kind(index) == sys::ValueType::napi_function {
            return Some(self.values[index]);
        }
        self.wrong(index, "a function")
    }

    /// A handle: a number that is none names nothing.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates"
    )]
    pub(crate) fn handle(&self, index: usize) -> Option<u32> {
        Some(self.number(index)? as u32)
    }

    /// A string, in the host's own units.
    pub(crate) fn text(&self, index: usize) -> Option<Vec<u16>> {
        if self.kind(index) != sys::ValueType::napi_string {
            return self.wrong(index, "a string");
        }
        let (env, value) = (self.env.0, self.values[index]);
        let mut length = 0;
        // SAFETY: a live string; without memory for it the answer is its length alone.
        self.env.check(unsafe {
            sys::napi_get_value_string_utf16(env, value, ptr::null_mut(), 0, &raw mut length)
        })?;
        // The host ends it with a zero.
        let mut text = vec![0; length + 1];
        // SAFETY: there is memory of the length given.
        self.env.check(unsafe {
            sys::napi_get_value_string_utf16(
                env,
                value,
                text.as_mut_ptr(),
                text.len(),
                &raw mut length,
            )
        })?;
        text.truncate(length);
        Some(text)
    }

    fn kind(&self, index: usize) -> sys::napi_valuetype {
        let mut kind = sys::ValueType::napi_undefined;
        // SAFETY: a live value and memory for the answer.
        unsafe { sys::napi_typeof(self.env.0, self.values[index], &raw mut kind) };
        kind
    }

    /// The numbers of a `Float64Array`, copied: nothing of the host's is held under the lock.
    pub(crate) fn numbers(&self, index: usize) -> Option<Vec<f64>> {
        let (mut is_array, mut kind) = (false, -1);
        let (mut length, mut memory) = (0, ptr::null_mut());
        let (env, value) = (self.env.0, self.values[index]);
        // SAFETY: live values and memory for the answers; the second question is asked only of a
        // typed array.
        unsafe {
            sys::napi_is_typedarray(env, value, &raw mut is_array);
            if is_array {
                sys::napi_get_typedarray_info(
                    env,
                    value,
                    &raw mut kind,
                    &raw mut length,
                    &raw mut memory,
                    ptr::null_mut(),
                    ptr::null_mut(),
                );
            }
        }
        if kind != sys::TypedarrayType::float64_array {
            return self.wrong(index, "a Float64Array");
        }
        if length == 0 || memory.is_null() {
            return Some(Vec::new());
        }
        // SAFETY: `length` numbers lie at `memory`, and no script runs before they are copied.
        Some(unsafe { std::slice::from_raw_parts(memory.cast::<f64>(), length) }.to_vec())
    }

    #[cold]
    fn wrong<T>(&self, index: usize, wanted: &str) -> Option<T> {
        self.env
            .type_error(&format!("argument {} must be {wanted}", index + 1))
    }
}
