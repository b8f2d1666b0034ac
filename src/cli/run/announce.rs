//! What a run will take, said before it takes it; what cannot come to an end here is not begun.

use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::human::{bytes, threads, time};
use crate::cli::remedies::{Here, Remedies, residue, shared};
use crate::cli::size::{rounded, typed};
use crate::cli::up_to_symmetry::{SymmetricOutlook, symmetric_outlook};
use crate::report::tell;
use ktour::batch::Folder;
use ktour::control::Control;
use ktour::count::{CountError, Engine, Forecast, Request, Work};
use ktour::memory;
use ktour::search::workers::Stopped;
use ktour::words::YEAR;

use super::prepare::brief;
use super::ready::Ready;

/// A run of fewer seconds is begun without a word.
pub const MINUTE: f64 = 60.0;

/// A run of more seconds should be saved.
const HOUR: f64 = 3600.0;

/// How to begin what is refused.
pub const FORCE: &str = "--force begins all the same";

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
    let rough = match ready.work.outlook(&units, control) {
        Err(error) => return stopped(error),
        Ok(rough) => rough,
    };
    let name = ready.name();
    let engine = ready.work.question().request().engine;
    let mut is_doubtful = false;
    if !ready.how.force {
        is_doubtful = !may_begin(ready, &rough);
        if is_doubtful && !may_begin(ready, &rough.at_least()) {
            let refused = refuse(&name, ready, engine, &rough, control)
                .map_err(|failure| or_sweep(&name, ready, &rough, failure, control));
            // What would help is not known of one that was stopped.
            if control.is_cancelled() {
                return stopped(Stopped.into());
            }
            refused?;
        }
    }
    let is_long = |forecast: &Forecast| forecast.seconds.filter(|&seconds| seconds >= MINUTE);
    // What may be refused in the end is not announced before: what of it can go outside is known by a dry run only.
    let said = is_long(&rough).filter(|_| !is_doubtful && rough.disk == 0);
    let say = |forecast: &Forecast| {
        tell(format_args!("{name}: {}", in_advance(engine, forecast, ready.file.is_some())));
    };
    if said.is_some() {
        say(&rough);
    } else if let Some(seconds) = is_long(&rough).filter(|_| ready.work.is_sequential()) {
        tell(format_args!(
            "{name}: about {} and {} of memory by its order alone; a dry run tells whether it may begin",
            time(seconds),
            bytes(rough.whole_memory)
        ));
    }
    let mut forecast = if ready.work.is_sequential() {
        match ready.work.forecast(&units, control) {
            Err(error) => return stopped(error),
            Ok(forecast) => forecast,
        }
    } else {
        rough
    };
    // The symmetric part takes its time as well; the sweeps of a short count's are short.
    let mut look = SymmetricOutlook::default();
    if let Some(what) = ready.wanted.symmetry {
        let with_sweeps = is_long(&forecast).is_some();
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
    // Without a folder it stops at the ceiling; by a rough estimate, or as a part, it may stay below.
    let over = |ceiling: &u64| forecast.whole_memory > *ceiling && ready.folder.is_none();
    if let Some(ceiling) = forecast.ceiling.filter(over) {
        let (needed, ceiling) = (bytes(forecast.whole_memory), bytes(ceiling));
        tell(format_args!("{name}: about {needed} of memory by estimate, and it stops at {ceiling}"));
    }
    let is_new = |seconds: f64| said.is_none_or(|said| said.max(seconds) > said.min(seconds) * ANOTHER);
    if is_long(&forecast).is_some_and(is_new) {
        say(&forecast);
    }
    if look.look >= MINUTE {
        let (time, threads) = (time(look.look), threads(rayon::current_num_threads()));
        let tours = look.tours;
        tell(format_args!(
            "{name}: which tours are alike is told by a look at every one of about {tours:.0e}, about {time} on \
             {threads}, of which nothing is saved"
        ));
    }
    Ok(())
}

/// A run that would be refused, and the forecast by which it would.
pub struct Obstacle {
    ready: Ready,
    forecast: Forecast,
}

impl Obstacle {
    /// What there is in the way of a run, if something is: by its order at once, by a dry run then.
    pub fn of(ready: Ready, control: &Control) -> Result<Option<Self>, CountError> {
        let units = ready.work.schedule();
        let rough = ready.work.outlook(&units, control)?;
        let is_hopeless = !may_begin(&ready, &rough) && !may_begin(&ready, &rough.at_least());
        let forecast = match ready.work.is_sequential() {
            true if !is_hopeless => ready.work.forecast(&units, control)?,
            _ => rough,
        };
        Ok((!may_begin(&ready, &forecast)).then_some(Self { ready, forecast }))
    }

