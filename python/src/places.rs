//! Indices and slices of Python sequences: negative indices count from the end.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::asked::{not_none, short_repr, to_integer, type_error};

/// Returns the element at an index, or the list of the elements of a slice. `at` returns the element at a
/// position below `len`, and `what` is the name of an element in the error.
pub fn get_items<'py>(
    index: &Bound<'py, PyAny>,
    len: usize,
    item_name: &str,
    item_at: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let len = len as isize;
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(len)?;
        let places = (0..range.slicelength as isize).map(|i| range.start + i * range.step);
        let all: PyResult<Vec<_>> = places.map(|place| item_at(place as usize)).collect();
        return Ok(PyList::new(index.py(), all?)?.into_any());
    }
    let integer = to_integer(index, "an index")
        .map_err(|_| type_error("an index", "a whole number or a slice", index))?;
    // An integer beyond `isize` is out of range.
    let position = integer.extract::<isize>().ok().map(|place| if place < 0 { place + len } else { place });
    match position.filter(|own| (0..len).contains(own)) {
        Some(own) => item_at(own as usize),
        None => {
            Err(PyIndexError::new_err(format!("there is no {item_name} {integer}; numbers are below {len}")))
        }
    }
}

/// Returns `found` if it lies between `start` and `stop`, the optional arguments of `index()`.
///
/// # Errors
/// A `ValueError` that names `value` if it does not.
pub fn check_between(
    position: usize,
    len: usize,
    (start, stop): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>),
    value: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let end = |bound: Option<&Bound<'_, PyAny>>, name: &str, default: usize| -> PyResult<usize> {
        let Some(asked) = not_none(bound) else { return Ok(default) };
        let whole = to_integer(asked, name)?;
        let is_from_end = whole.lt(0)?;
        let Ok(offset) = whole.extract::<isize>() else { return Ok(if is_from_end { 0 } else { len }) };
        Ok(if is_from_end { len.saturating_sub(offset.unsigned_abs()) } else { offset as usize })
    };
    if (end(start, "start", 0)?..end(stop, "stop", len)?).contains(&position) {
        return Ok(position);
    }
    Err(PyValueError::new_err(format!("{} is not between start and stop", short_repr(value))))
}
