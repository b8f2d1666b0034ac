//! What a run will take, said before it takes it; what cannot come to an end here is not begun.

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

/// A run of fewer seconds is begun without a word.
pub const MINUTE: f64 = 60.0;

/// A run of more seconds should be saved.
const HOUR: f64 = 3600.0;

/// What was said differs from what is known now by more than this: it is said again.
const ANOTHER: f64 = 1.4;

/// Tells of a run that will take a while, and refuses one that will not fit or would take years, unless it is
/// forced: by its order at once, by a dry run then. The job is told when it is not refused. A run that goes on has
/// been through this. What ranks share, they agree on themselves.
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
    // A run that is stopped meanwhile says how far it came.
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
            // What would help is not known of one that was stopped.
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
    // The symmetric part takes its time as well; the sweeps of a short count's are short.
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

/// How long a run takes that is not begun without a word.
fn long(forecast: &Forecast) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds >= MINUTE)
}

/// Tells how long a run takes.
fn say_time(ready: &Ready, name: &str, forecast: &Forecast) {
    let engine = ready.work.question().request().engine;
    tell(format_args!("{name}: {}", in_advance(engine, forecast, ready.file.is_some())));
}

/// Tells of a long run by its order alone, before its dry run: the seconds that were told. What may be refused in the
/// end is not announced before: what of it can go outside is known by a dry run only.
fn say_roughly(ready: &Ready, name: &str, rough: &Forecast, is_doubtful: bool) -> Option<f64> {
    let seconds = long(rough)?;
    if !is_doubtful && rough.disk == 0 {
        say_time(ready, name, rough);
        return Some(seconds);
    }
    if ready.work.is_sequential() && (ready.how.force || may_begin(ready, &rough.at_least())) {
        tell(format_args!(
            "{name}: about {} and {} of memory by its order alone; a dry run tells whether it may begin",
            time(seconds),
            bytes(rough.whole_memory)
        ));
    }
    None
}

/// Tells of a long run that begins, if these are not about the seconds that were `said`.
fn say(ready: &Ready, name: &str, forecast: &Forecast, look: &SymmetricOutlook, said: Option<f64>) {
    // Without a folder it stops at the ceiling; by a rough estimate, or as a part, it may stay below.
    let over = |ceiling: &u64| forecast.whole_memory > *ceiling && ready.folder.is_none();
    if let Some(ceiling) = forecast.ceiling.filter(over) {
        let (needed, ceiling) = (bytes(forecast.whole_memory), bytes(ceiling));
        tell(format_args!("{name}: about {needed} of memory by estimate, and it stops at {ceiling}"));
    }
    let is_new = |seconds: f64| said.is_none_or(|said| said.max(seconds) > said.min(seconds) * ANOTHER);
    if long(forecast).is_some_and(is_new) {
        say_time(ready, name, forecast);
    }
    if look.look >= MINUTE {
        let (time, threads) = (time(look.look), threads(rayon::current_num_threads()));
        let tours = look.tours;
        tell(format_args!(
            "{name}: which tours are alike is told by a look at every one of about {tours:.0e}, about {time} on \
             {threads}, of which nothing is saved"
        ));
    }
}

/// What a long run will take.
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
        line += &format!(", {} on the disk", bytes(disk));
    }
    if seconds >= HOUR && !is_saved {
        line += "; an interrupt loses it all: --checkpoint FILE keeps what is done";
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
        assert!(refused.contains("years") && refused.ends_with("--force begins all the same"), "{refused}");
        assert_eq!(said("12x12", &["--force"]), Ok(()));
        let dir = spill.path().to_str().unwrap();
        let refused = said("10x10", &["--memory", "8M", "--spill", dir]).unwrap_err();
        assert!(
            refused.contains("of memory, with all else on the disk, and 8.00 MiB may be used"),
            "{refused}"
        );
        assert_eq!(said("10x10", &["--memory", "8M", "--spill", dir, "--force"]), Ok(()));
    }

    #[test]
    fn a_long_run_is_told_with_what_it_takes() {
        let ready = prepare(swept("10x10", &[])).unwrap();
        let forecast = ready.work.forecast(&ready.work.schedule(), &Control::new()).unwrap();
        let line = in_advance(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains("on the disk"));
        assert!(line.ends_with("--checkpoint FILE keeps what is done"), "{line}");
        assert!(!in_advance(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }
}
