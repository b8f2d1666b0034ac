//! What would take years, or does not fit, is not begun unless it is forced: the program's refusals, with keywords in
//! the place of its options.
//!
//! ```text
//! Work -> by its order at once -> by a dry run, if it sweeps -> Forecast -> refused, or begun
//! ```

use ktour::batch::Folder;
use ktour::control::Control;
use ktour::count::symmetric::{Census, Setting};
use ktour::count::{CountError, Engine, Forecast, Request, Work};
use ktour::index::{Demand, Lack};
use ktour::memory::{self, in_words};
use ktour::words::{self, YEAR};

use crate::errors::Why;
use crate::symmetry::kinds;

/// How to begin what is refused.
const FORCE: &str = "force=True begins all the same";

/// Bytes with what they are of.
fn of_memory(bytes: u64) -> String {
    match bytes {
        u64::MAX => "more memory than any machine has".to_owned(),
        bytes => format!("about {} of memory", in_words(bytes)),
    }
}

/// What to do where more memory is needed: only what this machine has can be allowed.
fn more(needed: u64) -> &'static str {
    match memory::ceiling() {
        Some(most) if most < needed => "take a machine with more memory",
        _ => "raise memory=",
    }
}

/// Refuses what nobody would wait for.
fn years(name: &str, engine: Engine, forecast: &Forecast) -> Result<(), Why> {
    let Some(seconds) = forecast.seconds.filter(|&seconds| seconds > YEAR) else { return Ok(()) };
    let needed = match forecast.whole_memory {
        0 => String::new(),
        bytes => format!(" and {}", of_memory(bytes).trim_start_matches("about ")),
    };
    let (time, engine, threads) =
        (words::years(seconds), engine.name(), words::threads(rayon::current_num_threads()));
    Err(Why::TooLong(format!(
        "{name} would take about {time} on {threads}{needed} by {engine}: take a smaller board; {FORCE}"
    )))
}

/// Refuses what does not fit. There may be a folder, for what has no room in memory.
fn room(name: &str, forecast: &Forecast, folder: Option<&Folder>, instead: &str) -> Result<(), Why> {
    let store = folder.map(|folder| folder.free().ok());
    let ceiling = in_words(forecast.ceiling.unwrap_or(u64::MAX));
    Err(match forecast.check(store) {
        Ok(()) => return Ok(()),
        Err(CountError::TooMuchMemory { needed, .. }) if needed == forecast.least => Why::NoRoom(format!(
            "{name} needs {} at least, with all else on the disk, and {ceiling} may be used: {}; {FORCE}",
            of_memory(needed),
            more(needed)
        )),
        Err(CountError::TooMuchMemory { needed, .. }) => Why::NoRoom(format!(
            "{name} needs {}, and {ceiling} may be used: {}{instead}, or take a smaller board; {FORCE}",
            of_memory(needed),
            more(needed)
        )),
        Err(CountError::TooMuchDisk { needed, room }) => Why::NoRoom(format!(
            "{name} needs about {} on the disk beside {ceiling} of memory, and there are {} to spare: {}, or take a disk \
             with more room; {FORCE}",
            in_words(needed),
            in_words(room),
            more(forecast.memory_beside(room))
        )),
        Err(error) => error.into(),
    })
}

fn refuse(name: &str, work: &Work, forecast: &Forecast, folder: Option<&Folder>) -> Result<(), Why> {
    let instead = match forecast.disk {
        0 => String::new(),
        disk => format!(
            ", or name memory=: what has no room in it, about {}, goes to the folder of checkpoint=, or that for temporary \
             files",
            in_words(disk)
        ),
    };
    years(name, work.question().request().engine, forecast)?;
    room(name, forecast, folder, &instead)
}

