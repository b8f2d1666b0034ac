//! Memory that numpy reads in place: the vertices of a tour, and tables of tours.
//!
//! A vertex takes one byte on boards of up to 256 squares, so that lists of millions of tours fit
//! in memory. A table of bytes has one row for each tour, and implements the array interface
//! protocol of numpy.

use pyo3::exceptions::PyModuleNotFoundError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::tour::Tour;

/// Imports numpy.
///
/// # Errors
/// A `ModuleNotFoundError` that names the command which installs numpy.
pub fn import_numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("numpy").map_err(|error| match error.is_instance_of::<PyModuleNotFoundError>(py) {
        true => PyModuleNotFoundError::new_err("numpy is not installed; use pip install 'ktour[all]'"),
        false => error,
    })
}

/// Vertices of a tour, in the order of the moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CompactVertices {
    /// Vertices of a board of at most 256 squares, one byte each.
    Bytes(Box<[u8]>),
    /// Vertices of a larger board, four bytes each.
    Words(Box<[u32]>),
}

impl CompactVertices {
    /// Returns the number of vertices of the tour.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(all) => all.len(),
            Self::Words(all) => all.len(),
        }
    }

    /// Returns the vertex at a position of the tour, or `None` beyond its end.
    pub fn get(&self, position: usize) -> Option<u32> {
        match self {
            Self::Bytes(all) => all.get(position).map(|&v| u32::from(v)),
            Self::Words(all) => all.get(position).copied(),
        }
    }

    /// Returns an iterator over the vertices of the tour.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len()).filter_map(|position| self.get(position))
    }

    /// Returns the address of the first vertex, and the type string of numpy for its elements.
    pub fn address_and_type(&self) -> (usize, &'static str) {
        match self {
            Self::Bytes(all) => (all.as_ptr() as usize, "|u1"),
            Self::Words(all) if cfg!(target_endian = "big") => (all.as_ptr() as usize, ">u4"),
            Self::Words(all) => (all.as_ptr() as usize, "<u4"),
        }
    }
}

impl From<Vec<u32>> for CompactVertices {
    /// Converts the vertices of a whole tour, which are below its length. Uses one byte for each if
    /// possible.
    fn from(all: Vec<u32>) -> Self {
        if all.len() <= 256 {
            return Self::Bytes(all.into_iter().map(|v| v as u8).collect());
        }
        Self::Words(all.into())
    }
}

/// A table of bytes, one row per tour. numpy reads it without a copy, and an array made from it keeps it
/// alive.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct TourTable {
    bytes: Vec<u8>,
    rows: usize,
    cols: usize,
}

impl TourTable {
    /// Creates a table of `rows` rows and `cols` columns from `bytes`, row by row.
    ///
    /// # Panics
    /// If the number of bytes is not `rows * cols`.
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

/// The vertices of a tour, which numpy reads without a copy. An array made from them keeps the tour alive.
#[pyclass(frozen, module = "ktour._ktour")]
pub struct TourVertices {
    tour: Py<Tour>,
}

impl TourVertices {
    /// Creates the vertices of a tour.
    pub const fn new(tour: Py<Tour>) -> Self {
        Self { tour }
    }
}

#[pymethods]
impl TourVertices {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let vertices = self.tour.get().vertices_in_order();
        let (address, kind) = vertices.address_and_type();
        array_interface(py, address, true, kind, vec![vertices.len()])
    }
}

/// Returns the `__array_interface__` dict (version 3) of memory that Rust owns. `address` is the
/// address of the first element, and `type_string` is numpy's name of its type, such as `|u1`.
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
