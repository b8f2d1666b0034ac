//! What cannot come to an end here, and what would help.

use std::path::{Path, PathBuf};

use crate::cli::failure::Failure;
use crate::cli::human::{bytes, threads, time};
use crate::cli::remedies::{Here, Remedies, residue, shared};
use crate::cli::size::{rounded, typed};
use ktour::batch::Folder;
use ktour::control::Control;
use ktour::count::{CountError, Engine, Forecast, Request, Work};
use ktour::memory;
use ktour::words::YEAR;

use super::ready::Ready;

/// How to begin what is refused.
pub const FORCE: &str = "--force begins all the same";

/// A run that would be refused, and the forecast by which it would.
pub struct Obstacle {
    ready: Ready,
    forecast: Forecast,
}

impl Obstacle {
    /// What there is in the way of a run, if something is: by its order at once, by a dry run then.
    pub fn of(ready: Ready, control: &Control) -> Result<Option<Self>, CountError> {
        let units = ready.work.schedule();
        let rough = ready.outlook(&units, control)?;
        let is_hopeless = !may_begin(&ready, &rough) && is_hopeless(&ready, &rough);
        let forecast = match ready.work.is_sequential() {
            true if !is_hopeless => ready.forecast(&units, control)?,
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
pub fn or_sweep(
    name: &str,
    ready: &Ready,
    search: &Forecast,
    failure: Failure,
    control: &Control,
) -> Failure {
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
            let instead =
                format!("a search would take about {years}; --engine frontier --force begins all the same");
            Failure::failed(failure.to_string().replace(FORCE, &instead))
        }
        Ok(()) => Failure::failed(format!(
            "{name} would take about {years} by a search, and {} by a sweep: add --engine frontier",
            time(seconds)
        )),
    }
}

/// Whether there is time and room for it.
pub fn may_begin(ready: &Ready, forecast: &Forecast) -> bool {
    too_long(forecast).is_none() && forecast.check(store(ready)).is_ok()
}

/// Whether a sweep that was told roughly may not begin whatever a dry run tells. How much memory it needs at least is
/// told much better by one, which serves those who are to allow it.
pub fn is_hopeless(ready: &Ready, rough: &Forecast) -> bool {
    let rough = rough.at_least();
    if too_long(&rough).is_some() {
        return true;
    }
    match rough.check(store(ready)) {
        Ok(()) => false,
        Err(CountError::TooMuchMemory { needed, .. }) if needed == rough.least => {
            rough.is_all_inside() || !ready.work.is_sequential()
        }
        Err(_) => true,
    }
}

/// The room outside memory, if there may be any, as far as it is known.
fn store(ready: &Ready) -> Option<Option<u64>> {
    ready.folder.as_ref().map(|folder| folder.free().ok())
}

/// Refuses what may not begin, with what would help: a sweep for a residue is planned to tell how much that takes.
pub fn refuse(
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
    let about = if forecast.is_part { "up to" } else { "about" };
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
        CountError::TooMuchMemory { needed, .. } if forecast.sweeps.is_empty() => format!(
            "{name} needs about {} of memory by {}, and {may} may be used: raise --memory to {}; {FORCE}",
            bytes(needed),
            engine.name(),
            typed(needed)
        ),
        CountError::TooMuchMemory { needed, .. } if needed == forecast.least => format!(
            "{name} needs about {} of memory{}, with all else on the disk, and {may} may be used: {}; {FORCE}",
            bytes(needed),
            if forecast.is_rough { "" } else { " at least" },
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } if free.is_none_or(|free| forecast.disk <= free) => format!(
            "{name} needs {about} {} of memory, and {may} may be used: with --checkpoint FILE, or --memory {} --spill \
             DIR, it needs {about} {} on the disk; or {}; {FORCE}",
            bytes(needed),
            size(ceiling),
            bytes(forecast.disk),
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } => format!(
            "{name} needs {about} {} of memory ({may} may be used), or {} on the disk beside it ({place} has {} to \
             spare): {}; {FORCE}",
            bytes(needed),
            bytes(forecast.disk),
            bytes(free.unwrap_or(0)),
            helps(free)
        ),
        CountError::TooMuchDisk { needed, room } => format!(
            "{name} needs {about} {} on the disk beside {may} of memory, and {place} has {} to spare: {}; {FORCE}",
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
    use crate::cli::run::samples::{said, swept};

    #[test]
    fn whether_it_may_begin_is_known_without_the_words() {
        let spill = tempfile::tempdir().unwrap();
        let spilled = ["--memory", "8M", "--spill", spill.path().to_str().unwrap()];
        for (board, options) in [("6x6", &["--memory", "1G"][..]), ("12x12", &[]), ("10x10", &spilled)] {
            let control = Control::new();
            let told = Obstacle::of(prepare(swept(board, options)).unwrap(), &control).unwrap();
            let told = told.map(|told| told.why(&control).unwrap().to_string());
            assert_eq!(told, said(board, options).err());
        }
    }
}
