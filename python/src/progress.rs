//! Whom to tell how far a run is: nobody, a bar of tqdm, or a function of the caller's.

use ktour::control::Reading;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::usage;

/// Told of a run now and then.
pub enum Progress {
    Nobody,
    /// A bar of its own, which is closed at the end.
    Bar(Py<PyAny>),
    /// What belongs to the caller, who may tell it more.
    Function(Py<PyAny>),
}

impl Progress {
    /// From `progress=`: nothing or `False`, `True`, or something to call. `title` stands beside a bar.
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
            return Err(usage("progress= takes True, or a function of a Reading"));
        }
        Ok(Self::Function(asked.clone().unbind()))
    }

    /// Whether somebody listens.
    pub const fn is_watched(&self) -> bool {
        !matches!(self, Self::Nobody)
    }

    /// Tells.
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

    /// The run is over, well or not.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Self::Bar(bar) = self else { return Ok(()) };
        bar.call_method0(py, "close").map(|_| ())
    }
}
