//! Places in a sequence, as Python has them: from either end, several at once, between two.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::asked::{given, integer, shown, wrong};

/// The one at a place, or the list of those of a slice.
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
        integer(place, "a place").map_err(|_| wrong("a place", "a whole number or a slice", place))?;
    // What is beyond all numbers is beyond the sequence.
    let own = whole.extract::<isize>().ok().map(|place| if place < 0 { place + len } else { place });
    match own.filter(|own| (0..len).contains(own)) {
        Some(own) => at(own as usize),
        None => Err(PyIndexError::new_err(format!("there is no {what} {whole} of {len}"))),
    }
}

/// A place that was found, if it is between two others.
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
    Err(PyValueError::new_err(format!("{} is not between these places", shown(value))))
}
