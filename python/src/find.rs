//! `ktour.find`: one tour, at once, on boards of any size.

use ktour::heuristic::{FindRequest, MAX_SQUARES, Outcome, Rule, Want, find_under};
use ktour::tour::Kind;
use pyo3::prelude::*;

use crate::asked;
use crate::attend::How;
use crate::board::Board;
use crate::errors::{not_found, stopped, usage};
use crate::tour::Tour;

/// Vertices of the largest graph that is searched for a tour.
const MAX_VERTICES: usize = 1 << 18;

/// One tour, quickly, on boards of any size.
///
/// kind: "paths" (the default), "closed" or "open". start, end: where it begins and ends. seed: another tour for
/// another seed, the same for the same. rule: "auto", or how to walk: "warnsdorff", "pohl", ...; attempts: how hard.
/// threads, progress: as for count.
///
/// Raises NoTour if there is none (and says why), GaveUp if none was found, UsageError for what cannot be asked.
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
    let rule: Rule = rule.parse().expect("it was looked whether it is one");
    let how = How::new(threads, progress, &format!("{} {}", arena.title(), kind.name()))?;
    let (closed, open) = (kind == Kind::Closed, kind == Kind::Open);
    if arena.rectangle().is_some() && arena.len() > MAX_SQUARES {
        return Err(usage(format!("{}: take a board of at most {MAX_SQUARES}", arena.extent())));
    }
    if arena.rectangle().is_none() && arena.len() > MAX_VERTICES {
        return Err(usage(format!(
            "{}, where other boards than plain ones have at most {MAX_VERTICES}: take a smaller board",
            arena.extent()
        )));
    }
    if arena.rectangle().is_none() && rule != Rule::Auto {
        return Err(usage(format!(
            "rule=\"{rule}\" walks on a board of one leaper whose edges are not joined: drop it"
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
