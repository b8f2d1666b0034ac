//! `ktour.find`: finds one tour quickly, on boards of any size.

use ktour::heuristic::{FindRequest, MAX_SQUARES, Outcome, Rule, Want, find_under};
use ktour::tour::Kind;
use pyo3::prelude::*;

use crate::asked;
use crate::attend::How;
use crate::board::Board;
use crate::errors::{not_found, stopped, usage};
use crate::tour::Tour;

/// Largest number of vertices of a board other than a plain rectangle, and of a graph, that is searched.
const MAX_VERTICES: usize = 1 << 18;

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
    #[pyo3(from_py_with = asked::kind_word)] kind: &'static str,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = asked::seed)] seed: u64,
    #[pyo3(from_py_with = asked::rule_word)] rule: &'static str,
    #[pyo3(from_py_with = asked::attempts)] attempts: u64,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tour> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let (own, kind) = (board.get(), asked::kind(kind));
    let arena = &own.arena;
    let (start, end) = (own.end(start, "start=")?, own.end(end, "end=")?);
    let rule: Rule = rule.parse().expect("the parser of the argument accepted the word");
    let how = How::new(threads, progress, &format!("{} {}", arena.title(), kind.name()))?;
    let (closed, open) = (kind == Kind::Closed, kind == Kind::Open);
    if arena.rectangle().is_some() && arena.len() > MAX_SQUARES {
        return Err(usage(format!("{}; use a board of at most {MAX_SQUARES} squares", arena.extent())));
    }
    if arena.rectangle().is_none() && arena.len() > MAX_VERTICES {
        return Err(usage(format!(
            "{}; use at most {MAX_VERTICES} on graphs and on boards other than rectangles",
            arena.extent()
        )));
    }
    if arena.rectangle().is_none() && rule != Rule::Auto {
        return Err(usage(format!(
            "rule=\"{rule}\" requires a board of one leaper without joined edges; omit rule="
        )));
    }
    let vertex = |v: Option<u32>| v.map(|v| v as usize);
    let want = Want { closed, apart: open, start: vertex(start), end: vertex(end) };
    let request = FindRequest { want, rule, seed, attempts, ..FindRequest::new(arena.clone()) };
    let outcome = how.attend_or_leave(py, move |control| find_under(&request, control))?;
    match outcome {
        Outcome::Found { tour, .. } => {
            let kind = tour.kind();
            Ok(Tour::found(board.clone().unbind(), tour.into_vertices(), kind))
        }
        Outcome::Stopped => Err(stopped()),
        outcome => Err(not_found(&outcome, rule == Rule::Auto)),
    }
}
