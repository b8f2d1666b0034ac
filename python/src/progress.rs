//! Receivers of progress reports: none, a bar of tqdm, or a function of the caller.

use ktour::control::ProgressSnapshot;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::usage_error;

/// The receiver of the progress reports of a run.
pub enum ProgressReceiver {
    None,
    /// A bar of tqdm that belongs to this run, and is closed at its end.
    Bar(Py<PyAny>),
    /// A function of the caller. It is never closed, because the caller may use it for other runs.
    Function(Py<PyAny>),
}

impl ProgressReceiver {
    /// Parses `progress=`: `None` or `False`, `True`, or a callable. `title` is the label of a bar.
    ///
    /// # Errors
    /// A `UsageError` for any other value, and the error of the import if tqdm is missing.
    pub fn parse(argument: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let Some(asked) = argument.filter(|asked| !asked.is_none()) else { return Ok(Self::None) };
        if let Ok(flag) = asked.cast::<PyBool>() {
            if !flag.is_true() {
                return Ok(Self::None);
            }
            let bar = asked.py().import("ktour._progress")?.getattr("Bar")?.call1((title,))?;
            return Ok(Self::Bar(bar.unbind()));
        }
        if !asked.is_callable() {
            return Err(usage_error(
                "progress= is not callable; use True, or a function that takes a Reading",
            ));
        }
        Ok(Self::Function(asked.clone().unbind()))
    }

    /// Returns true if anything receives the reports.
    pub const fn has_receiver(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Reports a reading.
    ///
    /// # Errors
    /// The exception that the function of the caller raised.
    pub fn report(&self, py: Python<'_>, reading: &ProgressSnapshot) -> PyResult<()> {
        let (Self::Bar(receiver) | Self::Function(receiver)) = self else { return Ok(()) };
        let class = py.import("ktour._progress")?.getattr("Reading")?;
        let sweep = reading.sweep.unwrap_or_default();
        let fields = (
            reading.fraction,
            reading.seconds,
            reading.seconds_left(),
            reading.units_done,
            reading.units,
            reading.nodes,
            sweep.states,
            sweep.bytes,
        );
        receiver.call1(py, (class.call1(fields)?,)).map(|_| ())
    }

    /// Closes the bar, if there is one. Called at the end of a run, whether it succeeded or not.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Self::Bar(bar) = self else { return Ok(()) };
        bar.call_method0(py, "close").map(|_| ())
    }
}
