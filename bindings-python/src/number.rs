//! Python's numbers as the core takes them.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;

/// A float, or an int: one too large for a float is infinite, so that its range is checked where
/// all ranges are, in the core.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) f64);

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.extract::<f64>() {
            Ok(value) => Ok(Self(value)),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                let negative = object.lt(0)?;
                Ok(Self(if negative {
                    f64::NEG_INFINITY
                } else {
                    f64::INFINITY
                }))
            }
            Err(error) => Err(error),
        }
    }
}
