//! `ktour.series`: the numbers of a family of boards.

use ktour::control::Control;
use ktour::count::{CountError, Counts, Request, count_within};
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attend::How;
use crate::count::told;
use crate::errors::{self, usage};
use crate::{asked, board};

/// The numbers of all boards, in their order.
pub fn rows(
    boards: &Boards,
    play: &Play,
    kind: Option<Kind>,
    memory: Option<u64>,
    control: &Control,
) -> Result<Vec<(String, Counts)>, CountError> {
    let mut rows = Vec::new();
    for line in &boards.lines() {
        if line.is_one_sweep(play) {
            sweep(line, play, kind, memory, control, &mut rows)?;
            continue;
        }
        for board in line.boards() {
            let request = Request { kind, ..Request::new(play.on(board.clone())) };
            rows.push((board.to_string(), count_within(&request, memory, control)?.counts));
        }
    }
    Ok(rows)
}

fn sweep(
    line: &Line,
    play: &Play,
    kind: Option<Kind>,
    memory: Option<u64>,
    control: &Control,
    rows: &mut Vec<(String, Counts)>,
) -> Result<(), CountError> {
    let planned = line.plan(play, kind, memory, control)?;
    planned.sweep(control, &mut |row| rows.push((row.board.to_string(), row.counts)))
}

/// A range of boards, and what they have in common.
pub fn family(
    boards: &str,
    piece: Option<&str>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&str>,
) -> PyResult<(Boards, Play)> {
    let boards: Boards = boards.parse().map_err(usage)?;
    Ok((boards, Play { piece: board::piece(piece, leaper)?, wrap: board::wrap(wrap)? }))
}

/// The numbers of a family of boards: a dict from "5x2", "5x3", ... to numbers, undirected.
///
/// boards: "5x2..60", "2..60x5", "5..7x5..7", or "1..8" for squares; where boards begin each other, as 5x2 begins 5x3,
/// one sweep counts them all. kind, memory, threads, progress: as for count; without a kind values are Counts.
/// piece, leaper, wrap: as for Board.
///
/// Raises what count raises.
#[pyfunction]
#[pyo3(signature = (boards, kind = None, *, piece = None, leaper = None, wrap = None, memory = None, threads = None, progress = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn series<'py>(
    py: Python<'py>,
    boards: &str,
    kind: Option<&str>,
    piece: Option<&str>,
    leaper: Option<&Bound<'py, PyAny>>,
    wrap: Option<&str>,
    memory: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (family, play) = family(boards, piece, leaper, wrap)?;
    let (kind, memory) = (kind.map(asked::kind).transpose()?, asked::memory(memory)?);
    let how = How::new(threads, progress, boards)?;
    let rows = how.attend(py, |control| rows(&family, &play, kind, memory, control))?;
    let numbers = PyDict::new(py);
    for (board, counts) in rows.map_err(errors::count)? {
        numbers.set_item(board, told(py, kind, &counts)?)?;
    }
    Ok(numbers)
}
