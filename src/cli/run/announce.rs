//! The admission check of a run: prints its estimated time, memory and disk, and refuses a run that does not
//! fit or would take more than a year.

use crate::cli::failure::Failure;
use crate::cli::human::{bytes, threads, time};
use crate::cli::up_to_symmetry::{SymmetricOutlook, symmetric_outlook};
use crate::report::tell;
use ktour::control::Control;
use ktour::count::{CountError, Engine, Forecast};
use ktour::search::workers::Stopped;

use super::prepare::brief;
use super::ready::Ready;
use super::refused::{is_hopeless, may_begin, or_sweep, refuse};

/// Seconds from which the estimate of a run is printed before it starts.
pub const MINUTE: f64 = 60.0;

/// Seconds from which a run without a checkpoint gets the advice to use one.
const HOUR: f64 = 3600.0;

/// Largest ratio of two estimated times for which the second estimate is not printed.
const ANOTHER: f64 = 1.4;

/// Prints the estimate of a long run, and refuses a run that does not fit or would take more than a year,
/// unless `--force` is given. The check uses the rough estimate first and then the dry run. Prints the job
/// line once the run is admitted. A resumed sweep and MPI ranks skip the check: the first was admitted
/// before, the second agree among themselves.
///
/// # Errors
/// The refusal, or the failure of an estimate. A cancelled estimate is no error: the run itself then stops
/// and reports its progress.
pub fn announce(ready: &Ready, control: &Control) -> Result<(), Failure> {
    let tell_job = || {
        if !ready.is_told {
            tell(format_args!("job {}", brief(&ready.job.to_string())));
        }
    };
    if ready.how.mpi || ready.state.snapshot().is_some() {
        tell_job();
        return Ok(());
    }
    let mut units = ready.work.schedule();
    units.retain(|&unit| ready.job.shard.contains(unit as usize) && !ready.state.done[unit as usize]);
    // A run that is stopped during its estimate reports its progress itself.
    let stopped = |error: CountError| match error {
        CountError::Stopped(_) => {
            tell_job();
            Ok(())
        }
        error => Err(Failure::from(error)),
    };
    let name = ready.name();
    let rough = match ready.outlook(&units, control) {
        Err(error) => return stopped(error),
        Ok(rough) => rough,
    };
    let engine = ready.work.question().request().engine;
    let mut is_doubtful = false;
    if !ready.how.force {
        is_doubtful = !may_begin(ready, &rough);
        if is_doubtful && is_hopeless(ready, &rough) {
            let refused = refuse(&name, ready, engine, &rough, control)
                .map_err(|failure| or_sweep(&name, ready, &rough, failure, control));
            // The remedies are unknown if their estimates were stopped.
            if control.is_cancelled() {
                return stopped(Stopped.into());
            }
            refused?;
        }
    }
    let said = say_roughly(ready, &name, &rough, is_doubtful);
    let mut forecast = if ready.work.is_sequential() {
        match ready.forecast(&units, control) {
            Err(error) => return stopped(error),
            Ok(forecast) => forecast,
        }
    } else {
        rough
    };
    // The symmetric part takes time too. Its sweeps are estimated only for a long count: those of a short
    // count are short.
    let mut look = SymmetricOutlook::default();
    if let Some(what) = ready.wanted.symmetry {
        let with_sweeps = long(&forecast).is_some();
        match symmetric_outlook(what, &ready.request, &ready.setting, with_sweeps, control) {
            Err(error) => return stopped(error),
            Ok(part) => look = part,
        }
        forecast.seconds = forecast.seconds.map(|seconds| seconds + look.seconds - look.look);
    }
    if !ready.how.force {
        let mut whole = forecast.clone();
        whole.seconds = whole.seconds.map(|seconds| seconds + look.look);
        refuse(&name, ready, engine, &whole, control)?;
    }
    tell_job();
    say(ready, &name, &forecast, &look, said);
    Ok(())
}

/// Returns the estimated seconds if they are enough to be printed before the run.
fn long(forecast: &Forecast) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds >= MINUTE)
}

/// Prints the estimate of a run.
fn say_time(ready: &Ready, name: &str, forecast: &Forecast) {
    let engine = ready.work.question().request().engine;
    tell(format_args!("{name}: {}", in_advance(engine, forecast, ready.file.is_some())));
}

