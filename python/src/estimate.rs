//! `ktour.estimate`: time, memory and disk of a count, before it starts.

use std::time::Duration;

use ktour::Control;
use ktour::count::cost::choose;
use ktour::count::{CountError, Engine, Forecast, Question, Request, Work};
use ktour::search::probe;
use ktour::search::problem::Problem;
use ktour::search::split::Plan;
use ktour::search::width::MAX_SQUARES;
use ktour::search::workers::Stopped;
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::asked;
use crate::attend::How;
use crate::board::Board;
use crate::errors;

/// Time limit of a dry run, in seconds.
const PATIENCE: f64 = 8.0;

/// Estimate of a search by random probes: nodes and tours, each with its standard error, and seconds.
struct Search {
    nodes: (f64, f64),
    tours: (f64, f64),
    seconds: Option<f64>,
}

fn search(
    request: &Request,
    kind: Kind,
    (probes, seed): (u32, u64),
    control: &Control,
) -> Result<Option<Search>, CountError> {
    let Request { arena, start, end, .. } = request;
    if arena.len() > MAX_SQUARES || arena.len() == 1 {
        return Ok(None);
    }
    let plan = Plan::under(Problem::new(arena, kind, *start, *end)?, None, control)?.ok_or(Stopped)?;
    let found = probe::estimate_under(&plan, probes, seed, control).ok_or(Stopped)?;
    let threads = rayon::current_num_threads() as f64;
    let speed = probe::speed_under(&plan, &found, Duration::from_millis(300), control);
    let seconds = speed.map(|speed| found.nodes.0 / speed / threads);
    Ok(Some(Search { nodes: found.nodes, tours: found.tours, seconds }))
}

fn sweep(request: &Request, memory: Option<u64>, control: &Control) -> Result<Option<Forecast>, CountError> {
    let forecast = Work::under(request, control).and_then(|work| {
        let work = work.with_memory(memory).with_patience(PATIENCE);
        work.forecast(&work.schedule(), control)
    });
    match forecast {
        Err(error) if error.is_out_of_reach() => Ok(None),
        forecast => forecast.map(Some),
    }
}

/// Estimates time, memory and disk of a count, without running it. Returns a dict:
///
/// - "board", "kind": title of the board, and the kind.
/// - "search": None if the board is too large for a search, else a dict with nodes, nodes_error, tours,
///   tours_error (standard errors) and seconds. The nodes are those of a list of all tours; a count visits
///   fewer.
/// - "sweep": None if a sweep is impossible, else a dict with seconds, memory_bytes (peak of the process;
///   None for more than any machine has), disk_bytes (layers beyond the memory limit) and exact (True if a
///   dry run computed them).
/// - "cheaper": the engine that count chooses.
///
/// Arguments:
///
/// - kind: "paths", "closed" or "open". Default: "paths".
/// - start, end, memory, threads, progress: as for count.
/// - probes: random walks per unit of work, 2 to 1000000. Default: 32.
/// - seed: seed of the walks. Default: 0.
///
/// Usually takes one or two seconds. A dry run stops after 8 seconds. Raises UsageError for invalid
/// arguments.
#[pyfunction]
#[pyo3(signature = (board, kind = "paths", *, start = None, end = None, memory = None, probes = 32, seed = 0, threads = None, progress = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn estimate<'py>(
    board: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = asked::kind_word)] kind: &'static str,
    start: Option<&Bound<'py, PyAny>>,
    end: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::probes)] probes: u32,
    #[pyo3(from_py_with = asked::seed)] seed: u64,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let own = board.get();
    let (kind, memory) = (asked::kind(kind), asked::memory(memory)?);
    let request = Request {
        kind: Some(kind),
        start: own.end(start, "start=")?,
        end: own.end(end, "end=")?,
        engine: Engine::Frontier,
        ..Request::new(own.arena.clone())
    };
    let how = How::new(threads, progress, &format!("estimate of {} {}", own.arena.title(), kind.name()))?;
    let (search, sweep, engine) = how
        .attend_or_leave(py, move |control| {
            match Question::new(&request) {
                Err(error) if !error.is_out_of_reach() => return Err(error),
                _ => {}
            }
            let search = search(&request, kind, (probes, seed), control)?;
            Ok((search, sweep(&request, memory, control)?, choose(&request)))
        })?
        .map_err(errors::count)?;
    let told = PyDict::new(py);
    told.set_item("board", own.arena.title())?;
    told.set_item("kind", kind.name())?;
    if let Some(Search { nodes, tours, seconds }) = search {
        let words = PyDict::new(py);
        words.set_item("nodes", nodes.0)?;
        words.set_item("nodes_error", nodes.1)?;
        words.set_item("tours", tours.0)?;
        words.set_item("tours_error", tours.1)?;
        words.set_item("seconds", seconds)?;
        told.set_item("search", words)?;
    } else {
        told.set_item("search", py.None())?;
    }
    if let Some(forecast) = sweep {
        let words = PyDict::new(py);
        words.set_item("seconds", forecast.seconds)?;
        words.set_item("memory_bytes", Some(forecast.whole_memory).filter(|&bytes| bytes != u64::MAX))?;
        words.set_item("disk_bytes", forecast.disk)?;
        words.set_item("exact", !forecast.is_rough)?;
        told.set_item("sweep", words)?;
    } else {
        told.set_item("sweep", py.None())?;
    }
    told.set_item("cheaper", engine.name())?;
    Ok(told)
}
