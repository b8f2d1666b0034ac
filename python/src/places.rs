//! Indices and slices of Python sequences: negative indices count from the end.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::asked::{given, integer, shown, wrong};

/// Returns the element at an index, or the list of the elements of a slice. `at` returns the element at a
/// position below `len`, and `what` is the name of an element in the error.
pub fn slots<'py>(
    place: &Bound<'py, PyAny>,
    len: usize,
    what: &str,
    at: impl Fn(usize) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let len = len as isize;
    if let Ok(slice) = place.cast::<PySlice>() {
        let found = slice.indices(len)?;
        let places = (0..found.slicelength as isize).map(|i| found.start + i * found.step);
        let all: PyResult<Vec<_>> = places.map(|place| at(place as usize)).collect();
        return Ok(PyList::new(place.py(), all?)?.into_any());
    }
    let whole =
        integer(place, "an index").map_err(|_| wrong("an index", "a whole number or a slice", place))?;
    // An integer beyond `isize` is out of range.
    let own = whole.extract::<isize>().ok().map(|place| if place < 0 { place + len } else { place });
    match own.filter(|own| (0..len).contains(own)) {
        Some(own) => at(own as usize),
        None => Err(PyIndexError::new_err(format!("there is no {what} {whole}; numbers are below {len}"))),
    }
}

/// Returns `found` if it lies between `start` and `stop`, the optional arguments of `index()`.
///
/// # Errors
/// A `ValueError` that names `value` if it does not.
pub fn place(
    found: usize,
    len: usize,
    (start, stop): (Option<&Bound<'_, PyAny>>, Option<&Bound<'_, PyAny>>),
    value: &Bound<'_, PyAny>,
) -> PyResult<usize> {
    let end = |asked: Option<&Bound<'_, PyAny>>, name: &str, otherwise: usize| -> PyResult<usize> {
        let Some(asked) = given(asked) else { return Ok(otherwise) };
        let whole = integer(asked, name)?;
        let is_from_end = whole.lt(0)?;
        let Ok(own) = whole.extract::<isize>() else { return Ok(if is_from_end { 0 } else { len }) };
        Ok(if is_from_end { len.saturating_sub(own.unsigned_abs()) } else { own as usize })
    };
    if (end(start, "start", 0)?..end(stop, "stop", len)?).contains(&found) {
        return Ok(found);
    }
    Err(PyValueError::new_err(format!("{} is not between start and stop", shown(value))))
}
