//! Whom to tell how far a run is: nobody, a bar of tqdm, or a function of the caller's.

use ktour::control::Reading;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::errors::usage;

/// Told of a run now and then.
pub struct Progress(Option<Py<PyAny>>);

impl Progress {
    /// From `progress=`: nothing or `False`, `True`, or something to call. `title` stands beside a bar.
    pub fn of(asked: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let Some(asked) = asked.filter(|asked| !asked.is_none()) else { return Ok(Self(None)) };
        if let Ok(is_wanted) = asked.cast::<PyBool>() {
            if !is_wanted.is_true() {
                return Ok(Self(None));
            }
            let bar = asked.py().import("ktour._progress")?.getattr("Bar")?.call1((title,))?;
            return Ok(Self(Some(bar.unbind())));
        }
        if !asked.is_callable() {
            return Err(usage("progress= takes True, or a function of a Reading"));
        }
        Ok(Self(Some(asked.clone().unbind())))
    }

    /// Whether somebody listens.
    pub const fn is_watched(&self) -> bool {
        self.0.is_some()
    }

    /// Tells.
    pub fn tell(&self, py: Python<'_>, reading: &Reading) -> PyResult<()> {
        let Some(told) = &self.0 else { return Ok(()) };
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
        let Some(told) = self.0.as_ref().map(|told| told.bind(py)) else { return Ok(()) };
        if told.hasattr("close")? { told.call_method0("close").map(|_| ()) } else { Ok(()) }
    }
}