    /// That in words.
    pub fn why(&self, control: &Control) -> Option<Failure> {
        let Self { ready, forecast } = self;
        let engine = ready.work.question().request().engine;
        refuse(&ready.name(), ready, engine, forecast, control).err()
    }
}

/// What a long run will take.
pub fn in_advance(engine: Engine, forecast: &Forecast, is_saved: bool) -> String {
    let seconds = forecast.seconds.unwrap_or(f64::INFINITY);
    let threads = threads(rayon::current_num_threads());
    let mut line = format!("about {} by {} on {threads}", time(seconds), engine.name());
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

/// Seconds that nobody would wait for.
fn too_long(forecast: &Forecast) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds > YEAR)
}

/// Refuses what nobody would wait for.
pub fn years(name: &str, engine: Engine, forecast: &Forecast) -> Result<(), Failure> {
    let Some(seconds) = too_long(forecast) else { return Ok(()) };
    let needed = if forecast.whole_memory > 0 {
        match forecast.whole_memory {
            u64::MAX => " and more memory than any machine has".to_owned(),
            needed => format!(" and {} of memory", bytes(needed)),
        }
    } else {
        String::new()
    };
    let (engine, threads) = (engine.name(), threads(rayon::current_num_threads()));
    Err(Failure::failed(format!(
        "{name} would take about {} on {threads}{needed} by {engine}: take a smaller BOARD; {FORCE}",
        time(seconds)
    )))
}

/// What a search would take years for a sweep may do sooner, if at a price: where the engine was left open, that is
/// what is told.
fn or_sweep(name: &str, ready: &Ready, search: &Forecast, failure: Failure, control: &Control) -> Failure {
    if ready.request.engine != Engine::Auto || ready.work.is_sequential() {
        return failure;
    }
    let sweep = Work::new(&Request { engine: Engine::Frontier, ..ready.request.clone() });
    let sweep = sweep.and_then(|work| {
        let work = work.with_memory(ready.how.ceiling());
        work.outlook(&work.schedule(), control)
    });
    let (Ok(sweep), Some(years)) = (sweep, search.seconds) else { return failure };
    let Some(seconds) = sweep.seconds.filter(|&seconds| seconds < years) else { return failure };
    let years = time(years);
    match refuse(name, ready, Engine::Frontier, &sweep, control) {
        Err(failure) => {
            let said =
                failure.to_string().replace(" by frontier", &format!(" by frontier, {years} by a search"));
            Failure::failed(said.replace(FORCE, "--engine frontier --force begins all the same"))
        }
        Ok(()) => Failure::failed(format!(
            "{name} would take about {years} by a search, and {} by a sweep: add --engine frontier",
            time(seconds)
        )),
    }
}

/// Whether there is time and room for it.
fn may_begin(ready: &Ready, forecast: &Forecast) -> bool {
    too_long(forecast).is_none() && forecast.check(store(ready)).is_ok()
}

/// The room outside memory, if there may be any, as far as it is known.
fn store(ready: &Ready) -> Option<Option<u64>> {
    ready.folder.as_ref().map(|folder| folder.free().ok())
}

