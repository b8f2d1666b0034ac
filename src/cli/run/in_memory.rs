//! Sweeps that are held in memory have a simpler admission check: those for symmetric tours, and one sweep
//! for a whole series.

use super::announce::{NOTICE_SECONDS, format_estimate};
use super::refused::{FORCE_HINT, refuse_overlong};
use crate::cli::failure::CliError;
use crate::cli::human::format_bytes;
use crate::report::print_notice;
use ktour::count::{CountError, Engine, JobEstimate};

/// Prints the estimate of a count of symmetric tours, or refuses it. Such a count has no checkpoint.
pub fn admit_symmetric(name: &str, forecast: &JobEstimate, is_forced: bool) -> Result<(), CliError> {
    let instead = ", or use a smaller BOARD";
    admit_in_memory(name, forecast, is_forced, None, ("", instead), ", without checkpoints")
}

/// Prints the estimate of one sweep for a series of boards, or refuses it. The sweep is held in memory,
/// unless it has a checkpoint: then `store` is the free disk space in bytes, `Some(None)` if that is unknown.
pub fn admit_series_sweep(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), CliError> {
    admit_in_memory(
        name,
        forecast,
        is_forced,
        store,
        series_sweep_texts(forecast, store),
        "; each row is printed as soon as it is complete",
    )
}

/// Refuses a series sweep on the conditions of [`admit_series_sweep`], but prints nothing.
pub fn check_series_sweep(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
) -> Result<(), CliError> {
    if is_forced {
        Ok(())
    } else {
        check_in_memory(name, forecast, store, series_sweep_texts(forecast, store))
    }
}

/// Returns how a series is swept, and an alternative if spilling to disk would help.
fn series_sweep_texts(forecast: &JobEstimate, store: Option<Option<u64>>) -> (&'static str, &'static str) {
    let is_helped = forecast.memory_limit.is_some_and(|ceiling| forecast.min_memory_bytes < ceiling);
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
fn admit_in_memory(
    name: &str,
    forecast: &JobEstimate,
    is_forced: bool,
    store: Option<Option<u64>>,
    how: (&str, &str),
    more: &str,
) -> Result<(), CliError> {
    if !is_forced {
        check_in_memory(name, forecast, store, how)?;
    }
    if forecast.seconds.is_some_and(|seconds| seconds >= NOTICE_SECONDS) {
        print_notice(format_args!("{name}: {}{more}", format_estimate(Engine::Frontier, forecast, true)));
    }
    Ok(())
}

/// Refuses a sweep in memory that does not fit or would take more than a year. The two texts say how it
/// sweeps and name an alternative.
fn check_in_memory(
    name: &str,
    forecast: &JobEstimate,
    store: Option<Option<u64>>,
    (how, instead): (&str, &str),
) -> Result<(), CliError> {
    refuse_overlong(name, Engine::Frontier, forecast)?;
    match forecast.check_fits(store) {
        Err(CountError::TooMuchMemory { needed, ceiling }) => Err(CliError::failed(format!(
            "{name} needs about {} of memory{how}, {} may be used; raise --memory{instead}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(ceiling)
        ))),
        fits => Ok(fits?),
    }
}
