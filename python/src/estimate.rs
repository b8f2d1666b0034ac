//! `ktour.estimate`: estimates time, memory and disk of a count before it starts.

use ktour::Control;
use ktour::batch::SpillDir;
use ktour::budget::DiskBudget;
use ktour::count::engine_cost::choose_engine;
use ktour::count::{CountError, Engine, JobEstimate, Request, SearchEstimate, ValidatedRequest, WorkPlan};
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::tour::{Kind, TourSpec};
use pyo3::prelude::*;

use super::arguments::{Memory, Named, Probes, Seed, Threads};
use super::job_runner::JobRunner;
use crate::board::BoardBase;
use crate::errors::JobError;

/// Time limit of a dry run, in seconds.
const MAX_DRY_RUN_SECONDS: f64 = 8.0;

/// Numbers of nodes and of tours of a search, each with its standard error, an interval for the number of tours, and
/// time in seconds.
type SearchRow = (f64, f64, f64, f64, f64, f64, Option<f64>);

fn estimate_search(
    request: &Request,
    kind: Kind,
    probes: (u32, u64),
    control: &Control,
) -> Result<Option<SearchRow>, CountError> {
    let squares = request.board().len();
    if squares > MAX_SQUARES || squares == 1 {
        return Ok(None);
    }
    let search = SearchEstimate::new(request, kind, probes, control)?;
    let (nodes, tours, (low, high)) = (search.tree.nodes, search.tree.tours, search.tree.tour_interval());
    Ok(Some((nodes.0, nodes.1, tours.0, tours.1, low, high, search.seconds())))
}

fn estimate_sweep(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Result<Option<JobEstimate>, CountError> {
    let forecast = WorkPlan::new_under(request, control).and_then(|work_plan| {
        let work_plan = work_plan.with_memory(memory).with_dry_run_seconds(MAX_DRY_RUN_SECONDS);
        work_plan.estimate(&work_plan.schedule(), control)
    });
    match forecast {
        Err(error) if error.is_resource_limit() => Ok(None),
        forecast => forecast.map(Some),
    }
}

/// Seconds of a sweep, its bytes of memory, of memory with everything else on disk, and of disk, whether a dry run
/// computed them, and whether the sweep fits.
type SweepRow = (Option<f64>, Option<u64>, Option<u64>, Option<u64>, bool, bool);

/// Estimates the search and the sweep of a count, and names the engine that a count would use, if one can.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn estimate(
    board: &Bound<'_, BoardBase>,
    kind: Named<Kind>,
    start: Option<u32>,
    end: Option<u32>,
    memory: Option<Memory>,
    probes: Probes,
    seed: Seed,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<SearchRow>, Option<SweepRow>, Option<&'static str>)> {
    let (kind, memory) = (kind.0, memory.map(|memory| memory.0));
    let tours = TourSpec::new(board.get().inner.clone(), kind, start, end).map_err(JobError::from)?;
    let request = Request { engine: Engine::Frontier, ..Request::from(tours) };
    let runner = JobRunner::new(threads, progress)?;
    let (search, sweep, engine) = runner
        .run_abandonable(board.py(), move |control| {
            match ValidatedRequest::new(&request, control) {
                Err(error) if !error.is_resource_limit() => return Err(error),
                _ => {}
            }
            let search = estimate_search(&request, kind, (probes.0, seed.0), control)?;
            Ok((search, estimate_sweep(&request, memory, control)?, choose_engine(&request, control)?))
        })?
        .map_err(JobError::from)?;
    let sweep = sweep.map(|mut forecast| {
        let is_known = forecast.unspilled_bytes != u64::MAX;
        let bytes = |bytes: u64| is_known.then_some(bytes);
        let disk = memory.map_or(DiskBudget::Absent, |_| {
            DiskBudget::from_free(SpillDir::free_bytes_at(&std::env::temp_dir()).ok())
        });
        // A sweep of more than a year may fit.
        let seconds = forecast.seconds.take();
        (
            seconds,
            bytes(forecast.unspilled_bytes),
            bytes(forecast.min_memory_bytes),
            bytes(forecast.disk_bytes),
            !forecast.is_rough,
            forecast.check(disk).is_ok(),
        )
    });
    let engine = (search.is_some() || sweep.is_some()).then(|| engine.name());
    Ok((search, sweep, engine))
}
