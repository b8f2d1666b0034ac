//! Receivers of progress reports: none, a bar of tqdm, or a function of the caller.

use ktour::control::Reading;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::usage;

/// The receiver of the progress reports of a run.
pub enum Progress {
    Nobody,
    /// A bar of tqdm that belongs to this run, and is closed at its end.
    Bar(Py<PyAny>),
    /// A function of the caller. It is never closed, because the caller may use it for other runs.
    Function(Py<PyAny>),
}

impl Progress {
    /// Parses `progress=`: `None` or `False`, `True`, or a callable. `title` is the label of a bar.
    ///
    /// # Errors
    /// A `UsageError` for any other value, and the error of the import if tqdm is missing.
    pub fn of(asked: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let Some(asked) = asked.filter(|asked| !asked.is_none()) else { return Ok(Self::Nobody) };
        if let Ok(is_wanted) = asked.cast::<PyBool>() {
            if !is_wanted.is_true() {
                return Ok(Self::Nobody);
            }
            let bar = asked.py().import("ktour._progress")?.getattr("Bar")?.call1((title,))?;
            return Ok(Self::Bar(bar.unbind()));
        }
        if !asked.is_callable() {
            return Err(usage("progress= is not callable; use True, or a function that takes a Reading"));
        }
        Ok(Self::Function(asked.clone().unbind()))
    }

    /// Returns true if anything receives the reports.
    pub const fn is_watched(&self) -> bool {
        !matches!(self, Self::Nobody)
    }

    /// Reports a reading.
    ///
    /// # Errors
    /// The exception that the function of the caller raised.
    pub fn tell(&self, py: Python<'_>, reading: &Reading) -> PyResult<()> {
        let (Self::Bar(told) | Self::Function(told)) = self else { return Ok(()) };
        let class = py.import("ktour._progress")?.getattr("Reading")?;
        let sweep = reading.sweep.unwrap_or_default();
        let words = (
            reading.fraction,
            reading.seconds,
            reading.seconds_left(),
            reading.units_done,
            reading.units,
            reading.nodes,
            sweep.states,
            sweep.bytes,
        );
        told.call1(py, (class.call1(words)?,)).map(|_| ())
    }

    /// Closes the bar, if there is one. Called at the end of a run, whether it succeeded or not.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Self::Bar(bar) = self else { return Ok(()) };
        bar.call_method0(py, "close").map(|_| ())
    }
}
