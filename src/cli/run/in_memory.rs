//! What sweeps will take that are held in memory whole: those of half a board, and those along a range.

use super::announce::{MINUTE, in_advance};
use super::refused::{FORCE, years};
use crate::cli::failure::Failure;
use crate::cli::human::bytes;
use crate::report::tell;
use ktour::count::{CountError, Engine, Forecast};

/// Tells of counts of symmetric tours, of which nothing can be saved, or refuses them.
pub fn announce_symmetric(name: &str, forecast: &Forecast, is_forced: bool) -> Result<(), Failure> {
    let instead = ", or take a smaller BOARD";
    announce_in_memory(name, forecast, is_forced, None, ("", instead), "; it is not saved before its end")
}

/// The same for a range of boards in one sweep, whose rows stand as they come. It has nothing but memory, unless it is
/// saved: then there may be a `store`, with as much room as is known.
pub fn announce_range(
    name: &str,
    forecast: &Forecast,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), Failure> {
    announce_in_memory(name, forecast, is_forced, store, range(forecast, store), "; rows stand as they come")
}

/// Refuses what [`announce_range`] would, without a word on what may begin.
pub fn refuse_range(
    name: &str,
    forecast: &Forecast,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), Failure> {
    if is_forced { Ok(()) } else { refuse_in_memory(name, forecast, store, range(forecast, store)) }
}

/// How a range is swept, and what to do instead, where the disk is of any help.
fn range(forecast: &Forecast, store: Option<Option<u64>>) -> (&'static str, &'static str) {
    let is_helped = forecast.ceiling.is_some_and(|ceiling| forecast.least < ceiling);
    let instead = match store {
        _ if !is_helped => "",
        None => {
            "; with --checkpoint FILE it may be larger than memory, with --engine frontier --spill DIR it counts board by board"
        }
        Some(_) => "; with --engine frontier --spill DIR it counts board by board",
    };
    (" in one sweep", instead)
}

/// What is all in memory: told if it is long, refused if it does not fit.
fn announce_in_memory(
    name: &str,
    forecast: &Forecast,
    is_forced: bool,
    store: Option<Option<u64>>,
    how: (&str, &str),
    more: &str,
) -> Result<(), Failure> {
    if !is_forced {
        refuse_in_memory(name, forecast, store, how)?;
    }
    if forecast.seconds.is_some_and(|seconds| seconds >= MINUTE) {
        tell(format_args!("{name}: {}{more}", in_advance(Engine::Frontier, forecast, true)));
    }
    Ok(())
}

/// Refuses what does not fit or would take years, by how it sweeps and what to do instead.
fn refuse_in_memory(
    name: &str,
    forecast: &Forecast,
    store: Option<Option<u64>>,
    (how, instead): (&str, &str),
) -> Result<(), Failure> {
    years(name, Engine::Frontier, forecast)?;
    match forecast.check(store) {
        Err(CountError::TooMuchMemory { needed, ceiling }) => Err(Failure::failed(format!(
            "{name} needs about {} of memory{how}, and {} may be used: raise --memory{instead}; {FORCE}",
            bytes(needed),
            bytes(ceiling)
        ))),
        fits => Ok(fits?),
    }
}
