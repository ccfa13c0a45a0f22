//! Python's numbers as the core takes them, and back. What is wrong with one is said in the words
//! of the engine.

use bulkheads_core::{Config, Instant, InvalidOption, MAX_COUNT, Opt, Rule, Span};
use bulkheads_engine::{Fault, Notation, Options};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PyInt};

pub(crate) const SECONDS: Notation = Notation::SnakeSeconds;
/// The year 2001; no monotonic clock gets there within thirty years.
const CALENDAR: f64 = 1e9;
/// An integer with no more digits than these is shown whole.
const SHOWN_DIGITS: u32 = 30;

/// The five options of a bulkhead, as Python gives them.
pub(crate) struct Given<'a, 'py> {
    pub(crate) max_concurrent: &'a Bound<'py, PyAny>,
    pub(crate) max_queue: &'a Bound<'py, PyAny>,
    /// May be left out, which Python writes `...`.
    pub(crate) timeout: &'a Bound<'py, PyAny>,
    pub(crate) call_timeout: &'a Bound<'py, PyAny>,
    pub(crate) abandon_after: &'a Bound<'py, PyAny>,
}

impl Given<'_, '_> {
    pub(crate) fn config(&self) -> PyResult<Config> {
        let is_left_out = self.timeout.is(PyEllipsis::get(self.timeout.py()));
        let timeout = if is_left_out {
            None
        } else {
            Some(bounded_seconds(self.timeout)?)
        };
        let options = Options {
            max_concurrent: count(Opt::MaxConcurrent, self.max_concurrent)?.into(),
            max_queue: Some(count(Opt::MaxQueue, self.max_queue)?.into()),
            timeout,
            call_timeout: optional_seconds(Opt::CallTimeout, self.call_timeout)?,
            abandon_after: optional_seconds(Opt::AbandonAfter, self.abandon_after)?,
        };
        options.config(SECONDS).map_err(|fault| match fault.option {
            Opt::CallTimeout => out_of_range(&fault, self.call_timeout),
            Opt::AbandonAfter => out_of_range(&fault, self.abandon_after),
            _ => out_of_range(&fault, self.timeout),
        })
    }
}

/// An int, or what stands for one exactly (`__index__`); bools and floats are likely mistakes.
pub(crate) fn count(option: Opt, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let Some(whole) = index(value)? else {
        // Options 5.2, Options 5.4
        let text = format!("{} must be an int, got {}", option.name(), value.repr()?);
        return Err(PyTypeError::new_err(text));
    };
    let least = u32::from(option.rule() == Rule::PositiveCount);
    match whole.extract() {
        Ok(count) if (least..=MAX_COUNT).contains(&count) => Ok(count),
        _ => {
            let (name, rule) = (option.name(), option.rule().text());
            let text = format!("{name} must be {rule}, got {}", shown(&whole)?);
            Err(PyValueError::new_err(text))
        }
    }
}

/// The longest that a call wants to wait; `None` could mean not at all as well as no bound.
pub(crate) fn wait(value: &Bound<'_, PyAny>) -> PyResult<Span> {
    let wait = bulkheads_engine::wait(bounded_seconds(value)?, SECONDS);
    wait.map_err(|fault| out_of_range(&fault, value))
}

/// The longest that a call's own work may run; `None` is no bound.
pub(crate) fn call_timeout(value: &Bound<'_, PyAny>) -> PyResult<Span> {
    let Some(time) = optional_seconds(Opt::CallTimeout, value)? else {
        return Ok(Span::FOREVER);
    };
    let bound = bulkheads_engine::call_timeout(time, SECONDS);
    bound.map_err(|fault| out_of_range(&fault, value))
}

/// A point in time on the loop's clock, which the core's time is ahead of by `offset`. One of
/// `time.time()` would never come.
pub(crate) fn deadline(value: &Bound<'_, PyAny>, offset: Span) -> PyResult<Instant> {
    if value.is_none() {
        return Ok(Instant::NEVER);
    }
    let moment = seconds(Opt::Deadline, value)?;
    // Options 6.3
    if (CALENDAR..f64::INFINITY).contains(&moment) {
        let shown = value.repr()?;
        let text = format!(
            "deadline must be time.monotonic() seconds, got {shown}, which looks like time.time()"
        );
        return Err(PyValueError::new_err(text));
    }
    let deadline = bulkheads_engine::deadline(moment, SECONDS);
    let deadline = deadline.map_err(|fault| out_of_range(&fault, value))?;
    Ok(deadline.after(offset))
}

/// What a clock says.
pub(crate) fn instant(seconds: f64) -> Instant {
    SECONDS.instant(seconds)
}

pub(crate) fn to_seconds(nanos: u64) -> f64 {
    SECONDS.units(nanos)
}

/// What the core itself has refused.
pub(crate) fn value_error(error: &InvalidOption) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// As the engine says it, but with the number as its caller wrote it.
fn out_of_range(fault: &Fault, value: &Bound<'_, PyAny>) -> PyErr {
    let text = shown(value).map(|shown| fault.text_before_value() + &shown);
    text.map_or_else(|error| error, PyValueError::new_err)
}

fn optional_seconds(option: Opt, value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    // Options 4.3
    if value.is_none() {
        return Ok(None);
    }
    seconds(option, value).map(Some)
}

fn bounded_seconds(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if value.is_none() {
        // Options 4.3
        let text = "timeout must be seconds as a float, got None; leave it out or write math.inf for no bound";
        return Err(PyTypeError::new_err(text));
    }
    seconds(Opt::Timeout, value)
}

/// A float or an int; an int too large for a float is infinite.
fn seconds(option: Opt, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(float.value());
    }
    let Some(whole) = index(value)? else {
        let (name, shown) = (option.name(), value.repr()?);
        let text = format!("{name} must be seconds as a float, got {shown}");
        return Err(PyTypeError::new_err(text));
    };
    match whole.extract() {
        Ok(seconds) => Ok(seconds),
        Err(_) if whole.lt(0)? => Ok(f64::NEG_INFINITY),
        Err(_) => Ok(f64::INFINITY),
    }
}

/// The int that a value is, or stands for; None for bools and for all that is no int.
fn index<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if value.is_exact_instance_of::<PyInt>() {
        return Ok(Some(value.clone()));
    }
    // Options 5.4
    if value.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    // SAFETY: it takes any object, and returns a new reference, or null with an error set.
    let whole =
        unsafe { Bound::from_owned_ptr_or_err(value.py(), ffi::PyNumber_Index(value.as_ptr())) };
    match whole {
        Ok(whole) => Ok(Some(whole)),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// As it was given, but without the middle digits of a very long int: Python refuses to convert
/// ints of some thousands of digits.
fn shown(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    let ten = 10_u32.into_pyobject(py)?;
    let size = value.abs()?;
    if value.is_instance_of::<PyFloat>() || size.lt(ten.pow(SHOWN_DIGITS, py.None())?)? {
        return Ok(value.repr()?.to_string());
    }
    let log10 = py.import("math")?.getattr(intern!(py, "log10"))?;
    let digits: f64 = log10.call1((&size,))?.extract()?;
    let dropped = py
        .get_type::<PyInt>()
        .call1((digits,))?
        .extract::<usize>()?
        - 12;
    let leading = size.floor_div(ten.pow(dropped, py.None())?)?.to_string();
    let sign = if value.lt(0)? { "-" } else { "" };
    let count = leading.len() + dropped;
    Ok(format!("{sign}{}… ({count} digits)", &leading[..12]))
}
