//! Conversion between Python `int` and `BigUint`.

use ktour::BigUint;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

use super::arguments::to_integer;

/// Converts a number to a Python `int`.
pub fn to_int<'py>(py: Python<'py>, number: &BigUint) -> PyResult<Bound<'py, PyAny>> {
    match u64::try_from(number) {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        Err(_) => int_from_bytes(py, &number.to_bytes_le(), false),
    }
}

/// Converts the bytes of a number, the lowest first, to a Python `int`.
pub fn int_from_bytes<'py>(py: Python<'py>, bytes: &[u8], is_signed: bool) -> PyResult<Bound<'py, PyAny>> {
    let options = pyo3::types::PyDict::new(py);
    options.set_item("signed", is_signed)?;
    let bytes = PyBytes::new(py, bytes);
    py.get_type::<PyInt>().call_method("from_bytes", (bytes, "little"), Some(&options))
}

/// Converts a Python integer (an `int`, or an integer of numpy) to a `BigUint`. Returns `None` if
/// the integer is below
/// 0. The error names the argument `name`.
///
/// # Errors
/// A `TypeError` if the value is not an integer.
pub fn to_biguint(value: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<BigUint>> {
    if let Ok(small) =
        value.cast_exact::<PyInt>().map_err(PyErr::from).and_then(|value| value.extract::<u64>())
    {
        return Ok(Some(small.into()));
    }
    let integer = to_integer(value, name)?;
    if integer.lt(0)? {
        return Ok(None);
    }
    let bits: usize = integer.call_method0("bit_length")?.extract()?;
    let bytes = integer.call_method1("to_bytes", (bits.div_ceil(8), "little"))?;
    Ok(Some(BigUint::from_bytes_le(bytes.extract::<&[u8]>()?)))
}
