//! A table of bytes has one row per tour, and implements the array interface protocol of numpy.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A table of bytes, one row per tour. numpy reads it without a copy, and an array made from it keeps it
/// alive.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct TourTable {
    bytes: Vec<u8>,
    rows: usize,
    cols: usize,
}

impl TourTable {
    /// Creates a table of `rows` rows and `cols` columns from its bytes, row by row.
    ///
    /// # Panics
    /// If `bytes` has not `rows * cols` bytes.
    pub fn new(bytes: Vec<u8>, rows: usize, cols: usize) -> Self {
        assert_eq!(bytes.len(), rows * cols, "all rows have `cols` bytes");
        Self { bytes, rows, cols }
    }
}

#[pymethods]
impl TourTable {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        // Only one array is ever made from a table, so the array may be writable.
        array_interface(py, self.bytes.as_ptr() as usize, false, "|u1", vec![self.rows, self.cols])
    }
}

/// Returns the `__array_interface__` dict (version 3) of memory owned by Rust. `address` is that of the first
/// element, `kind` the type string of numpy, such as `|u1`.
pub fn array_interface<'py>(
    py: Python<'py>,
    address: usize,
    is_read_only: bool,
    type_string: &str,
    shape: Vec<usize>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("data", (address, is_read_only))?;
    dict.set_item("shape", pyo3::types::PyTuple::new(py, shape)?)?;
    dict.set_item("typestr", type_string)?;
    dict.set_item("version", 3)?;
    Ok(dict)
}
