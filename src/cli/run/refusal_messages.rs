//! The decision of the admission check, and the messages of a refusal with remedies.

use std::path::{Path, PathBuf};

use crate::cli::args::quantities::{format_size, round_up_size};
use crate::cli::error::CliError;
use crate::cli::format_units::{format_bytes, format_seconds, format_threads};
use crate::cli::memory_advice::{MemoryAdvice, Resources, estimate_residue_sweep, estimate_shared_sweep};
use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::{CountError, Engine, JobEstimate, Request, WorkPlan};
use ktour::memory;
use ktour::text_format::YEAR_SECONDS;

use super::context::RunContext;

/// Hint how to start a refused run.
pub const FORCE_HINT: &str = "--force starts anyway";

/// A run that the admission check refuses, with the estimate that shows why.
pub struct Refusal {
    context: RunContext,
    estimate: JobEstimate,
}

impl Refusal {
    /// Returns the refusal of a run, or `None` if it is admitted. Uses the rough estimate first and then the
    /// dry run.
    pub fn find(ready: RunContext, control: &Control) -> Result<Option<Self>, CountError> {
        let units = ready.work.schedule();
        let rough = ready.rough_estimate(&units, control)?;
        let is_hopeless = !is_admissible(&ready, &rough) && is_surely_refused(&ready, &rough);
        let forecast = match ready.work.is_sequential() {
            true if !is_hopeless => ready.estimate(&units, control)?,
            _ => rough,
        };
        Ok((!is_admissible(&ready, &forecast)).then_some(Self { context: ready, estimate: forecast }))
    }

    /// Returns the refusal as an error with remedies.
    pub fn to_error(&self, control: &Control) -> Option<CliError> {
        let Self { context: ready, estimate: forecast } = self;
        let engine = ready.work.validated_request().request().engine;
        check_admission(&ready.title(), ready, engine, forecast, control).err()
    }
}

/// Returns the estimated seconds if they exceed a year.
fn overlong_seconds(forecast: &JobEstimate) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds > YEAR_SECONDS)
}

/// Refuses a run that would take more than a year.
pub fn refuse_overlong(name: &str, engine: Engine, forecast: &JobEstimate) -> Result<(), CliError> {
    let Some(seconds) = overlong_seconds(forecast) else { return Ok(()) };
    let needed = if forecast.unspilled_bytes > 0 {
        match forecast.unspilled_bytes {
            u64::MAX => " and more memory than any machine has".to_owned(),
            needed => format!(" and {} of memory", format_bytes(needed)),
        }
    } else {
        String::new()
    };
    let (engine, threads) = (engine.name(), format_threads(rayon::current_num_threads()));
    Err(CliError::failed(format!(
        "{name} would take about {} on {threads}{needed} by {engine}; use a smaller BOARD; {FORCE_HINT}",
        format_seconds(seconds)
    )))
}

/// Replaces the refusal of a search by the advice to sweep, if the engine was chosen automatically and a
/// sweep would be faster. If the sweep does not fit either, returns its refusal.
pub fn suggest_sweep(
    name: &str,
    ready: &RunContext,
    search: &JobEstimate,
    failure: CliError,
    control: &Control,
) -> CliError {
    if ready.request.engine != Engine::Auto || ready.work.is_sequential() {
        return failure;
    }
    let sweep = WorkPlan::new(&Request { engine: Engine::Frontier, ..ready.request.clone() });
    let sweep = sweep.and_then(|work| {
        let work = work.with_memory(ready.run_options.memory_limit());
        work.rough_estimate(&work.schedule(), control)
    });
    let (Ok(sweep), Some(years)) = (sweep, search.seconds) else { return failure };
    let Some(seconds) = sweep.seconds.filter(|&seconds| seconds < years) else { return failure };
    let years = format_seconds(years);
    match check_admission(name, ready, Engine::Frontier, &sweep, control) {
        Err(failure) => {
            let instead = format!(
                "a search would take about {years}; --engine frontier --force starts the sweep anyway"
            );
            CliError::failed(failure.to_string().replace(FORCE_HINT, &instead))
        }
        Ok(()) => CliError::failed(format!(
            "{name} would take about {years} by a search, and {} by a sweep; add --engine frontier",
            format_seconds(seconds)
        )),
    }
}

/// Returns true if the run takes at most a year and fits into memory and disk.
pub fn is_admissible(ready: &RunContext, forecast: &JobEstimate) -> bool {
    overlong_seconds(forecast).is_none() && forecast.check_fits(free_spill_space(ready)).is_ok()
}

/// Returns true if a dry run cannot admit a sweep that its rough estimate refuses. If only the least memory
/// of the sweep is lacking, a dry run is made all the same: it estimates that value much better.
pub fn is_surely_refused(ready: &RunContext, rough: &JobEstimate) -> bool {
    let rough = rough.lower_bound();
    if overlong_seconds(&rough).is_some() {
        return true;
    }
    match rough.check_fits(free_spill_space(ready)) {
        Ok(()) => false,
        Err(CountError::TooMuchMemory { needed, .. }) if needed == rough.min_memory_bytes => {
            rough.cannot_spill() || !ready.work.is_sequential()
        }
        Err(_) => true,
    }
}

/// Returns the free disk space for spilling in bytes: `None` without a spill folder, `Some(None)` if unknown.
fn free_spill_space(ready: &RunContext) -> Option<Option<u64>> {
    ready.spill_folder.as_ref().map(|folder| folder.free_bytes().ok())
}

