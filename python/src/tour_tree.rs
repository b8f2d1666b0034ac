//! `ktour.tour_tree` and `ktour.next_moves`: numbers of tours by their first squares.

use ktour::batch::{CountJob, Shard};
use ktour::count::{BeginningError, TourTree, WorkPlan};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::admission::{self, NO_DISK_KEYWORD};
use super::arguments::{Depth, Force, Memory, Named, Threads, to_int};
use super::job_runner::{JobRunner, check_signals};
use crate::board::{BoardBase, job_name};
use crate::errors::{JobError, invalid_input};

/// Counts the tours that begin with `squares`, and those that begin with each path of up to `depth` more squares.
/// Returns nested tuples: the number of tours, and pairs of the next square and its tuple.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn tour_tree<'py>(
    board: &Bound<'py, BoardBase>,
    squares: Vec<u32>,
    kind: Named<Kind>,
    depth: Depth,
    memory: Option<Memory>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
    force: Force,
) -> PyResult<Bound<'py, PyTuple>> {
    let (py, inner, kind, force) = (board.py(), board.get(), kind.0, force.0);
    let memory = memory.map(|memory| memory.0);
    inner.find_symmetries(py)?;
    let library_board = inner.inner.clone();
    let name = job_name(&library_board, Some(kind));
    let refuse = |error: BeginningError| invalid_input(format!("begin: {error}"));
    let request = TourTree::whole_request(&library_board, kind, &squares).map_err(refuse)?;
    let counted = JobRunner::new(threads, progress)?.run(py, |control| -> Result<_, JobError> {
        if !force {
            let work_plan = WorkPlan::new_under(&request, control)?.with_memory(memory);
            let count = CountJob::new(request.clone(), work_plan, Shard::WHOLE);
            admission::check_count(&name, &count, NO_DISK_KEYWORD, control)?;
        }
        TourTree::count(&library_board, kind, &squares, depth.0, memory, control)
            .map_err(|error| admission::job_error(&name, error, NO_DISK_KEYWORD))
    })?;
    to_tuples(py, &counted?, &mut 0)
}

/// Converts a tree to nested tuples. `nodes` is the number of nodes that were converted before.
fn to_tuples<'py>(py: Python<'py>, tree: &TourTree, nodes: &mut usize) -> PyResult<Bound<'py, PyTuple>> {
    *nodes += 1;
    check_signals(py, *nodes)?;
    let next = tree.next.iter().map(|(v, below)| Ok((*v, to_tuples(py, below, nodes)?)));
    (to_int(py, &tree.tours)?, next.collect::<PyResult<Vec<_>>>()?).into_pyobject(py)
}
