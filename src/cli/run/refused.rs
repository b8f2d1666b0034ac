//! The decision of the admission check, and the messages of a refusal with remedies.

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

/// Hint how to start a refused run.
pub const FORCE: &str = "--force starts anyway";

/// A run that the admission check refuses, with the estimate that shows why.
pub struct Obstacle {
    ready: Ready,
    forecast: Forecast,
}

impl Obstacle {
    /// Returns the refusal of a run, or `None` if it is admitted. Uses the rough estimate first and then the
    /// dry run.
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

    /// Returns the refusal as an error with remedies.
    pub fn why(&self, control: &Control) -> Option<Failure> {
        let Self { ready, forecast } = self;
        let engine = ready.work.question().request().engine;
        refuse(&ready.name(), ready, engine, forecast, control).err()
    }
}

/// Returns the estimated seconds if they exceed a year.
fn too_long(forecast: &Forecast) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds > YEAR)
}

/// Refuses a run that would take more than a year.
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
        "{name} would take about {} on {threads}{needed} by {engine}; use a smaller BOARD; {FORCE}",
        time(seconds)
    )))
}

/// Replaces the refusal of a search by the advice to sweep, if the engine was chosen automatically and a
/// sweep would be faster. If the sweep does not fit either, returns its refusal.
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
            let instead = format!(
                "a search would take about {years}; --engine frontier --force starts the sweep anyway"
            );
            Failure::failed(failure.to_string().replace(FORCE, &instead))
        }
        Ok(()) => Failure::failed(format!(
            "{name} would take about {years} by a search, and {} by a sweep; add --engine frontier",
            time(seconds)
        )),
    }
}

/// Returns true if the run takes at most a year and fits into memory and disk.
pub fn may_begin(ready: &Ready, forecast: &Forecast) -> bool {
    too_long(forecast).is_none() && forecast.check(store(ready)).is_ok()
}

/// Returns true if a dry run cannot admit a sweep that its rough estimate refuses. If only the least memory
/// of the sweep is lacking, a dry run is made all the same: it estimates that value much better.
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

/// Returns the free disk space for spilling in bytes: `None` without a spill folder, `Some(None)` if unknown.
fn store(ready: &Ready) -> Option<Option<u64>> {
    ready.folder.as_ref().map(|folder| folder.free().ok())
}

/// Refuses a run that does not fit or would take more than a year, with remedies. Plans further sweeps, one
/// for a residue and one for shards, to estimate what these remedies take.
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
            "{name} needs about {} of memory, {may} may be used, and its frontier is too wide to spill to disk; {}use a \
             smaller BOARD; {FORCE}",
            bytes(needed),
            match memory::ceiling() {
                Some(most) if rounded(needed) > most => String::new(),
                _ => format!("raise --memory to {}, or ", typed(needed)),
            }
        ),
        CountError::TooMuchMemory { needed, .. } if forecast.sweeps.is_empty() => format!(
            "{name} needs about {} of memory by {}, {may} may be used; raise --memory to {}; {FORCE}",
            bytes(needed),
            engine.name(),
            typed(needed)
        ),
        CountError::TooMuchMemory { needed, .. } if needed == forecast.least => format!(
            "{name} needs about {} of memory{}, even with all layers on disk, {may} may be used; {}; {FORCE}",
            bytes(needed),
            if forecast.is_rough { "" } else { " at least" },
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } if free.is_none_or(|free| forecast.disk <= free) => format!(
            "{name} needs {about} {} of memory, {may} may be used; add --checkpoint FILE, or --memory {} --spill DIR, \
             which needs {about} {} of disk, or {}; {FORCE}",
            bytes(needed),
            size(ceiling),
            bytes(forecast.disk),
            helps(free)
        ),
        CountError::TooMuchMemory { needed, .. } => format!(
            "{name} needs {about} {} of memory without spilling, {may} may be used, or {} of disk, {place} has {} free; \
             {}; {FORCE}",
            bytes(needed),
            bytes(forecast.disk),
            bytes(free.unwrap_or(0)),
            helps(free)
        ),
        CountError::TooMuchDisk { needed, room } => format!(
            "{name} needs {about} {} of disk with {may} of memory, {place} has {} free; {}; {FORCE}",
            bytes(needed),
            bytes(room),
            helps(Some(room))
        ),
        error => return Err(error.into()),
    }))
}

/// Returns the folder into which a sweep spills, or could spill, and its free bytes.
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

/// Returns a size rounded down to the unit in which options take it.
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
