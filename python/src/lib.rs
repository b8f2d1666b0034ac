//! The extension module `ktour._ktour`: the library for Python.
//!
//! ```text
//! Python values -> board, arguments -> job runner: worker threads, Ctrl-C here -> ints, Tour
//!                                                               errors of both sides -> exceptions
//! ```
//!
//! The classes `Tour` and `Tours` are those that users see. Everything else is private: the modules in `lib/ktour/`
//! define the other classes and functions with their signatures and documentation, convert boards and squares, and
//! call the functions here.
//!
//! Some modules hold the class or function of their name: [`board`], [`tour`], [`tours`] (the iterator), [`count`],
//! [`find`], [`index`], [`tour_tree`], [`read_tours`], [`series`], [`recurrence`], [`estimate`]. The other modules serve these: they
//! run jobs with progress and Ctrl-C, also in forked processes, check runs before they start, extract arguments, and
//! convert errors.

#![warn(clippy::undocumented_unsafe_blocks)]

mod admission;
mod allocator;
mod arguments;
mod board;
mod complete;
mod count;
mod detached_tour;
mod errors;
mod estimate;
mod find;
mod fork;
mod index;
mod job_runner;
mod numpy_memory;
mod panics;
mod pictures;
mod read_tours;
mod recurrence;
mod series;
mod symmetry;
mod tour;
mod tour_tree;
mod tours;

use pyo3::prelude::*;

#[pymodule]
fn _ktour(module: &Bound<'_, PyModule>) -> PyResult<()> {
    panics::install_hook();
    fork::register(module)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<board::BoardBase>()?;
    module.add_class::<board::BoardData>()?;
    module.add_class::<index::IndexCore>()?;
    module.add_class::<tour::Tour>()?;
    module.add_class::<tours::Tours>()?;
    module.add_function(wrap_pyfunction!(board::make_graph, module)?)?;
    module.add_function(wrap_pyfunction!(board::parse_board, module)?)?;
    module.add_function(wrap_pyfunction!(board::parse_graph, module)?)?;
    module.add_function(wrap_pyfunction!(board::parse_graphs, module)?)?;
    module.add_function(wrap_pyfunction!(board::parse_shape, module)?)?;
    module.add_function(wrap_pyfunction!(job_runner::_panic, module)?)?;
    module.add_function(wrap_pyfunction!(count::count, module)?)?;
    module.add_function(wrap_pyfunction!(count::classes, module)?)?;
    module.add_function(wrap_pyfunction!(complete::complete, module)?)?;
    module.add_function(wrap_pyfunction!(estimate::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::board_svg, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::heat_map, module)?)?;
    module.add_function(wrap_pyfunction!(read_tours::read_tours, module)?)?;
    module.add_function(wrap_pyfunction!(recurrence::recurrence_of_line, module)?)?;
    module.add_function(wrap_pyfunction!(recurrence::recurrence_of_terms, module)?)?;
    module.add_function(wrap_pyfunction!(series::series, module)?)?;
    module.add_function(wrap_pyfunction!(pictures::sheet, module)?)?;
    module.add_function(wrap_pyfunction!(tour_tree::tour_tree, module)?)?;
    module.add_function(wrap_pyfunction!(tours::tours, module)?)
}
