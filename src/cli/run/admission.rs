//! Admission checks before a run, an index or symmetric counts begin, by their estimated time,
//! memory and disk.
//!
//! Each check prints its estimate, and refuses work that does not fit or would take more than a
//! year. Sweeps that are held in memory have a simpler check: those for symmetric tours, and one
//! sweep for a whole series.

use std::path::Path;

use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::{CountError, Engine, JobEstimate};
use ktour::index::{IndexEstimate, Shortfall};
use ktour::search::unit_runner::Stopped;
use ktour::text_format::YEAR_SECONDS;

use super::context::{RunContext, shorten_job};
use super::refusal::{
    FORCE_HINT, check_admission, is_admissible, is_surely_refused, refuse_overlong, suggest_sweep,
};
use crate::cli::distinct_counts::{SymmetricEstimate, estimate_symmetric_part};
use crate::cli::error::CliError;
use crate::cli::quantities::{format_bytes, format_seconds, format_threads};
use crate::report::print_notice;

/// Minimum estimated time of a run, in seconds, for its estimate to be printed before it starts.
pub const NOTICE_SECONDS: f64 = 60.0;

/// Minimum estimated time of a run without a checkpoint, in seconds, for a checkpoint to be
/// advised.
const SAVE_ADVICE_SECONDS: f64 = 3600.0;

/// Maximum ratio of two estimated times for which the second estimate is not printed.
const MAX_EQUAL_RATIO: f64 = 1.4;

/// Prints the estimate of a long run, and returns an error if the run does not fit or would take
/// more than a year, unless `--force` is given. Uses the rough estimate first and then a dry run.
/// Prints the job line once the run is admitted. Skips the check for a resumed sweep, which was
/// admitted before, and with MPI.
///
/// # Errors
/// The refusal, or the failure of an estimate. A cancelled estimate is no error: the run itself
/// then stops and reports its progress.
pub fn admit(context: &RunContext, control: &Control) -> Result<(), CliError> {
    let print_job = || {
        if !context.is_job_printed {
            print_notice(format_args!("job {}", shorten_job(&context.job.to_string())));
        }
    };
    if context.run_options.mpi || context.state.snapshot().is_some() {
        print_job();
        return Ok(());
    }
    let mut units = context.work.schedule();
    units.retain(|&unit| context.job.shard.contains(unit as usize) && !context.state.done[unit as usize]);
    // A run that is stopped during its estimate reports its progress itself.
    let stopped = |error: CountError| match error {
        CountError::Stopped(_) => {
            print_job();
            Ok(())
        }
        error => Err(CliError::from(error)),
    };
    let name = context.title();
    let rough_estimate = match context.rough_estimate(&units, control) {
        Err(error) => return stopped(error),
        Ok(rough) => rough,
    };
    let engine = context.work.validated_request().request().engine;
    let mut is_doubtful = false;
    if !context.run_options.force {
        is_doubtful = !is_admissible(context, &rough_estimate);
        if is_doubtful && is_surely_refused(context, &rough_estimate) {
            let refused = check_admission(&name, context, engine, &rough_estimate, control)
                .map_err(|failure| suggest_sweep(&name, context, &rough_estimate, failure, control));
            // The remedies are unknown if their estimates were stopped.
            if control.is_cancelled() {
                return stopped(Stopped.into());
            }
            refused?;
        }
    }
    let printed_seconds = print_rough_estimate(context, &name, &rough_estimate, is_doubtful);
    let mut forecast = if context.work.is_sequential() {
        match context.estimate(&units, control) {
            Err(error) => return stopped(error),
            Ok(forecast) => forecast,
        }
    } else {
        rough_estimate
    };
    // The symmetric part takes time too. Its sweeps are estimated only for a long count: those of a short
    // count are short.
    let mut symmetric_estimate = SymmetricEstimate::default();
    if let Some(what) = context.output.symmetry {
        let with_sweeps = notable_seconds(&forecast).is_some();
        match estimate_symmetric_part(
            what,
            &context.request,
            &context.symmetric_setting,
            with_sweeps,
            control,
        ) {
            Err(error) => return stopped(error),
            Ok(part) => symmetric_estimate = part,
        }
        forecast.seconds = forecast
            .seconds
            .map(|seconds| seconds + symmetric_estimate.seconds - symmetric_estimate.visit_seconds);
    }
    if !context.run_options.force {
        let mut whole = forecast.clone();
        whole.seconds = whole.seconds.map(|seconds| seconds + symmetric_estimate.visit_seconds);
        check_admission(&name, context, engine, &whole, control)?;
    }
    print_job();
    print_final_estimate(context, &name, &forecast, &symmetric_estimate, printed_seconds);
    Ok(())
}