/// Refuses a run that does not fit or would take more than a year, with remedies. Plans further sweeps, one
/// for a residue and one for shards, to estimate what these remedies take.
pub fn check_admission(
    name: &str,
    ready: &RunContext,
    engine: Engine,
    forecast: &JobEstimate,
    control: &Control,
) -> Result<(), CliError> {
    refuse_overlong(name, engine, forecast)?;
    let Err(lack) = forecast.check_fits(free_spill_space(ready)) else { return Ok(()) };
    let ceiling = forecast.memory_limit.unwrap_or(u64::MAX);
    let (place, free) = spill_location(ready);
    let is_plain = ready.output.symmetry.is_none();
    let residue = || {
        estimate_residue_sweep(&ready.request, ready.run_options.memory_limit(), forecast, control)
            .filter(|_| is_plain)
    };
    let remedies = |free| {
        let can_cut = ready.request.shards == 1 && ready.state.snapshot().is_none();
        let here =
            Resources { memory_limit: ceiling, max_memory: memory::default_limit_bytes(), free_disk: free };
        let shared = estimate_shared_sweep(&ready.request, ready.run_options.memory_limit(), control)
            .filter(|_| is_plain);
        MemoryAdvice {
            estimate: forecast,
            residue_sweep: residue(),
            shared_sweep: shared,
            can_shard: can_cut,
        }
        .describe(&here)
    };
    let limit = format_bytes(ceiling);
    let about = if forecast.is_shard { "up to" } else { "about" };
    Err(CliError::failed(match lack {
        CountError::TooMuchMemory { needed, .. } if forecast.cannot_spill() => format!(
            "{name} needs about {} of memory, {limit} may be used, and its frontier is too wide to spill to disk; {}use a \
             smaller BOARD; {FORCE_HINT}",
            format_bytes(needed),
            match memory::default_limit_bytes() {
                Some(most) if round_up_size(needed) > most => String::new(),
                _ => format!("raise --memory to {}, or ", format_size(needed)),
            }
        ),
        CountError::TooMuchMemory { needed, .. } if forecast.sweeps.is_empty() => format!(
            "{name} needs about {} of memory by {}, {limit} may be used; raise --memory to {}; {FORCE_HINT}",
            format_bytes(needed),
            engine.name(),
            format_size(needed)
        ),
        CountError::TooMuchMemory { needed, .. } if needed == forecast.min_memory_bytes => format!(
            "{name} needs about {} of memory{}, even with all layers on disk, {limit} may be used; {}; {FORCE_HINT}",
            format_bytes(needed),
            if forecast.is_rough { "" } else { " at least" },
            remedies(free)
        ),
        CountError::TooMuchMemory { needed, .. } if free.is_none_or(|free| forecast.disk_bytes <= free) => {
            format!(
                "{name} needs {about} {} of memory, {limit} may be used; add --checkpoint FILE, or --memory {} --spill DIR, \
             which needs {about} {} of disk, or {}; {FORCE_HINT}",
                format_bytes(needed),
                format_size_option(ceiling),
                format_bytes(forecast.disk_bytes),
                remedies(free)
            )
        }
        CountError::TooMuchMemory { needed, .. } => format!(
            "{name} needs {about} {} of memory without spilling, {limit} may be used, or {} of disk, {place} has {} free; \
             {}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(forecast.disk_bytes),
            format_bytes(free.unwrap_or(0)),
            remedies(free)
        ),
        CountError::TooMuchDisk { needed, available: room } => format!(
            "{name} needs {about} {} of disk with {limit} of memory, {place} has {} free; {}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(room),
            remedies(Some(room))
        ),
        error => return Err(error.into()),
    }))
}

/// Returns the folder into which a sweep spills, or could spill, and its free bytes.
fn spill_location(ready: &RunContext) -> (String, Option<u64>) {
    let place = match (&ready.checkpoint_file, &ready.run_options.spill) {
        (Some(file), _) => file.path().parent().map_or_else(PathBuf::new, Path::to_owned),
        (None, Some(dir)) => dir.clone(),
        (None, None) if ready.spill_folder.is_some() => std::env::temp_dir(),
        (None, None) => PathBuf::new(),
    };
    let place = if place.as_os_str().is_empty() { PathBuf::from(".") } else { place };
    let name = if place == Path::new(".") { "this folder".to_owned() } else { place.display().to_string() };
    (name, SpillDir::free_bytes_at(&place).ok())
}

/// Returns a size rounded down to the unit in which options take it.
fn format_size_option(bytes: u64) -> String {
    if bytes >> 30 > 0 { format!("{}G", bytes >> 30) } else { format!("{}M", (bytes >> 20).max(1)) }
}

#[cfg(test)]
mod tests {
    use super::super::prepare::prepare_run;
    use super::super::test_support::{admission_error, sweep_request};
    use super::*;

    #[test]
    fn refusal_agrees_with_admit() {
        let spill = tempfile::tempdir().unwrap();
        let spilled = ["--memory", "8M", "--spill", spill.path().to_str().unwrap()];
        for (board, options) in [("6x6", &["--memory", "1G"][..]), ("12x12", &[]), ("10x10", &spilled)] {
            let control = Control::new();
            let told = Refusal::find(prepare_run(sweep_request(board, options)).unwrap(), &control).unwrap();
            let told = told.map(|told| told.to_error(&control).unwrap().to_string());
            assert_eq!(told, admission_error(board, options).err());
        }
    }
}
