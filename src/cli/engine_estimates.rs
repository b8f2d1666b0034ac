//! Estimates of `ktour estimate` for the engines: of a sweep, by its order or a dry run, and of a search.
//!
//! Estimate of a search by random walks down its tree (Knuth 1975), for `ktour estimate`.

use std::path::Path;
use std::time::{Duration, Instant};

use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::engine_cost::search_seconds;
use ktour::count::{Engine, JobEstimate, Request, WorkPlan, count};
use ktour::memory;
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tree_size_estimate;
use ktour::text_format::YEAR_SECONDS;
use ktour::tour::Kind;
use serde_json::json;

use super::error::CliError;
use super::estimate_report::EstimateReport;
use super::format_units::{format_bytes, format_seconds, format_threads};
use super::memory_advice::{MemoryAdvice, Resources, estimate_residue_sweep, estimate_shared_sweep};

/// Longest dry run in seconds, unless the user allows any time.
const DRY_RUN_SECONDS: f64 = 4.0;

/// Memory and disk that a sweep may use, and the time of its dry run.
#[derive(Clone, Copy)]
pub struct SweepLimits<'a> {
    /// Bytes of memory of `--memory`, if given.
    pub memory: Option<u64>,
    /// Folder of `--spill`, if given.
    pub spill: Option<&'a Path>,
    /// Whether the dry run may take any time.
    pub allows_long_dry_run: bool,
}