/// Returns the estimated seconds if they are long enough for the estimate to be printed.
fn notable_seconds(forecast: &JobEstimate) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds >= NOTICE_SECONDS)
}

/// Prints the estimate of a run.
fn print_estimate(context: &RunContext, name: &str, forecast: &JobEstimate) {
    let engine = context.work.validated_request().request().engine;
    print_notice(format_args!(
        "{name}: {}",
        format_estimate(engine, forecast, context.checkpoint_file.is_some())
    ));
}

/// Prints the rough estimate of a long run before its dry run, and returns the printed seconds. If
/// the run may still be refused, prints no full estimate, because only the dry run determines the
/// amount that can be spilled.
fn print_rough_estimate(
    context: &RunContext,
    name: &str,
    rough: &JobEstimate,
    is_doubtful: bool,
) -> Option<f64> {
    let seconds = notable_seconds(rough)?;
    if !is_doubtful && rough.disk_bytes == 0 {
        print_estimate(context, name, rough);
        return Some(seconds);
    }
    if context.work.is_sequential()
        && (context.run_options.force || is_admissible(context, &rough.lower_bound()))
    {
        print_notice(format_args!(
            "{name}: roughly {} and {} of memory; a dry run will show if it fits",
            format_seconds(seconds),
            format_bytes(rough.unspilled_bytes)
        ));
    }
    None
}

/// Prints the estimate of an admitted long run, unless its time is close to the seconds that were
/// printed before.
fn print_final_estimate(
    context: &RunContext,
    name: &str,
    forecast: &JobEstimate,
    symmetric_estimate: &SymmetricEstimate,
    printed_seconds: Option<f64>,
) {
    // Without a spill folder the sweep stops at the memory limit. It may stay below if the estimate is rough,
    // or an upper bound for a shard.
    let over = |ceiling: &u64| forecast.unspilled_bytes > *ceiling && context.spill_folder.is_none();
    if let Some(ceiling) = forecast.memory_limit.filter(over) {
        let (needed, ceiling) = (format_bytes(forecast.unspilled_bytes), format_bytes(ceiling));
        print_notice(format_args!(
            "{name}: needs about {needed} of memory by estimate, and will stop at {ceiling}"
        ));
    }
    let is_new = |seconds: f64| {
        printed_seconds.is_none_or(|printed| printed.max(seconds) > printed.min(seconds) * MAX_EQUAL_RATIO)
    };
    if notable_seconds(forecast).is_some_and(is_new) {
        print_estimate(context, name, forecast);
    }
    if symmetric_estimate.visit_seconds >= NOTICE_SECONDS {
        let (time, threads) =
            (format_seconds(symmetric_estimate.visit_seconds), format_threads(rayon::current_num_threads()));
        let tours = symmetric_estimate.visited_tours;
        print_notice(format_args!(
            "{name}: finding symmetry classes examines each of about {tours:.0e} tours, about {time} on {threads}, \
             without checkpoints"
        ));
    }
}

