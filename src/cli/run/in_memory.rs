//! Sweeps that are held in memory have a simpler admission check: those for symmetric tours, and one sweep
//! for a whole series.

use super::announce::{MINUTE, in_advance};
use super::refused::{FORCE, years};
use crate::cli::failure::Failure;
use crate::cli::human::bytes;
use crate::report::tell;
use ktour::count::{CountError, Engine, Forecast};

/// Prints the estimate of a count of symmetric tours, or refuses it. Such a count has no checkpoint.
pub fn announce_symmetric(name: &str, forecast: &Forecast, is_forced: bool) -> Result<(), Failure> {
    let instead = ", or use a smaller BOARD";
    announce_in_memory(name, forecast, is_forced, None, ("", instead), ", without checkpoints")
}

/// Prints the estimate of one sweep for a series of boards, or refuses it. The sweep is held in memory,
/// unless it has a checkpoint: then `store` is the free disk space in bytes, `Some(None)` if that is unknown.
pub fn announce_range(
    name: &str,
    forecast: &Forecast,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), Failure> {
    announce_in_memory(
        name,
        forecast,
        is_forced,
        store,
        range(forecast, store),
        "; each row is printed as soon as it is complete",
    )
}

/// Refuses a series sweep on the conditions of [`admit_series_sweep`], but prints nothing.
pub fn refuse_range(
    name: &str,
    forecast: &Forecast,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), Failure> {
    if is_forced { Ok(()) } else { refuse_in_memory(name, forecast, store, range(forecast, store)) }
}

/// Returns how a series is swept, and an alternative if spilling to disk would help.
fn range(forecast: &Forecast, store: Option<Option<u64>>) -> (&'static str, &'static str) {
    let is_helped = forecast.ceiling.is_some_and(|ceiling| forecast.least < ceiling);
    let instead = match store {
        _ if !is_helped => "",
        None => {
            ", add --checkpoint FILE to spill to disk, or count board by board with --engine frontier --spill DIR"
        }
        Some(_) => ", or count board by board with --engine frontier --spill DIR",
    };
    (" in one sweep", instead)
}

/// Prints the estimate of a sweep in memory if it is long, and refuses it if it does not fit.
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

/// Refuses a sweep in memory that does not fit or would take more than a year. The two texts say how it
/// sweeps and name an alternative.
fn refuse_in_memory(
    name: &str,
    forecast: &Forecast,
    store: Option<Option<u64>>,
    (how, instead): (&str, &str),
) -> Result<(), Failure> {
    years(name, Engine::Frontier, forecast)?;
    match forecast.check(store) {
        Err(CountError::TooMuchMemory { needed, ceiling }) => Err(Failure::failed(format!(
            "{name} needs about {} of memory{how}, {} may be used; raise --memory{instead}; {FORCE}",
            bytes(needed),
            bytes(ceiling)
        ))),
        fits => Ok(fits?),
    }
}
