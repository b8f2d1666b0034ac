//! The admission check of a run: prints its estimated time, memory and disk, and refuses a run that does not
//! fit or would take more than a year.

use crate::cli::failure::CliError;
use crate::cli::human::{format_bytes, format_seconds, format_threads};
use crate::cli::up_to_symmetry::{SymmetricEstimate, estimate_symmetric_part};
use crate::report::print_notice;
use ktour::control::Control;
use ktour::count::{CountError, Engine, JobEstimate};
use ktour::search::workers::Stopped;

use super::prepare::shorten_job;
use super::ready::RunContext;
use super::refused::{check_admission, is_admissible, is_surely_refused, suggest_sweep};

/// Seconds from which the estimate of a run is printed before it starts.
pub const NOTICE_SECONDS: f64 = 60.0;

/// Seconds from which a run without a checkpoint gets the advice to use one.
const SAVE_ADVICE_SECONDS: f64 = 3600.0;

/// Largest ratio of two estimated times for which the second estimate is not printed.
const MAX_EQUAL_RATIO: f64 = 1.4;

/// Prints the estimate of a long run, and refuses a run that does not fit or would take more than a year,
/// unless `--force` is given. The check uses the rough estimate first and then the dry run. Prints the job
/// line once the run is admitted. A resumed sweep and MPI ranks skip the check: the first was admitted
/// before, the second agree among themselves.
///
/// # Errors
/// The refusal, or the failure of an estimate. A cancelled estimate is no error: the run itself then stops
/// and reports its progress.
pub fn admit(ready: &RunContext, control: &Control) -> Result<(), CliError> {
    let print_job = || {
        if !ready.is_job_printed {
            print_notice(format_args!("job {}", shorten_job(&ready.job.to_string())));
        }
    };
    if ready.run_options.mpi || ready.state.snapshot().is_some() {
        print_job();
        return Ok(());
    }
    let mut units = ready.work.schedule();
    units.retain(|&unit| ready.job.shard.contains(unit as usize) && !ready.state.done[unit as usize]);
    // A run that is stopped during its estimate reports its progress itself.
    let stopped = |error: CountError| match error {
        CountError::Stopped(_) => {
            print_job();
            Ok(())
        }
        error => Err(CliError::from(error)),
    };
    let name = ready.title();
    let rough_estimate = match ready.rough_estimate(&units, control) {
        Err(error) => return stopped(error),
        Ok(rough) => rough,
    };
    let engine = ready.work.validated_request().request().engine;
    let mut is_doubtful = false;
    if !ready.run_options.force {
        is_doubtful = !is_admissible(ready, &rough_estimate);
        if is_doubtful && is_surely_refused(ready, &rough_estimate) {
            let refused = check_admission(&name, ready, engine, &rough_estimate, control)
                .map_err(|failure| suggest_sweep(&name, ready, &rough_estimate, failure, control));
            // The remedies are unknown if their estimates were stopped.
            if control.is_cancelled() {
                return stopped(Stopped.into());
            }
            refused?;
        }
    }
    let printed_seconds = print_rough_estimate(ready, &name, &rough_estimate, is_doubtful);
    let mut forecast = if ready.work.is_sequential() {
        match ready.estimate(&units, control) {
            Err(error) => return stopped(error),
            Ok(forecast) => forecast,
        }
    } else {
        rough_estimate
    };
    // The symmetric part takes time too. Its sweeps are estimated only for a long count: those of a short
    // count are short.
    let mut symmetric_estimate = SymmetricEstimate::default();
    if let Some(what) = ready.output.symmetry {
        let with_sweeps = notable_seconds(&forecast).is_some();
        match estimate_symmetric_part(what, &ready.request, &ready.symmetric_setting, with_sweeps, control) {
            Err(error) => return stopped(error),
            Ok(part) => symmetric_estimate = part,
        }
        forecast.seconds = forecast
            .seconds
            .map(|seconds| seconds + symmetric_estimate.seconds - symmetric_estimate.visit_seconds);
    }
    if !ready.run_options.force {
        let mut whole = forecast.clone();
        whole.seconds = whole.seconds.map(|seconds| seconds + symmetric_estimate.visit_seconds);
        check_admission(&name, ready, engine, &whole, control)?;
    }
    print_job();
    print_final_estimate(ready, &name, &forecast, &symmetric_estimate, printed_seconds);
    Ok(())
}

/// Returns the estimated seconds if they are enough to be printed before the run.
fn notable_seconds(forecast: &JobEstimate) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds >= NOTICE_SECONDS)
}

/// Prints the estimate of a run.
fn print_estimate(ready: &RunContext, name: &str, forecast: &JobEstimate) {
    let engine = ready.work.validated_request().request().engine;
    print_notice(format_args!(
        "{name}: {}",
        format_estimate(engine, forecast, ready.checkpoint_file.is_some())
    ));
}

/// Prints the rough estimate of a long run before its dry run, and returns the printed seconds. Prints no
/// full estimate if the run may still be refused: only the dry run shows how much of the sweep can be
/// spilled.
fn print_rough_estimate(
    ready: &RunContext,
    name: &str,
    rough: &JobEstimate,
    is_doubtful: bool,
) -> Option<f64> {
    let seconds = notable_seconds(rough)?;
    if !is_doubtful && rough.disk_bytes == 0 {
        print_estimate(ready, name, rough);
        return Some(seconds);
    }
    if ready.work.is_sequential() && (ready.run_options.force || is_admissible(ready, &rough.lower_bound())) {
        print_notice(format_args!(
            "{name}: roughly {} and {} of memory; a dry run will show if it fits",
            format_seconds(seconds),
            format_bytes(rough.unspilled_bytes)
        ));
    }
    None
}

/// Prints the estimate of an admitted long run, unless its time is close to the seconds already printed.
fn print_final_estimate(
    ready: &RunContext,
    name: &str,
    forecast: &JobEstimate,
    symmetric_estimate: &SymmetricEstimate,
    printed_seconds: Option<f64>,
) {
    // Without a spill folder the sweep stops at the memory limit. It may stay below if the estimate is rough,
    // or an upper bound for a shard.
    let over = |ceiling: &u64| forecast.unspilled_bytes > *ceiling && ready.spill_folder.is_none();
    if let Some(ceiling) = forecast.memory_limit.filter(over) {
        let (needed, ceiling) = (format_bytes(forecast.unspilled_bytes), format_bytes(ceiling));
        print_notice(format_args!(
            "{name}: needs about {needed} of memory by estimate, and will stop at {ceiling}"
        ));
    }
    let is_new = |seconds: f64| {
        printed_seconds.is_none_or(|said| said.max(seconds) > said.min(seconds) * MAX_EQUAL_RATIO)
    };
    if notable_seconds(forecast).is_some_and(is_new) {
        print_estimate(ready, name, forecast);
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

/// Returns the estimate of a run as one line: time, engine, memory, disk, and the advice to save a long run.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::{admission_error, sweep_request};

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
        let ready = prepare(sweep_request("10x10", &[])).unwrap();
        let forecast = ready.work.estimate(&ready.work.schedule(), &Control::new()).unwrap();
        let line = format_estimate(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains(" of disk"));
        assert!(line.contains("--checkpoint FILE"), "{line}");
        assert!(!format_estimate(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }
}
