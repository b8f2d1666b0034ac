//! The module `ktour._ktour`: what the library does, for Python.
//!
//! ```text
//! Python values -> board, asked -> attend: the work on other threads, this one listens for Ctrl-C -> numbers, Tour
//!                                                                    errors, of either side -> exceptions
//! ```
//!
//! One room, one noun: [`board`], [`tour`], [`tours`] (the iterator), [`count`], [`find`], [`index`], [`series`],
//! [`estimate`]; [`attend`] is how any of them waits, [`progress`] whom it tells how far it is, [`fits`] what it does not
//! begin, [`errors`] what it says when it fails, [`numbers`] how numbers of any size come across. What can be said in
//! plain Python is in `ktour/`, and so are the types, in `ktour/__init__.pyi`.

#![warn(clippy::undocumented_unsafe_blocks)]

mod asked;
mod attend;
mod block;
mod board;
mod count;
mod errors;
mod estimate;
mod find;
mod fits;
mod index;
mod numbers;
mod places;
mod progress;
mod recurrence;
mod series;
mod sink;
mod statistics;
mod symmetry;
mod tour;
mod tours;
mod vertices;

use pyo3::prelude::*;

#[pymodule]
fn _ktour(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<board::Board>()?;
    module.add_class::<tour::Tour>()?;
    module.add_class::<tours::Tours>()?;
    module.add_class::<index::Index>()?;
    module.add_class::<statistics::Stats>()?;
    module.add_function(wrap_pyfunction!(count::count, module)?)?;
    module.add_function(wrap_pyfunction!(count::classes, module)?)?;
    module.add_function(wrap_pyfunction!(estimate::estimate, module)?)?;
    module.add_function(wrap_pyfunction!(find::find, module)?)?;
    module.add_function(wrap_pyfunction!(recurrence::recurrence, module)?)?;
    module.add_function(wrap_pyfunction!(series::series, module)?)?;
    module.add_function(wrap_pyfunction!(tour::sheet, module)?)?;
    module.add_function(wrap_pyfunction!(tours::tours, module)?)
}