/// Returns the estimate of a run as one line: time, engine, memory, disk, and for a long run the
/// advice to save it.
pub fn format_estimate(engine: Engine, forecast: &JobEstimate, is_saved: bool) -> String {
    let seconds = forecast.seconds.unwrap_or(f64::INFINITY);
    let threads = format_threads(rayon::current_num_threads());
    let most = if forecast.is_shard { "at most " } else { "" };
    let mut line = format!("{most}about {} by {} on {threads}", format_seconds(seconds), engine.name());
    if forecast.memory_bytes > 0 {
        line += &format!(", {} of memory", format_bytes(forecast.memory_bytes));
    }
    let disk =
        if is_saved { forecast.disk_bytes.max(forecast.checkpoint_bytes) } else { forecast.disk_bytes };
    if disk > 0 && !forecast.cannot_spill() {
        line += &format!(", {} of disk", format_bytes(disk));
    }
    if seconds >= SAVE_ADVICE_SECONDS && !is_saved {
        line += "; an interrupt loses all progress: add --checkpoint FILE to save it";
    }
    line
}

/// Prints the estimate of a count of symmetric tours if it is long, or returns the refusal. Such a
/// count has no checkpoint.
pub fn admit_symmetric(name: &str, forecast: &JobEstimate, is_forced: bool) -> Result<(), CliError> {
    let instead = ", or use a smaller BOARD";
    admit_in_memory(name, forecast, is_forced, None, ("", instead), ", without checkpoints")
}

/// Prints the estimate of one sweep for a series of boards if it is long, or returns the refusal.
/// `store` is `None` if the sweep has no checkpoint and so must be held in memory. Otherwise it
/// holds the free disk space in bytes, if known.
pub fn admit_series_sweep(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), CliError> {
    admit_in_memory(
        name,
        forecast,
        is_forced,
        store,
        series_sweep_texts(forecast, store),
        "; each row is printed as soon as it is complete",
    )
}

/// Returns the refusal of a series sweep like [`admit_series_sweep`], but prints nothing.
pub fn check_series_sweep(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), CliError> {
    if is_forced {
        Ok(())
    } else {
        check_in_memory(name, forecast, store, series_sweep_texts(forecast, store))
    }
}

/// Returns two texts for the refusal of a series sweep: how the series is swept, and an alternative
/// if spilling to disk would help.
fn series_sweep_texts(forecast: &JobEstimate, store: Option<Option<u64>>) -> (&'static str, &'static str) {
    let is_helped = forecast.memory_limit.is_some_and(|ceiling| forecast.min_memory_bytes < ceiling);
    let instead = match store {
        _ if !is_helped => "",
        None => {
            ", add --checkpoint FILE to spill to disk, or count board by board with --engine frontier --spill DIR"
        }
        Some(_) => ", or count board by board with --engine frontier --spill DIR",
    };
    (" in one sweep", instead)
}

/// Prints the estimate of a sweep in memory if it is long, and returns an error if it does not fit.
/// `how` holds the two texts of [`check_in_memory`], and `more` ends the estimate.
fn admit_in_memory(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
    how: (&str, &str),
    more: &str,
) -> Result<(), CliError> {
    if !is_forced {
        check_in_memory(name, forecast, store, how)?;
    }
    if forecast.seconds.is_some_and(|seconds| seconds >= NOTICE_SECONDS) {
        print_notice(format_args!("{name}: {}{more}", format_estimate(Engine::Frontier, forecast, true)));
    }
    Ok(())
}

/// Returns an error if a sweep in memory does not fit, or would take more than a year. The two
/// texts describe how the sweep is made, and an alternative.
fn check_in_memory(
    name: &str,
    forecast: &JobEstimate,
    store: Option<Option<u64>>,
    (how, instead): (&str, &str),
) -> Result<(), CliError> {
    refuse_overlong(name, Engine::Frontier, forecast)?;
    match forecast.check_fits(store) {
        Err(CountError::TooMuchMemory { needed, ceiling }) => Err(CliError::failed(format!(
            "{name} needs about {} of memory{how}, but only {} may be used; raise --memory{instead}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(ceiling)
        ))),
        fits => Ok(fits?),
    }
}

