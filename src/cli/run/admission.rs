//! Admission checks before a run, an index or symmetric counts begin, by their estimated time,
//! memory and disk.
//!
//! The library decides and names the remedies; this module prints estimates, and puts refusals into words.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use ktour::batch::{AdmittedCount, CountLimits, IndexJob, LONG_JOB_SECONDS, SpillDir};
use ktour::budget::{DiskBudget, Refusal, RefusedPart, Shortage};
use ktour::control::Control;
use ktour::count::admission::Admission;
use ktour::count::symmetric::DistinctEstimate;
use ktour::count::{CountError, Engine, JobEstimate};
use ktour::index::IndexEstimate;

use super::context::{RunContext, shorten_job};
use crate::cli::error::CliError;
use crate::cli::process::Signals;
use crate::cli::quantities::{all_threads, format_bytes, format_seconds, format_size};
use crate::cli::refusal::RemedyWords;
use crate::report::{print_job_line, print_notice};

/// Minimum estimated time of a run, in seconds, for its estimate to be printed before it starts.
pub const NOTICE_SECONDS: f64 = LONG_JOB_SECONDS;

/// Minimum estimated time of a job, in seconds, for its estimate to be printed in a log.
const LOG_SECONDS: f64 = 2.0;

/// Minimum estimated time of a run without a checkpoint, in seconds, for a checkpoint to be
/// advised.
const SAVE_ADVICE_SECONDS: f64 = 3600.0;

/// Maximum ratio of two estimated times for which the second estimate is not printed.
const MAX_EQUAL_RATIO: f64 = 1.4;

/// Converts the error of an admission check. `name` is the title of the job.
fn admission_error(name: &str, words: &RemedyWords, error: CountError) -> CliError {
    match error {
        CountError::Refused(refusal) if refusal.part == RefusedPart::Job => {
            CliError::failed(words.describe(&format!("{name}:"), &refusal))
        }
        CountError::Refused(refusal) => CliError::failed(words.describe(name, &refusal)),
        error => error.into(),
    }
}

/// Returns the words for the remedies of a run: the folder into which it spills, or could spill.
fn run_words(context: &RunContext) -> (RemedyWords, Option<u64>) {
    let place = match (&context.count.file, &context.run_options.spill) {
        (Some(file), _) => file.path().parent().map_or_else(PathBuf::new, Path::to_owned),
        (None, Some(dir)) => dir.clone(),
        (None, None) => std::env::temp_dir(),
    };
    let place = if place.as_os_str().is_empty() { PathBuf::from(".") } else { place };
    let folder = if place == Path::new(".") { "this folder".to_owned() } else { place.display().to_string() };
    let limit = context.count.work.memory_limit().or_else(ktour::memory::default_limit_bytes);
    let disk_option = match limit {
        Some(limit) => format!("--memory {}", format_size(limit)),
        None => "--spill DIR".to_owned(),
    };
    // The layers of a run with a checkpoint are next to it.
    let folder_option = if context.count.file.is_some() { "" } else { "--spill DIR" };
    (RemedyWords { disk_option, folder, folder_option }, SpillDir::free_bytes_at(&place).ok())
}

/// Returns what the admission of a run depends on, besides its count, and the words for its remedies.
fn run_limits(context: &RunContext) -> (CountLimits, RemedyWords) {
    let (words, free_disk) = run_words(context);
    let limits = CountLimits {
        is_forced: context.run_options.force,
        is_double_checked: context.output.double_check,
        free_disk,
        alternatives: context.alternatives,
    };
    (limits, words)
}

