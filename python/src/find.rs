//! `ktour.find`: one tour, at once, on boards of any size.

use ktour::board::Square;
use ktour::heuristic::{FindRequest, Goal, MAX_SQUARES, Outcome, Rule, Want, find_in, find_under};
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
///
/// Raises NoTour if there is none (and says why), GaveUp if none was found, UsageError for what cannot be asked.
#[pyfunction]
#[pyo3(signature = (board, kind = "paths", *, start = None, end = None, seed = 0, rule = "auto", attempts = 1000, threads = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn find(
    board: &Bound<'_, PyAny>,
    kind: &str,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
    seed: u64,
    rule: &str,
    attempts: u64,
    threads: Option<usize>,
) -> PyResult<Tour> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let (own, kind) = (board.get(), asked::kind(kind)?);
    let arena = &own.arena;
    let (start, end) = (own.end(start, "start=")?, own.end(end, "end=")?);
    let rule: Rule = rule.parse().map_err(usage)?;
    let how = How::new(threads, None, "")?;
    let (closed, open) = (kind == Kind::Closed, kind == Kind::Open);
    let outcome = if let Some(rectangle) = arena.rectangle() {
        let on = rectangle.board();
        if on.len() > MAX_SQUARES {
            return Err(usage(format!("{}: take a board of at most {MAX_SQUARES}", arena.extent())));
        }
        let square = |v: Option<u32>| -> Option<Square> { v.map(|v| on.square(v)) };
        let goal = Goal { closed, open, start: square(start), end: square(end) };
        let leaper = rectangle.leaper();
        let request = FindRequest { leaper, goal, rule, seed, attempts, ..FindRequest::new(on.clone()) };
        how.attend(py, |control| find_under(&request, control))?
    } else {
        if arena.len() > MAX_VERTICES {
            return Err(usage(format!(
                "{}, where other boards than plain ones have at most {MAX_VERTICES}: take a smaller board",
                arena.extent()
            )));
        }
        if rule != Rule::Auto {
            return Err(usage(format!(
                "rule=\"{rule}\" walks on a board of one leaper whose edges are not joined: drop it"
            )));
        }
        let vertex = |v: Option<u32>| v.map(|v| v as usize);
        let want = Want { closed, apart: open, start: vertex(start), end: vertex(end) };
        how.attend(py, |control| find_in(arena, want, seed, attempts, control))?
    };
    match outcome {
        Outcome::Found { tour, .. } => {
            let kind = tour.kind();
            Ok(Tour::found(board.clone().unbind(), tour.into_vertices(), kind))
        }
        Outcome::Stopped => Err(stopped()),
        outcome => Err(not_found(&outcome, rule == Rule::Auto)),
    }
}