/// What a search would take years for a sweep may do sooner, if at a price: where the engine was left open, that is
/// what is told.
fn or_sweep(name: &str, asked: &Request, memory: Option<u64>, search: Why, control: &Control) -> Why {
    let sweep = Work::under(&Request { engine: Engine::Frontier, ..asked.clone() }, control);
    let sweep = sweep.and_then(|work| {
        let work = work.with_memory(memory);
        let outlook = work.outlook(&work.schedule(), control)?;
        Ok((work, outlook))
    });
    let Ok((work, outlook)) = sweep else { return search };
    match refuse(name, &work, &outlook, None) {
        Ok(()) => Why::TooLong(format!(
            "{name} would take years by a search, and a sweep is shorter: ask for engine=\"frontier\""
        )),
        Err(Why::TooLong(line)) => {
            Why::TooLong(line.replace(FORCE, &format!("engine=\"frontier\" with {FORCE}")))
        }
        Err(Why::NoRoom(line)) => {
            Why::NoRoom(line.replace(FORCE, &format!("engine=\"frontier\" with {FORCE}")))
        }
        Err(other) => other,
    }
}

/// Refuses units of a count that would take years, or do not fit: by the order of the squares at once, by a dry run
/// then. `asked` is the request before an engine was chosen.
pub fn count(
    name: &str,
    asked: &Request,
    (work, memory): (&Work, Option<u64>),
    units: &[u32],
    folder: Option<&Folder>,
    control: &Control,
) -> Result<(), Why> {
    let rough = work.outlook(units, control)?;
    if !work.is_sequential() {
        // Of a search nothing finer is known.
        return refuse(name, work, &rough, folder).map_err(|refused| match asked.engine {
            Engine::Auto => or_sweep(name, asked, memory, refused, control),
            _ => refused,
        });
    }
    // What is told without a dry run is in doubt.
    if refuse(name, work, &rough.at_least(), folder).is_err() {
        refuse(name, work, &rough, folder)?;
    }
    refuse(name, work, &work.forecast(units, control)?, folder)
}

/// Refuses a look at every tour that would take years, for counts up to symmetry.
pub fn up_to_symmetry(
    name: &str,
    request: &Request,
    setting: &Setting,
    with_classes: bool,
    control: &Control,
) -> Result<(), Why> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(());
    }
    let mut seconds = 0.0;
    for kind in kinds(request.kind) {
        let look = Census::new(setting, kind, control).look(with_classes)?;
        seconds += look.map_or(0.0, |look| look.seconds);
    }
    let seconds = seconds / rayon::current_num_threads().max(1) as f64;
    if seconds < YEAR {
        return Ok(());
    }
    Err(Why::TooLong(format!(
        "{name} up to symmetry takes a look at every tour, about {}: leave out distinct=, or take a smaller board; \
         {FORCE}",
        words::years(seconds)
    )))
}

/// Refuses sweeps that are held in memory, and of which nothing is saved.
pub fn in_memory(name: &str, forecast: &Forecast) -> Result<(), Why> {
    years(name, Engine::Frontier, forecast)?;
    room(name, forecast, None, "")
}

/// What there is not enough of for an index, in a line.
pub fn index(
    name: &str,
    demand: &Demand,
    memory: Option<u64>,
    folder: Option<Option<u64>>,
) -> Result<(), String> {
    if demand.seconds > YEAR {
        return Err(format!(
            "{name}: an index would take about {}: take a smaller board; {FORCE}",
            words::years(demand.seconds)
        ));
    }
    let Some(lack) = demand.lacks(memory, folder) else { return Ok(()) };
    let instead = match folder {
        None => format!(", keep the index in a folder, which takes about {}", in_words(demand.bytes)),
        Some(_) => String::new(),
    };
    let more = match lack {
        Lack::Disk(..) => "take a disk with more room",
        Lack::Memory(needed, _) | Lack::Tables(needed, _) => more(needed),
        _ => "raise memory=",
    };
    Err(format!("{name}: {lack}: {more}{instead}, or take a smaller board; {FORCE}"))
}