/// Refuses what may not begin, with what would help: a sweep for a residue is planned to tell how much that takes.
fn refuse(
    name: &str,
    ready: &Ready,
    engine: Engine,
    forecast: &Forecast,
    control: &Control,
) -> Result<(), Failure> {
    years(name, engine, forecast)?;
    let Err(lack) = forecast.check(store(ready)) else { return Ok(()) };
    let ceiling = forecast.ceiling.unwrap_or(u64::MAX);
    let (place, free) = room(ready);
    let is_plain = ready.wanted.symmetry.is_none();
    let residue = || residue(&ready.request, ready.how.ceiling(), forecast, control).filter(|_| is_plain);
    let helps = |free| {
        let can_cut = ready.request.parts == 1 && ready.state.snapshot().is_none();
        let here = Here { ceiling, most: memory::ceiling(), free };
        let shared = shared(&ready.request, ready.how.ceiling(), control).filter(|_| is_plain);
        Remedies { forecast, residue: residue(), shared, can_cut }.told(&here)
    };
    let may = bytes(ceiling);
    Err(Failure::failed(match lack {
        CountError::TooMuchMemory { needed, .. } if forecast.is_all_inside() => format!(
            "{name} needs about {} of memory, as its frontier is too wide for layers that could go to the disk, and \
             {may} may be used: {}take a smaller BOARD; {FORCE}",
            bytes(needed),
            match memory::ceiling() {
                Some(most) if rounded(needed) > most => String::new(),
                _ => format!("raise --memory to {}, or ", typed(needed)),
            }
        ),
        CountError::TooMuchMemory { needed, .. } if needed == forecast.least => format!(
            "{name} needs about {} of memory at least, with all else on the disk, and {may} may be used: {}; {FORCE}",
            bytes(needed),
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } if free.is_none_or(|free| forecast.disk <= free) => format!(
            "{name} needs about {} of memory, and {may} may be used: with --checkpoint FILE, or --memory {} --spill \
             DIR, it needs about {} on the disk; or {}; {FORCE}",
            bytes(needed),
            size(ceiling),
            bytes(forecast.disk),
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } => format!(
            "{name} needs about {} of memory, and {may} may be used, or about {} on the disk beside it, and {place} has \
             {} to spare: {}; {FORCE}",
            bytes(needed),
            bytes(forecast.disk),
            bytes(free.unwrap_or(0)),
            helps(free)
        ),
        CountError::TooMuchDisk { needed, room } => format!(
            "{name} needs about {} on the disk beside {may} of memory, and {place} has {} to spare: {}; {FORCE}",
            bytes(needed),
            bytes(room),
            helps(Some(room))
        ),
        error => return Err(error.into()),
    }))
}

/// Where a sweep finds room outside memory, or could, and how much there is.
fn room(ready: &Ready) -> (String, Option<u64>) {
    let place = match (&ready.file, &ready.how.spill) {
        (Some(file), _) => file.path().parent().map_or_else(PathBuf::new, Path::to_owned),
        (None, Some(dir)) => dir.clone(),
        (None, None) if ready.folder.is_some() => std::env::temp_dir(),
        (None, None) => PathBuf::new(),
    };
    let place = if place.as_os_str().is_empty() { PathBuf::from(".") } else { place };
    let name = if place == Path::new(".") { "this folder".to_owned() } else { place.display().to_string() };
    (name, Folder::spare(&place).ok())
}

/// A size as the command line takes it.
fn size(bytes: u64) -> String {
    if bytes >> 30 > 0 { format!("{}G", bytes >> 30) } else { format!("{}M", (bytes >> 20).max(1)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::run::prepare::prepare;
    use crate::cli::run::samples::{closed, how};

    fn said(board: &str, options: &[&str]) -> Result<(), String> {
        let mut start = closed(board);
        start.how = how(options);
        start.request.engine = Engine::Frontier;
        announce(&prepare(start).unwrap(), &Control::new()).map_err(|failure| failure.to_string())
    }

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
            refused.contains("of memory at least, with all else on the disk, and 8.00 MiB may be used"),
            "{refused}"
        );
        assert_eq!(said("10x10", &["--memory", "8M", "--spill", dir, "--force"]), Ok(()));
    }

    #[test]
    fn whether_it_may_begin_is_known_without_the_words() {
        let spill = tempfile::tempdir().unwrap();
        let spilled = ["--memory", "8M", "--spill", spill.path().to_str().unwrap()];
        for (board, options) in [("6x6", &["--memory", "1G"][..]), ("12x12", &[]), ("10x10", &spilled)] {
            let mut start = closed(board);
            start.how = how(options);
            start.request.engine = Engine::Frontier;
            let control = Control::new();
            let told = Obstacle::of(prepare(start).unwrap(), &control).unwrap();
            let told = told.map(|told| told.why(&control).unwrap().to_string());
            assert_eq!(told, said(board, options).err());
        }
    }

    #[test]
    fn a_long_run_is_told_with_what_it_takes() {
        let mut start = closed("10x10");
        start.request.engine = Engine::Frontier;
        let ready = prepare(start).unwrap();
        let forecast = ready.work.forecast(&ready.work.schedule(), &Control::new()).unwrap();
        let line = in_advance(Engine::Frontier, &forecast, false);
        assert!(line.starts_with("about ") && line.contains(" of memory") && line.contains("on the disk"));
        assert!(line.ends_with("--checkpoint FILE keeps what is done"), "{line}");
        assert!(!in_advance(Engine::Frontier, &forecast, true).contains("--checkpoint"));
    }
}