/// Calls `with` with the admission of the units of a run that are not done.
fn with_admission<T>(
    context: &RunContext,
    with: impl FnOnce(&Admission<'_>) -> Result<T, CountError>,
) -> Result<T, CliError> {
    let (limits, words) = run_limits(context);
    let units = context.count.remaining_units();
    with(&context.count.admission(&units, &limits))
        .map_err(|error| admission_error(&context.title(), &words, error))
}

/// A run that the admission check refuses, with the estimate that shows why.
pub struct RefusedRun {
    context: RunContext,
    estimate: JobEstimate,
    shortage: Shortage,
}

impl RefusedRun {
    /// Returns the refusal of a run, or `None` if the run is admitted. Allows a caller to refuse a series
    /// before its first board is counted.
    pub fn find(context: RunContext, control: &Control) -> Result<Option<Self>, CliError> {
        let (_, found) = with_admission(&context, |admission| admission.find_shortage(false, control))?;
        Ok(found.map(|(estimate, shortage)| Self { context, estimate, shortage }))
    }

    /// Returns the error with its remedies, which take more planning; or nothing if a better estimate admits the run.
    pub fn admit_or_refuse(&self, control: &Control) -> Result<(), CliError> {
        with_admission(&self.context, |admission| {
            admission.admit_or_refuse(&self.estimate, self.shortage, control).map(|_| ())
        })
    }
}

/// Prints the estimate of a long run, and returns an error if the run does not fit or would take
/// more than a year, unless `--force` is given. Prints the job line once the run is admitted. Skips the check for a
/// resumed sweep, which was admitted before, and with MPI. Returns the estimated core seconds; 0 without an estimate.
///
/// # Errors
/// The refusal, or the failure of an estimate. A cancelled estimate is no error: the run itself
/// then stops and reports its progress.
pub fn admit(context: &RunContext, control: &Control) -> Result<f64, CliError> {
    let print_job = || {
        if !context.is_job_printed {
            print_job_line(format_args!("job {}", shorten_job(&context.count.identity.to_string())));
        }
    };
    if context.run_options.mpi || context.count.is_suspended() {
        print_job();
        return Ok(0.0);
    }
    let (limits, words) = run_limits(context);
    let (name, printed_seconds) = (context.title(), Cell::new(None));
    let on_rough = |rough: &JobEstimate, is_doubtful: bool| {
        printed_seconds.set(print_rough_estimate(context, &name, rough, is_doubtful));
    };
    match context.count.admit(&limits, control, &on_rough) {
        Ok(AdmittedCount { mut estimate, symmetric, core_seconds, .. }) => {
            // The visits of all tours have their own line.
            estimate.seconds = estimate.seconds.map(|seconds| seconds - symmetric.visit_seconds);
            print_job();
            print_final_estimate(context, &name, &estimate, &symmetric, printed_seconds.get());
            Ok(core_seconds)
        }
        // A run that is stopped during its estimate reports its progress itself.
        Err(CountError::Stopped(_)) => {
            print_job();
            Ok(0.0)
        }
        Err(error) => Err(admission_error(&name, &words, error)),
    }
}

/// Returns the estimated seconds if they are long enough for the estimate to be printed.
fn notable_seconds(forecast: &JobEstimate) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds >= NOTICE_SECONDS)
}