/// The purpose and the limits of an index of tours, for its admission check.
pub struct IndexAdmission<'a> {
    /// Title of the tours that the index numbers.
    pub name: String,
    /// Memory limit in bytes.
    pub memory_limit: Option<u64>,
    /// Folder of the index, and its free bytes if known. `None` for an index in memory.
    pub folder: Option<(&'a Path, Option<u64>)>,
    /// True if exact statistics will be computed from the index.
    pub needs_statistics: bool,
    /// True if the index is built even if it does not fit (`--force`).
    pub is_forced: bool,
}

impl IndexAdmission<'_> {
    /// Prints the estimate of an index that takes long to build.
    ///
    /// # Errors
    /// The refusal of an index that does not fit or takes more than a year, as a message with
    /// remedies.
    pub fn check(&self, demand: &IndexEstimate) -> Result<(), String> {
        let Self { name, memory_limit: memory, folder, needs_statistics: wants_statistics, is_forced } = self;
        let threads = format_threads(rayon::current_num_threads());
        if !is_forced {
            if demand.seconds > YEAR_SECONDS {
                let (time, memory) = (format_seconds(demand.seconds), format_bytes(demand.memory_bytes));
                return Err(format!(
                    "{name}: an index would take about {time} on {threads} and {memory} of memory; use a smaller \
                     BOARD; {FORCE_HINT}"
                ));
            }
            if let Some(lack) = demand.shortfall(*memory, folder.map(|(_, free)| free)) {
                return Err(self.refusal_message(demand, lack));
            }
            if let Some(Shortfall::Memory(needed, may)) =
                demand.statistics_shortfall(*memory).filter(|_| *wants_statistics)
            {
                return Err(format!(
                    "{name}: exact statistics need about {} of memory, but only {} may be used; raise --memory, or add \
                     --without-index, which takes longer; {FORCE_HINT}",
                    format_bytes(needed),
                    format_bytes(may)
                ));
            }
        }
        if demand.seconds >= NOTICE_SECONDS {
            let (time, index_bytes) = (format_seconds(demand.seconds), format_bytes(demand.layer_bytes));
            let place = folder.map_or("memory".to_owned(), |(dir, _)| dir.display().to_string());
            print_notice(format_args!(
                "{name}: building an index of about {index_bytes} in {place}, about {time} on {threads}"
            ));
        }
        Ok(())
    }

    fn refusal_message(&self, demand: &IndexEstimate, lack: Shortfall) -> String {
        let Self { name, memory_limit: memory, folder, needs_statistics: wants_statistics, .. } = self;
        let without_index = if *wants_statistics { ", add --without-index" } else { "" };
        match lack {
            Shortfall::Disk(needed, free) => format!(
                "{name}: an index needs about {} of disk with {} of memory, and {} has {} free; raise --memory, give \
                 --index a folder on a larger disk{without_index}, or use a smaller BOARD; {FORCE_HINT}",
                format_bytes(needed),
                format_bytes(memory.unwrap_or(0)),
                folder.map_or(String::new(), |(dir, _)| dir.display().to_string()),
                format_bytes(free)
            ),
            Shortfall::Tables(needed, may) => format!(
                "{name}: the tables of an index alone need about {} of memory, but only {} may be used; raise \
                 --memory{without_index}, or use a smaller BOARD; {FORCE_HINT}",
                format_bytes(needed),
                format_bytes(may)
            ),
            Shortfall::Memory(needed, may) => {
                let mut remedies = String::new();
                if ktour::memory::default_limit_bytes().is_none_or(|most| needed <= most) {
                    remedies += "raise --memory, ";
                }
                let free = SpillDir::free_bytes_at(Path::new(".")).ok();
                remedies += &match demand.shortfall(Some(may), Some(free)) {
                    None => {
                        format!(
                            "add --index DIR, which needs about {} of disk, ",
                            format_bytes(demand.layer_bytes)
                        )
                    }
                    Some(Shortfall::Disk(needed, _)) => {
                        format!("add --index DIR on a disk with {} free, ", format_bytes(needed))
                    }
                    Some(_) => String::new(),
                };
                if *wants_statistics {
                    remedies += "add --without-index, ";
                }
                remedies += if remedies.is_empty() { "" } else { "or " };
                format!(
                    "{name}: an index needs about {} of memory, but only {} may be used; {remedies}use a smaller BOARD; {FORCE_HINT}",
                    format_bytes(needed),
                    format_bytes(may)
                )
            }
            _ => lack.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::prepare_run;
    use super::super::test_support::{admission_error, sweep_request};
    use super::*;

    #[test]
    fn admit_refuses_large_runs_without_force() {
        assert_eq!(admission_error("6x6", &["--memory", "1G"]), Ok(()));
        let spill = tempfile::tempdir().unwrap();
        let refused = admission_error("12x12", &[]).unwrap_err();
        assert!(refused.contains("years") && refused.contains("--force"), "{refused}");
        assert_eq!(admission_error("12x12", &["--force"]), Ok(()));
        let dir = spill.path().to_str().unwrap();
        let refused = admission_error("10x10", &["--memory", "8M", "--spill", dir]).unwrap_err();
        assert!(refused.contains("8.00 MiB") && refused.contains("--force"), "{refused}");
        assert_eq!(admission_error("10x10", &["--memory", "8M", "--spill", dir, "--force"]), Ok(()));
    }

    #[test]
    fn format_estimate_names_memory_disk_and_checkpoint() {
        let context = prepare_run(sweep_request("10x10", &[])).unwrap();
        let forecast = context.work.estimate(&context.work.schedule(), &Control::new()).unwrap();
        let line = format_estimate(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains(" of disk"));
        assert!(line.contains("--checkpoint FILE"), "{line}");
        assert!(!format_estimate(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }
}

#[cfg(test)]
mod index_admission_tests {
    use super::*;
    use ktour::control::Control;
    use ktour::index::Index;
    use ktour::tour::{Kind, TourSpec};

    #[test]
    fn refusals_name_remedies() {
        let numbered = TourSpec::all("8x8".parse().unwrap(), Kind::Closed);
        let demand = Index::estimate(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let message = |memory: u64, folder: Option<Option<u64>>, wants_statistics, is_forced| {
            let folder = folder.map(|free| (Path::new("chess"), free));
            let name = "8x8 closed".to_owned();
            IndexAdmission {
                name,
                memory_limit: Some(memory),
                folder,
                needs_statistics: wants_statistics,
                is_forced,
            }
            .check(&demand)
        };
        assert_eq!(message(16 << 30, None, true, false), Ok(()));
        let refused = message(600 << 20, None, false, false).unwrap_err();
        assert!(refused.contains("--index DIR, ") && refused.ends_with(FORCE_HINT), "{refused}");
        assert_eq!(message(600 << 20, None, false, true), Ok(()));
        let refused = message(600 << 20, Some(Some(1 << 20)), false, false).unwrap_err();
        assert!(refused.contains("chess") && refused.contains("1.00 MiB"), "{refused}");
        let refused = message(8 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("tables") && refused.contains("--without-index"), "{refused}");
        let refused = message(300 << 20, Some(None), true, false).unwrap_err();
        assert!(refused.contains("exact statistics") && refused.contains("300.00 MiB"), "{refused}");
        // The refusal does not advise a folder on a disk that is too small.
        let numbered = TourSpec::all("10x10".parse().unwrap(), Kind::Closed);
        let demand = Index::estimate(&numbered, None, 0.0, &Control::new()).unwrap().unwrap();
        let name = "10x10 closed".to_owned();
        let admission = IndexAdmission {
            name,
            memory_limit: Some(8 << 30),
            folder: None,
            needs_statistics: false,
            is_forced: false,
        };
        let refused = admission.check(&demand).unwrap_err();
        let has_room = SpillDir::free_bytes_at(Path::new(".")).is_ok_and(|free| free > 10 << 40);
        assert!(has_room || refused.contains("--index DIR on a disk with "), "{refused}");
    }
}
