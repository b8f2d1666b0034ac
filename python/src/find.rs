//! `ktour.find`: finds one tour quickly, on boards of any size.

use ktour::heuristic::{FindOutcome, FindRequest, MAX_FIND_SQUARES, MAX_SEARCH_VERTICES, Rule, find_under};
use ktour::tour::{Kind, TourSpec};
use pyo3::prelude::*;

use super::arguments::{Attempts, Named, Seed, Threads};
use super::job_runner::JobRunner;
use crate::board::{BoardBase, tour_board};
use crate::errors::{JobError, from_find_outcome, invalid_input};
use crate::tour::Tour;

/// Finds one tour.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn find(
    board: &Bound<'_, BoardBase>,
    kind: Named<Kind>,
    start: Option<u32>,
    end: Option<u32>,
    seed: Seed,
    rule: Named<Rule>,
    attempts: Attempts,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Tour> {
    let (py, library_board) = (board.py(), &board.get().inner);
    let (Named(kind), Named(rule), Seed(seed), Attempts(attempts)) = (kind, rule, seed, attempts);
    let runner = JobRunner::new(threads, progress)?;
    if library_board.leaper_board().is_some() && library_board.len() > MAX_FIND_SQUARES {
        return Err(invalid_input(format!(
            "{}; use a board of at most {MAX_FIND_SQUARES} squares",
            library_board.size_clause()
        )));
    }
    if library_board.leaper_board().is_none() && library_board.len() > MAX_SEARCH_VERTICES {
        return Err(invalid_input(format!(
            "{}; use at most {MAX_SEARCH_VERTICES} on graphs and on boards other than rectangles",
            library_board.size_clause()
        )));
    }
    if library_board.leaper_board().is_none() && !rule.is_auto() {
        return Err(invalid_input(format!(
            "rule=\"{rule}\" requires a board of one leaper without joined edges; omit rule="
        )));
    }
    let tours = TourSpec::new(library_board.clone(), kind, start, end).map_err(JobError::from)?;
    let request = FindRequest { rule, seed, attempts, ..FindRequest::new(tours) };
    let outcome = runner.run_abandonable(py, move |control| find_under(&request, control))?;
    match outcome {
        FindOutcome::Found { tour, .. } => {
            let kind = tour.kind();
            Ok(Tour::from_vertices(tour_board(board)?.unbind(), tour.into_vertices(), kind).with_seed(seed))
        }
        outcome => Err(from_find_outcome(&outcome, rule.is_auto()).into()),
    }
}
