//! Estimates of `ktour estimate` for the engines: of a sweep, by its order or a dry run, and of a search.

use std::path::Path;

use super::estimated::EstimateReport;
use super::failure::CliError;
use super::remedies::{MemoryAdvice, Resources, estimate_residue_sweep, estimate_shared_sweep};
use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::{Request, WorkPlan};
use ktour::memory;
use ktour::words::YEAR_SECONDS;

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