/// Returns the estimated seconds of a sweep and adds its lines to the report, with advice if it does not fit.
/// `None` if no sweep is possible.
pub fn estimate_sweep(
    request: &Request,
    limits: SweepLimits<'_>,
    report: &mut EstimateReport,
) -> Result<Option<f64>, CliError> {
    let dry_run_seconds = if limits.allows_long_dry_run { f64::INFINITY } else { DRY_RUN_SECONDS };
    let forecast = WorkPlan::new(request).and_then(|work| {
        let work = work.with_memory(limits.memory).with_dry_run_seconds(dry_run_seconds);
        work.estimate(&work.schedule(), &Control::new())
    });
    let forecast = match forecast {
        Ok(forecast) => forecast,
        Err(error) if error.is_resource_limit() => {
            report.add_line("sweep", &format!("impossible: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    report.add_sweeps(&forecast);
    let folder = limits.spill.map_or_else(std::env::temp_dir, Path::to_owned);
    let free = SpillDir::free_bytes_at(&folder).ok();
    if limits.spill.is_some() || forecast.disk_bytes > 0 {
        report.add_free_space(&folder, free);
    }
    let is_hopeless = forecast.seconds.is_some_and(|seconds| seconds > YEAR_SECONDS);
    if forecast.check_fits(Some(free)).is_err() && !forecast.cannot_spill() && !is_hopeless {
        let ceiling = forecast.memory_limit.unwrap_or(u64::MAX);
        let residue = estimate_residue_sweep(request, limits.memory, &forecast, &Control::new());
        let resources =
            Resources { memory_limit: ceiling, max_memory: memory::default_limit_bytes(), free_disk: free };
        let shared = estimate_shared_sweep(request, limits.memory, &Control::new());
        let remedies = MemoryAdvice {
            estimate: &forecast,
            residue_sweep: residue,
            shared_sweep: shared,
            can_shard: true,
        };
        report.add_line("  advice", &remedies.describe(&resources));
    }
    Ok(forecast.seconds)
}

/// Seconds to start and end the process.
pub const PROCESS_SECONDS: f64 = 0.005;

/// Core seconds, about a year on one core, above which a search is not estimated precisely.
const MAX_SEARCH_CORE_SECONDS: f64 = 3e7;

/// Returns the estimated seconds of a search and adds its lines to the report. `None` if the board is too
/// large for a search.
pub fn estimate_search(
    request: &Request,
    kind: Kind,
    (probes, seed): (Option<u32>, u64),
    report: &mut EstimateReport,
) -> Result<Option<f64>, CliError> {
    let Request { board, start, end, split_depth, .. } = request;
    if board.len() > MAX_SQUARES {
        report.add_line("search", &format!("impossible: the board has more than {MAX_SQUARES} squares"));
        return Ok(None);
    }
    if board.len() < 2 {
        // No search is needed.
        let answer = count(request, &Control::new())?;
        let tours = answer.counts.get(kind).map_or_else(String::new, ToString::to_string);
        let (rectangle, square) = match (board.layout().is_some(), board.len()) {
            (true, _) => ("board", "one square"),
            (false, 0) => ("graph", "no vertex"),
            (false, _) => ("graph", "one vertex"),
        };
        report.add_line("search", &format!("not needed: a {rectangle} with {square}"));
        report.add_line("  tours", &tours);
        report.add_field("search", json!({ "tours": tours.parse().unwrap_or(0.0), "seconds": 0.0 }));
        return Ok(Some(0.0));
    }
    let is_hopeless = search_seconds(request).is_some_and(|seconds| seconds > MAX_SEARCH_CORE_SECONDS);
    let start_time = Instant::now();
    // A count prepares its work before the search. This does the same and measures the time, as for hundreds
    // of thousands of units it takes many seconds.
    if !is_hopeless {
        let work = WorkPlan::new(&Request { engine: Engine::Multipath, ..request.clone() })?;
        work.rough_estimate(&work.schedule(), &Control::new())?;
        drop((work.unit_node_estimates(&Control::new()), work));
    }
    let before = start_time.elapsed().as_secs_f64();
    let plan = MultipathPlan::new(Problem::new(board, kind, *start, *end)?, *split_depth)?;
    let probes = probes.unwrap_or(if is_hopeless { 4 } else { 32 });
    let estimate = tree_size_estimate::estimate_tree(&plan, probes, seed);
    let threads_used = rayon::current_num_threads();
    report.add_line("search", &format!("{} units (split depth {})", plan.units().len(), plan.split_depth()));
    report.add_line("  probes", &estimate.walks.to_string());
    report.add_line(
        "  nodes",
        &format!("{} visited by a list; a count skips repeated ones", with_error(estimate.nodes)),
    );
    report.add_line("  tours", &with_error(estimate.tours));
    let mut seconds = 0.0;
    if let Some(speed) = tree_size_estimate::measure_speed(&plan, &estimate, Duration::from_millis(300)) {
        // Units are dealt to shards in turn.
        seconds = PROCESS_SECONDS
            + before
            + estimate.nodes.0 / speed / threads_used as f64 / f64::from(request.shards);
        report
            .add_line("  speed", &format!("{speed:.3e} nodes/s per core in a count, skipped nodes included"));
        let of = if request.shards > 1 { ", for one shard" } else { "" };
        report.add_line(
            "  time",
            &format!("{} on {}{of}", format_seconds(seconds), format_threads(threads_used)),
        );
    }
    report.add_field(
        "search",
        json!({ "nodes": estimate.nodes.0, "nodes_error": estimate.nodes.1, "tours": estimate.tours.0,
            "tours_error": estimate.tours.1, "seconds": seconds }),
    );
    Ok(Some(seconds))
}

/// Adds the estimate of a search by path extension to the report.
pub fn estimate_path_extension(request: &Request, report: &mut EstimateReport) -> Result<(), CliError> {
    let work = WorkPlan::new(&Request { engine: Engine::Backtrack, ..request.clone() })?;
    let JobEstimate { seconds, memory_bytes: memory, .. } =
        work.rough_estimate(&work.schedule(), &Control::new())?;
    let seconds = seconds.map(|seconds| seconds / f64::from(request.shards));
    let (duration, all) =
        (format_seconds(seconds.unwrap_or(f64::INFINITY)), format_threads(rayon::current_num_threads()));
    report.add_line("search", &format!("{} units, by path extension", work.unit_count()));
    report.add_line("  memory", &format_bytes(memory));
    report.add_line("  time", &format!("{duration} on {all}, within a factor of a few"));
    report.add_field(
        "search",
        json!({ "units": work.unit_count(), "memory_bytes": memory, "seconds": seconds }),
    );
    Ok(())
}

fn with_error((value, error): (f64, f64)) -> String {
    if value < 1e6 { format!("{value:.0} +- {error:.0}") } else { format!("{value:.3e} +- {error:.1e}") }
}