/// Prints the rough estimate of a long run before its dry run, and returns the printed seconds. Prints no
/// full estimate if the run may still be refused: only the dry run shows how much of the sweep can be
/// spilled.
fn say_roughly(ready: &Ready, name: &str, rough: &Forecast, is_doubtful: bool) -> Option<f64> {
    let seconds = long(rough)?;
    if !is_doubtful && rough.disk == 0 {
        say_time(ready, name, rough);
        return Some(seconds);
    }
    if ready.work.is_sequential() && (ready.how.force || may_begin(ready, &rough.at_least())) {
        tell(format_args!(
            "{name}: roughly {} and {} of memory; a dry run will show if it fits",
            time(seconds),
            bytes(rough.whole_memory)
        ));
    }
    None
}

/// Prints the estimate of an admitted long run, unless its time is close to the seconds already printed.
fn say(ready: &Ready, name: &str, forecast: &Forecast, look: &SymmetricOutlook, said: Option<f64>) {
    // Without a spill folder the sweep stops at the memory limit. It may stay below if the estimate is rough,
    // or an upper bound for a shard.
    let over = |ceiling: &u64| forecast.whole_memory > *ceiling && ready.folder.is_none();
    if let Some(ceiling) = forecast.ceiling.filter(over) {
        let (needed, ceiling) = (bytes(forecast.whole_memory), bytes(ceiling));
        tell(format_args!("{name}: needs about {needed} of memory by estimate, and will stop at {ceiling}"));
    }
    let is_new = |seconds: f64| said.is_none_or(|said| said.max(seconds) > said.min(seconds) * ANOTHER);
    if long(forecast).is_some_and(is_new) {
        say_time(ready, name, forecast);
    }
    if look.look >= MINUTE {
        let (time, threads) = (time(look.look), threads(rayon::current_num_threads()));
        let tours = look.tours;
        tell(format_args!(
            "{name}: finding symmetry classes examines each of about {tours:.0e} tours, about {time} on {threads}, \
             without checkpoints"
        ));
    }
}

/// Returns the estimate of a run as one line: time, engine, memory, disk, and the advice to save a long run.
pub fn in_advance(engine: Engine, forecast: &Forecast, is_saved: bool) -> String {
    let seconds = forecast.seconds.unwrap_or(f64::INFINITY);
    let threads = threads(rayon::current_num_threads());
    let most = if forecast.is_part { "at most " } else { "" };
    let mut line = format!("{most}about {} by {} on {threads}", time(seconds), engine.name());
    if forecast.memory > 0 {
        line += &format!(", {} of memory", bytes(forecast.memory));
    }
    let disk = if is_saved { forecast.disk.max(forecast.saved) } else { forecast.disk };
    if disk > 0 && !forecast.is_all_inside() {
        line += &format!(", {} of disk", bytes(disk));
    }
    if seconds >= HOUR && !is_saved {
        line += "; an interrupt loses all progress: add --checkpoint FILE to save it";
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::{said, swept};

    #[test]
    fn what_does_not_fit_is_not_begun_unless_it_is_forced() {
        assert_eq!(said("6x6", &["--memory", "1G"]), Ok(()));
        let spill = tempfile::tempdir().unwrap();
        let refused = said("12x12", &[]).unwrap_err();
        assert!(refused.contains("years") && refused.contains("--force"), "{refused}");
        assert_eq!(said("12x12", &["--force"]), Ok(()));
        let dir = spill.path().to_str().unwrap();
        let refused = said("10x10", &["--memory", "8M", "--spill", dir]).unwrap_err();
        assert!(refused.contains("8.00 MiB") && refused.contains("--force"), "{refused}");
        assert_eq!(said("10x10", &["--memory", "8M", "--spill", dir, "--force"]), Ok(()));
    }

    #[test]
    fn a_long_run_is_told_with_what_it_takes() {
        let ready = prepare(swept("10x10", &[])).unwrap();
        let forecast = ready.work.forecast(&ready.work.schedule(), &Control::new()).unwrap();
        let line = in_advance(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains(" of disk"));
        assert!(line.contains("--checkpoint FILE"), "{line}");
        assert!(!in_advance(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }
}
