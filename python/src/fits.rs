//! The admission check: a run that would take more than a year, or does not fit, is refused unless it is
//! forced. The messages are those of the program, with keywords instead of its options.
//!
//! ```text
//! WorkPlan -> rough estimate by the square order -> dry run of a sweep -> JobEstimate -> refused or started
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

/// Remedy that ends every refusal.
const FORCE: &str = "force=True starts it anyway";

/// Formats an amount of memory for a message.
fn of_memory(bytes: u64) -> String {
    match bytes {
        u64::MAX => "more memory than any machine has".to_owned(),
        bytes => format!("about {} of memory", in_words(bytes)),
    }
}

/// Returns the remedy for a lack of memory: a higher limit, if the machine has `needed` bytes, else another
/// machine.
fn more(needed: u64) -> &'static str {
    match memory::ceiling() {
        Some(most) if most < needed => "use a machine with more memory",
        _ => "raise memory=",
    }
}

/// Refuses a run with an estimate of more than a year.
fn years(name: &str, engine: Engine, forecast: &Forecast) -> Result<(), Why> {
    let Some(seconds) = forecast.seconds.filter(|&seconds| seconds > YEAR) else { return Ok(()) };
    let needed = match forecast.whole_memory {
        0 => String::new(),
        bytes => format!(" and {}", of_memory(bytes).trim_start_matches("about ")),
    };
    let (time, engine, threads) =
        (words::years(seconds), engine.name(), words::threads(rayon::current_num_threads()));
    Err(Why::TooLong(format!(
        "{name} would take about {time} on {threads}{needed} by {engine}; use a smaller board; {FORCE}"
    )))
}

/// Refuses a run that does not fit into memory, or into memory and `folder`. `instead` is an additional
/// remedy.
fn room(name: &str, forecast: &Forecast, folder: Option<&Folder>, instead: &str) -> Result<(), Why> {
    let store = folder.map(|folder| folder.free().ok());
    let ceiling = in_words(forecast.ceiling.unwrap_or(u64::MAX));
    Err(match forecast.check(store) {
        Ok(()) => return Ok(()),
        Err(CountError::TooMuchMemory { needed, .. }) if needed == forecast.least => Why::NoRoom(format!(
            "{name} needs {} at least, even with everything else on disk, {ceiling} may be used; {}; {FORCE}",
            of_memory(needed),
            more(needed)
        )),
        Err(CountError::TooMuchMemory { needed, .. }) => Why::NoRoom(format!(
            "{name} needs {}, {ceiling} may be used; {}{instead}, or use a smaller board; {FORCE}",
            of_memory(needed),
            more(needed)
        )),
        Err(CountError::TooMuchDisk { needed, room }) => Why::NoRoom(format!(
            "{name} needs about {} of disk with {ceiling} of memory, {} are free; {}, or use a larger \
             disk; {FORCE}",
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
            ", or give memory= (about {} then go to the folder of checkpoint=, or of temporary files)",
            in_words(disk)
        ),
    };
    years(name, work.question().request().engine, forecast)?;
    room(name, forecast, folder, &instead)
}

/// Returns the refusal to report if a search would take years and the engine was not chosen by the caller. A
/// sweep may be possible, so the message describes what a sweep needs. `search` is the refusal of the search.
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
            "{name} would take years by a search, and a sweep is faster; use engine=\"frontier\""
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

/// Refuses units of a count that would take more than a year, or do not fit: first by the rough estimate from
/// the order of the squares, then by a dry run. `asked` is the request before an engine was chosen.
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
        // A search has no finer estimate.
        return refuse(name, work, &rough, folder).map_err(|refused| match asked.engine {
            Engine::Auto => or_sweep(name, asked, memory, refused, control),
            _ => refused,
        });
    }
    // The rough estimate may be far off, so a refusal needs its lower bound first.
    if refuse(name, work, &rough.at_least(), folder).is_err() {
        refuse(name, work, &rough, folder)?;
    }
    refuse(name, work, &work.forecast(units, control)?, folder)
}

/// Refuses a count of symmetry classes that requires an enumeration of more than a year.
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
        "{name} up to symmetry requires an enumeration of all tours, about {}; omit distinct=, or use a \
         smaller board; {FORCE}",
        words::years(seconds)
    )))
}

/// Refuses sweeps without a checkpoint that do not fit into memory, or would take more than a year.
pub fn in_memory(name: &str, forecast: &Forecast) -> Result<(), Why> {
    years(name, Engine::Frontier, forecast)?;
    room(name, forecast, None, "")
}

/// Returns the refusal of an index that does not fit or would take more than a year. `memory` is its limit in
/// bytes; `folder` holds the free bytes of its folder, if it has one and if they are known.
pub fn index(
    name: &str,
    demand: &Demand,
    memory: Option<u64>,
    folder: Option<Option<u64>>,
) -> Result<(), String> {
    if demand.seconds > YEAR {
        return Err(format!(
            "{name}: an index would take about {}; use a smaller board; {FORCE}",
            words::years(demand.seconds)
        ));
    }
    let Some(lack) = demand.lacks(memory, folder) else { return Ok(()) };
    let instead = match folder {
        None => format!(", store the index in a folder, which needs about {}", in_words(demand.bytes)),
        Some(_) => String::new(),
    };
    let more = match lack {
        Lack::Disk(..) => "use a larger disk",
        Lack::Memory(needed, _) | Lack::Tables(needed, _) => more(needed),
        _ => "raise memory=",
    };
    Err(format!("{name}: {lack}; {more}{instead}, or use a smaller board; {FORCE}"))
}
