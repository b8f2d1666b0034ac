//! Bytes that numpy takes as an array without a copy.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A table of bytes, a row for each tour. numpy reads it in place, and keeps it as long as the array lives.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct Block {
    bytes: Vec<u8>,
    rows: usize,
    cols: usize,
}

impl Block {
    /// Of so many rows.
    pub fn new(bytes: Vec<u8>, rows: usize, cols: usize) -> Self {
        assert_eq!(bytes.len(), rows * cols, "all rows are of the same length");
        Self { bytes, rows, cols }
    }
}

#[pymethods]
impl Block {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // The array is the only one that ever has it, and may write.
        interface(py, self.bytes.as_ptr() as usize, false, "|u1", vec![self.rows, self.cols])
    }
}

/// What numpy wants to know of memory that is not its own.
pub fn interface<'py>(
    py: Python<'py>,
    address: usize,
    is_read_only: bool,
    kind: &str,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let words = PyDict::new(py);
    words.set_item("data", (address, is_read_only))?;
    words.set_item("shape", pyo3::types::PyTuple::new(py, shape)?)?;
    words.set_item("typestr", kind)?;
    words.set_item("version", 3)?;
    Ok(words)
}
