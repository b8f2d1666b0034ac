//! `ktour.find`: finds one tour quickly, on boards of any size.

use ktour::heuristic::{FindOutcome, FindRequest, MAX_FIND_SQUARES, Rule, find_under};
use pyo3::prelude::*;

use super::arguments;
use super::job_runner::JobRunner;
use crate::board::Board;
use crate::errors::{self, from_find_outcome, stopped_error, usage_error};
use crate::tour::Tour;

/// Maximum number of vertices of a graph, or of a board that is not a plain rectangle, in which a
/// tour is searched.
const MAX_OTHER_VERTICES: usize = 1 << 18;

/// Finds one tour quickly. Rectangles have at most 2**28 squares; other boards and graphs at most 2**18.
///
/// - kind: "paths", "closed" or "open". Default: "paths".
/// - start, end: first and last square. Default: any.
/// - seed: a number from 0 to 2**64 - 1. Equal seeds give equal tours. Default: 0.
/// - rule: "auto", or a walking rule: "warnsdorff", "pohl", ... Default: "auto".
/// - attempts: largest number of attempts. Default: 1000.
/// - threads, progress: as for count.
///
/// Raises NoTour if it is proved that no tour exists (with the reason), GaveUp if none was found, and
/// UsageError for invalid arguments.
#[pyfunction]
#[pyo3(signature = (board, kind = "paths", *, start = None, end = None, seed = 0, rule = "auto", attempts = 1000, threads = None, progress = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn find(
    board: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::parse_kind_word)] kind: &'static str,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_seed)] seed: u64,
    #[pyo3(from_py_with = arguments::parse_rule_word)] rule: &'static str,
    #[pyo3(from_py_with = arguments::parse_attempts)] attempts: u64,
    #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tour> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let (own, kind) = (board.get(), arguments::kind_of_word(kind));
    let library_board = &own.inner;
    let (start, end) = (own.parse_end(start, "start=")?, own.parse_end(end, "end=")?);
    let rule: Rule = rule.parse().expect("the parser of the argument accepted the word");
    let runner = JobRunner::new(threads, progress, &format!("{} {}", library_board.title(), kind.name()))?;
    if library_board.leaper_board().is_some() && library_board.len() > MAX_FIND_SQUARES {
        return Err(usage_error(format!(
            "{}; use a board of at most {MAX_FIND_SQUARES} squares",
            library_board.size_clause()
        )));
    }
    if library_board.leaper_board().is_none() && library_board.len() > MAX_OTHER_VERTICES {
        return Err(usage_error(format!(
            "{}; use at most {MAX_OTHER_VERTICES} on graphs and on boards other than rectangles",
            library_board.size_clause()
        )));
    }
    if library_board.leaper_board().is_none() && !rule.is_auto() {
        return Err(usage_error(format!(
            "rule=\"{rule}\" requires a board of one leaper without joined edges; omit rule="
        )));
    }
    let request = FindRequest::with_ends(library_board.clone(), kind, start, end)
        .map_err(|error| errors::from_tour_spec_error(&error))?;
    let request = FindRequest { rule, seed, attempts, ..request };
    let outcome = runner.run_abandonable(py, move |control| find_under(&request, control))?;
    match outcome {
        FindOutcome::Found { tour, .. } => {
            let kind = tour.kind();
            Ok(Tour::from_vertices(board.clone().unbind(), tour.into_vertices(), kind))
        }
        FindOutcome::Stopped => Err(stopped_error()),
        outcome => Err(from_find_outcome(&outcome, rule.is_auto())),
    }
}