/// Prints the estimate of a run.
fn print_estimate(context: &RunContext, name: &str, forecast: &JobEstimate) {
    let engine = context.count.work.validated_request().request().engine;
    print_notice(format_args!("{name}: {}", format_estimate(engine, forecast, context.count.file.is_some())));
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
    let count = &context.count;
    let lower_bound = rough.lower_bound(count.request.board());
    let is_possible = || context.run_options.force || lower_bound.check(count.disk_budget()).is_ok();
    if count.work.is_sequential() && is_possible() {
        print_notice(format_args!(
            "{name}: roughly {}; a dry run will show if it fits",
            format_seconds(seconds)
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
    symmetric_estimate: &DistinctEstimate,
    printed_seconds: Option<f64>,
) {
    // Without a spill folder the sweep stops at the memory limit. It may stay below if the estimate is rough,
    // or an upper bound for a shard.
    let over = |ceiling: &u64| forecast.unspilled_bytes > *ceiling && context.count.spill_dir.is_none();
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
        let (time, threads) = (format_seconds(symmetric_estimate.visit_seconds), all_threads());
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
    let threads = all_threads();
    let most = if forecast.is_largest_shard { "at most " } else { "" };
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

/// Prints the estimate of a count that is held in memory if it is long, or returns the refusal.
pub fn admit_in_memory(name: &str, estimate: &JobEstimate, is_forced: bool) -> Result<(), CliError> {
    check_in_memory(name, estimate, is_forced, DiskBudget::Absent, "")?;
    print_in_memory(name, estimate, "");
    Ok(())
}

/// Makes several counts, which are held in memory and not saved, if their `estimate` is admitted. `name` is the
/// subject of messages.
pub fn run_in_memory<T>(
    name: &str,
    is_forced: bool,
    signals: &Signals,
    estimate: Result<JobEstimate, CountError>,
    count: impl FnOnce() -> Result<T, CountError>,
) -> Result<T, CliError> {
    let fail = |error| match error {
        CountError::Stopped(_) => signals.stop("stopped before the end; nothing is saved"),
        CountError::Refused(refusal) => CliError::failed(RemedyWords::new("").describe(name, &refusal)),
        error => error.into(),
    };
    let estimate = estimate.map_err(fail)?;
    admit_in_memory(name, &estimate, is_forced)?;
    count().map_err(fail)
}

/// Prints the estimate of a count that is held in memory if it is long, and `more`.
pub fn print_in_memory(name: &str, estimate: &JobEstimate, more: &str) {
    let line = format_estimate(engine_of(estimate), estimate, true);
    print_if_long(estimate.seconds.unwrap_or(0.0), format_args!("{name}: {line}{more}"));
}

/// Returns the engine of an estimated job that is not a backtracking search.
const fn engine_of(estimate: &JobEstimate) -> Engine {
    if estimate.sweeps.is_empty() { Engine::Multipath } else { Engine::Frontier }
}

/// Returns an error if a sweep does not fit, or would take more than a year. `disk_option` is the option with
/// which the command could use the disk; empty if there is none.
pub fn check_in_memory(
    name: &str,
    estimate: &JobEstimate,
    is_forced: bool,
    disk: DiskBudget,
    disk_option: &str,
) -> Result<(), CliError> {
    if is_forced {
        return Ok(());
    }
    estimate
        .admit(disk, !disk_option.is_empty())
        .map_err(|refusal| CliError::failed(RemedyWords::new(disk_option).describe(name, &refusal)))
}

/// Prints the estimate of an index that takes long to build.
pub fn print_index_estimate(job: &IndexJob, estimate: &IndexEstimate) {
    let (time, index_bytes) = (format_seconds(estimate.seconds), format_bytes(estimate.layer_bytes));
    let place = job.folder.map_or("memory".to_owned(), |dir| dir.display().to_string());
    let threads = all_threads();
    let line = format!(
        "{}: building an index of about {index_bytes} in {place}, about {time} on {threads}",
        job.title()
    );
    print_if_long(estimate.seconds, line);
}

/// Prints the line with the estimate of a job that takes long. A log also gets that of a job that takes seconds, since
/// it shows no progress.
fn print_if_long(seconds: f64, line: impl std::fmt::Display) {
    if seconds >= NOTICE_SECONDS {
        print_notice(line);
    } else if seconds >= LOG_SECONDS {
        print_job_line(line);
    }
}

/// Returns the error of a refused index.
pub fn index_refusal(job: &IndexJob, refusal: &Refusal) -> CliError {
    let folder = job.folder.map_or("this folder".to_owned(), |dir| dir.display().to_string());
    let words = RemedyWords { disk_option: "--index DIR".to_owned(), folder, folder_option: "" };
    CliError::failed(words.describe(&job.title(), refusal))
}

#[cfg(test)]
mod tests {
    use super::super::context::prepare_run;
    use super::super::test_support::{admission_error, sweep_request};
    use super::*;
    use crate::cli::refusal::FORCE_HINT;
    use ktour::control::Control;
    use ktour::index::Index;
    use ktour::tour::{Kind, TourSpec};

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
        let forecast = context.count.work.estimate(&context.count.work.schedule(), &Control::new()).unwrap();
        let line = format_estimate(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains(" of disk"));
        assert!(line.contains("--checkpoint FILE"), "{line}");
        assert!(!format_estimate(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }

    #[test]
    fn refusals_name_remedies() {
        let tours = TourSpec::all("8x8".parse().unwrap(), Kind::Closed);
        let estimate = Index::estimate(&tours, None, 0.0, &Control::new()).unwrap().unwrap();
        let message = |memory: u64, free_disk: Option<Option<u64>>, needs_statistics, is_forced| {
            let folder = free_disk.map(|_| Path::new("chess"));
            let job = IndexJob { tours: &tours, folder, memory: Some(memory), needs_statistics, is_forced };
            let disk = free_disk.map_or(DiskBudget::Absent, DiskBudget::from_free);
            job.admit(&estimate, disk).map_err(|refusal| index_refusal(&job, &refusal).to_string())
        };
        let assert_contains = |message: Result<(), String>, parts: &[&str]| {
            let message = message.unwrap_err();
            assert!(parts.iter().all(|part| message.contains(part)), "{message}");
            assert!(message.ends_with(FORCE_HINT), "{message}");
        };
        assert_eq!(message(16 << 30, None, true, false), Ok(()));
        let in_memory = message(600 << 20, None, false, false);
        assert_contains(in_memory, &["an index of 8x8 closed", "600 MiB", "--index DIR, "]);
        assert_eq!(message(600 << 20, None, false, true), Ok(()));
        assert_contains(
            message(600 << 20, Some(Some(1 << 20)), false, false),
            &["chess", "1.00 MiB", "free "],
        );
        let tables = message(8 << 20, Some(None), false, false);
        assert_contains(tables, &["everything else on disk", "8.00 MiB"]);
        // Counts without an index exclude a folder.
        assert_contains(message(600 << 20, None, true, false), &["--without-index"]);
        let in_folder = message(8 << 20, Some(None), true, false).unwrap_err();
        assert!(!in_folder.contains("--without-index"), "{in_folder}");
        let statistics = message(300 << 20, Some(None), true, false);
        assert_contains(statistics, &["exact statistics of 8x8 closed", "300 MiB"]);
    }
}
