//! Estimates of `ktour estimate` for the engines: of a sweep, by its order or a dry run, and of a search.

use std::path::Path;

use super::estimated::Report;
use super::failure::Failure;
use super::remedies::{Here, Remedies, residue, shared};
use ktour::batch::Folder;
use ktour::control::Control;
use ktour::count::{Request, Work};
use ktour::memory;
use ktour::words::YEAR;

/// Longest dry run in seconds, unless the user allows any time.
const PATIENCE: f64 = 4.0;

/// Memory and disk that a sweep may use, and the time of its dry run.
#[derive(Clone, Copy)]
pub struct Allowed<'a> {
    /// Bytes of memory of `--memory`, if given.
    pub memory: Option<u64>,
    /// Folder of `--spill`, if given.
    pub spill: Option<&'a Path>,
    /// Whether the dry run may take any time.
    pub is_patient: bool,
}

/// Returns the estimated seconds of a sweep and adds its lines to the report, with advice if it does not fit.
/// `None` if no sweep is possible.
pub fn sweep(request: &Request, allowed: Allowed<'_>, report: &mut Report) -> Result<Option<f64>, Failure> {
    let patience = if allowed.is_patient { f64::INFINITY } else { PATIENCE };
    let forecast = Work::new(request).and_then(|work| {
        let work = work.with_memory(allowed.memory).with_patience(patience);
        work.forecast(&work.schedule(), &Control::new())
    });
    let forecast = match forecast {
        Ok(forecast) => forecast,
        Err(error) if error.is_out_of_reach() => {
            report.line("sweep", &format!("impossible: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    report.forecast(&forecast);
    let folder = allowed.spill.map_or_else(std::env::temp_dir, Path::to_owned);
    let free = Folder::spare(&folder).ok();
    if allowed.spill.is_some() || forecast.disk > 0 {
        report.spare(&folder, free);
    }
    let is_hopeless = forecast.seconds.is_some_and(|seconds| seconds > YEAR);
    if forecast.check(Some(free)).is_err() && !forecast.is_all_inside() && !is_hopeless {
        let ceiling = forecast.ceiling.unwrap_or(u64::MAX);
        let residue = residue(request, allowed.memory, &forecast, &Control::new());
        let here = Here { ceiling, most: memory::ceiling(), free };
        let shared = shared(request, allowed.memory, &Control::new());
        let remedies = Remedies { forecast: &forecast, residue, shared, can_cut: true };
        report.line("  advice", &remedies.told(&here));
    }
    Ok(forecast.seconds)
}
