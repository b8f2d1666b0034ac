//! `ktour.estimate`: estimates time, memory and disk of a count before it starts.

use std::time::Duration;

use ktour::Control;
use ktour::count::engine_cost::choose_engine;
use ktour::count::{CountError, Engine, JobEstimate, Request, ValidatedRequest, WorkPlan};
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tree_size_estimate;
use ktour::search::unit_runner::Stopped;
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::arguments;
use super::job_runner::JobRunner;
use crate::board::Board;
use crate::errors;

/// Time limit of a dry run, in seconds.
const MAX_DRY_RUN_SECONDS: f64 = 8.0;

/// Estimate of a search by random walks: numbers of nodes and of tours, each with its standard
/// error, and time in seconds.
struct SearchEstimate {
    nodes: (f64, f64),
    tours: (f64, f64),
    seconds: Option<f64>,
}

fn estimate_search(
    request: &Request,
    kind: Kind,
    (probes, seed): (u32, u64),
    control: &Control,
) -> Result<Option<SearchEstimate>, CountError> {
    let library_board = &request.board;
    if library_board.len() > MAX_SQUARES || library_board.len() == 1 {
        return Ok(None);
    }
    let problem = Problem::new(&request.tours(kind)?)?;
    let plan = MultipathPlan::new_under(problem, None, control)?.ok_or(Stopped)?;
    let estimate = tree_size_estimate::estimate_tree_under(&plan, probes, seed, control).ok_or(Stopped)?;
    let threads = rayon::current_num_threads() as f64;
    let speed =
        tree_size_estimate::measure_speed_under(&plan, &estimate, Duration::from_millis(300), control);
    let seconds = speed.map(|speed| estimate.nodes.0 / speed / threads);
    Ok(Some(SearchEstimate { nodes: estimate.nodes, tours: estimate.tours, seconds }))
}

fn estimate_sweep(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Result<Option<JobEstimate>, CountError> {
    let forecast = WorkPlan::new_with_control(request, control).and_then(|work_plan| {
        let work_plan = work_plan.with_memory(memory).with_dry_run_seconds(MAX_DRY_RUN_SECONDS);
        work_plan.estimate(&work_plan.schedule(), control)
    });
    match forecast {
        Err(error) if error.is_resource_limit() => Ok(None),
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
    #[pyo3(from_py_with = arguments::parse_kind_word)] kind: &'static str,
    start: Option<&Bound<'py, PyAny>>,
    end: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_probes)] probes: u32,
    #[pyo3(from_py_with = arguments::parse_seed)] seed: u64,
    #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let py = board.py();
    let board = Board::from_any(board)?;
    let own = board.get();
    let (kind, memory) = (arguments::kind_of_word(kind), arguments::parse_memory(memory)?);
    let request = Request {
        kind: Some(kind),
        start: own.parse_end(start, "start=")?,
        end: own.parse_end(end, "end=")?,
        engine: Engine::Frontier,
        ..Request::new(own.inner.clone())
    };
    let runner =
        JobRunner::new(threads, progress, &format!("estimate of {} {}", own.inner.title(), kind.name()))?;
    let (search, sweep, engine) = runner
        .run_abandonable(py, move |control| {
            match ValidatedRequest::new(&request) {
                Err(error) if !error.is_resource_limit() => return Err(error),
                _ => {}
            }
            let search = estimate_search(&request, kind, (probes, seed), control)?;
            Ok((search, estimate_sweep(&request, memory, control)?, choose_engine(&request)))
        })?
        .map_err(errors::from_count_error)?;
    let result = PyDict::new(py);
    result.set_item("board", own.inner.title())?;
    result.set_item("kind", kind.name())?;
    if let Some(SearchEstimate { nodes, tours, seconds }) = search {
        let fields = PyDict::new(py);
        fields.set_item("nodes", nodes.0)?;
        fields.set_item("nodes_error", nodes.1)?;
        fields.set_item("tours", tours.0)?;
        fields.set_item("tours_error", tours.1)?;
        fields.set_item("seconds", seconds)?;
        result.set_item("search", fields)?;
    } else {
        result.set_item("search", py.None())?;
    }
    if let Some(forecast) = sweep {
        let words = PyDict::new(py);
        words.set_item("seconds", forecast.seconds)?;
        words.set_item("memory_bytes", Some(forecast.unspilled_bytes).filter(|&bytes| bytes != u64::MAX))?;
        words.set_item("disk_bytes", forecast.disk_bytes)?;
        words.set_item("exact", !forecast.is_rough)?;
        result.set_item("sweep", words)?;
    } else {
        result.set_item("sweep", py.None())?;
    }
    result.set_item("cheaper", engine.name())?;
    Ok(result)
}
