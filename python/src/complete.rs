//! `ktour.complete`: tours in which some squares have given numbers.

use std::ops::ControlFlow;

use ktour::search::numbered_squares::NumberedSquares;
use ktour::tour::{Kind, TourSpec};
use pyo3::prelude::*;

use super::arguments::{Limit, Named, Threads};
use super::job_runner::JobRunner;
use crate::board::{BoardBase, tour_board};
use crate::errors::{JobError, invalid_input};
use crate::tour::Tour;

/// Returns the tours that visit the squares of `numbers` at these numbers, at most `limit`.
#[pyfunction]
pub fn complete(
    board: &Bound<'_, BoardBase>,
    numbers: Vec<(u32, u32)>,
    kind: Named<Kind>,
    limit: Option<Limit>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<Tour>> {
    let (py, Named(kind)) = (board.py(), kind);
    let tours = TourSpec::all(board.get().inner.clone(), kind);
    let numbered =
        NumberedSquares::new(&tours, numbers).map_err(|error| invalid_input(format!("numbers: {error}")))?;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit.0).unwrap_or(usize::MAX));
    let found = JobRunner::new(threads, progress)?.run(py, |control| {
        let mut found = Vec::new();
        let mut each = |squares: &[u32]| {
            found.push(squares.to_vec());
            if found.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        match limit {
            0 => Ok(Vec::new()),
            _ => numbered.for_each(control, &mut each).map(|_| found),
        }
    })?;
    let found = found.map_err(|_| PyErr::from(JobError::stopped()))?;
    let plain = tour_board(board)?.unbind();
    let tour = |squares: Vec<u32>| {
        let kind = tours.kind_of(&squares);
        Tour::from_vertices(plain.clone_ref(py), squares, kind)
    };
    Ok(found.into_iter().map(tour).collect())
}
