//! Admission checks: a run that would take more than a year, or does not fit, is refused unless it
//! is forced. The messages are those of the program, with keywords instead of options.
//!
//! ```text
//! WorkPlan -> rough estimate by the square order -> dry run of a sweep -> JobEstimate -> refused or started
//! ```

use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::symmetric::{ClassCounter, SymmetricContext};
use ktour::count::{CountError, Engine, JobEstimate, Request, WorkPlan};
use ktour::index::{IndexEstimate, Shortfall};
use ktour::memory::format_bytes;
use ktour::text_format::YEAR_SECONDS;
use ktour::{memory, text_format};

use super::errors::{ErrorClass, JobError};
use super::symmetry::requested_kinds;

/// Remedy at the end of every refusal.
const FORCE_REMEDY: &str = "force=True starts it anyway";

/// Formats an amount of memory for a message.
fn memory_text(bytes: u64) -> String {
    match bytes {
        u64::MAX => "more memory than any machine has".to_owned(),
        bytes => format!("about {} of memory", format_bytes(bytes)),
    }
}

/// Returns the remedy for a lack of memory: a higher memory limit if the machine has `needed`
/// bytes, otherwise another machine.
fn memory_remedy(needed: u64) -> &'static str {
    match memory::default_limit_bytes() {
        Some(most) if most < needed => "use a machine with more memory",
        _ => "raise memory=",
    }
}

/// Returns an error if the estimated time of a run exceeds a year.
fn check_time(name: &str, engine: Engine, forecast: &JobEstimate) -> Result<(), JobError> {
    let Some(seconds) = forecast.seconds.filter(|&seconds| seconds > YEAR_SECONDS) else { return Ok(()) };
    let needed = match forecast.unspilled_bytes {
        0 => String::new(),
        bytes => format!(" and {}", memory_text(bytes).trim_start_matches("about ")),
    };
    let (time, engine, threads) = (
        text_format::format_years(seconds),
        engine.name(),
        text_format::format_threads(rayon::current_num_threads()),
    );
    Err(JobError::new(
        ErrorClass::TooLong,
        format!(
            "{name} would take about {time} on {threads}{needed} by {engine}; use a smaller board; {FORCE_REMEDY}"
        ),
    ))
}

/// Returns an error if a run does not fit into memory, or into memory and the disk of `folder`.
/// `other_remedy` is a remedy that the error offers in addition.
fn check_space(
    name: &str,
    forecast: &JobEstimate,
    folder: Option<&SpillDir>,
    other_remedy: &str,
) -> Result<(), JobError> {
    let store = folder.map(|folder| folder.free_bytes().ok());
    let ceiling = format_bytes(forecast.memory_limit.unwrap_or(u64::MAX));
    let line = match forecast.check_fits(store) {
        Ok(()) => return Ok(()),
        Err(CountError::TooMuchMemory { needed, .. }) if needed == forecast.min_memory_bytes => format!(
            "{name} needs {} at least, even with everything else on disk, {ceiling} may be used; {}; {FORCE_REMEDY}",
            memory_text(needed),
            memory_remedy(needed)
        ),
        Err(CountError::TooMuchMemory { needed, .. }) => format!(
            "{name} needs {}, {ceiling} may be used; {}{other_remedy}, or use a smaller board; {FORCE_REMEDY}",
            memory_text(needed),
            memory_remedy(needed)
        ),
        Err(CountError::TooMuchDisk { needed, available: room }) => format!(
            "{name} needs about {} of disk with {ceiling} of memory, {} are free; {}, or use a larger \
             disk; {FORCE_REMEDY}",
            format_bytes(needed),
            format_bytes(room),
            memory_remedy(forecast.min_memory_with_disk(room))
        ),
        Err(error) => return Err(error.into()),
    };
    Err(JobError::new(ErrorClass::OutOfMemory, line))
}

fn check_estimate(
    name: &str,
    work_plan: &WorkPlan,
    forecast: &JobEstimate,
    folder: Option<&SpillDir>,
) -> Result<(), JobError> {
    let other_remedy = match forecast.disk_bytes {
        0 => String::new(),
        disk => format!(
            ", or give memory= (about {} then go to the folder of checkpoint=, or of temporary files)",
            format_bytes(disk)
        ),
    };
    check_time(name, work_plan.validated_request().request().engine, forecast)?;
    check_space(name, forecast, folder, &other_remedy)
}

/// Returns the refusal of a run that would take years by a search. If the engine was chosen
/// automatically, a sweep may be possible, so the message describes what a sweep needs.
/// `search_refusal` is returned if no sweep is possible.
fn refusal_with_sweep(
    name: &str,
    request: &Request,
    memory: Option<u64>,
    search_refusal: JobError,
    control: &Control,
) -> JobError {
    let sweep = WorkPlan::new_with_control(&Request { engine: Engine::Frontier, ..request.clone() }, control);
    let sweep = sweep.and_then(|work_plan| {
        let work_plan = work_plan.with_memory(memory);
        let estimate = work_plan.rough_estimate(&work_plan.schedule(), control)?;
        Ok((work_plan, estimate))
    });
    let Ok((work_plan, estimate)) = sweep else { return search_refusal };
    match check_estimate(name, &work_plan, &estimate, None) {
        Ok(()) if search_refusal.class == ErrorClass::TooLong => JobError::new(
            ErrorClass::TooLong,
            format!("{name} would take years by a search, and a sweep is faster; use engine=\"frontier\""),
        ),
        Ok(()) => {
            let remedy = format!("engine=\"frontier\" needs less; {FORCE_REMEDY}");
            JobError { message: search_refusal.message.replace(FORCE_REMEDY, &remedy), ..search_refusal }
        }
        Err(JobError { class, message }) => {
            let remedy = format!("engine=\"frontier\" with {FORCE_REMEDY}");
            JobError { class, message: message.replace(FORCE_REMEDY, &remedy) }
        }
    }
}

/// Returns an error if the units of a count would take more than a year, or do not fit. Uses the
/// rough estimate from the order of the squares first, and then a dry run. `request` is the request
/// before an engine was chosen.
pub fn check_count(
    name: &str,
    request: &Request,
    (work, memory): (&WorkPlan, Option<u64>),
    units: &[u32],
    folder: Option<&SpillDir>,
    control: &Control,
) -> Result<(), JobError> {
    let rough = work.rough_estimate(units, control)?;
    if !work.is_sequential() {
        // A search has no finer estimate.
        return check_estimate(name, work, &rough, folder).map_err(|refused| match request.engine {
            Engine::Auto => refusal_with_sweep(name, request, memory, refused, control),
            _ => refused,
        });
    }
    // The rough estimate may be far off, so a refusal needs its lower bound first.
    if check_estimate(name, work, &rough.lower_bound(), folder).is_err() {
        check_estimate(name, work, &rough, folder)?;
    }
    check_estimate(name, work, &work.estimate(units, control)?, folder)
}

/// Returns an error if a count up to symmetry requires an enumeration of all tours that takes more
/// than a year. If `with_classes`, the table of symmetry classes is requested.
pub fn check_enumeration(
    name: &str,
    request: &Request,
    setting: &SymmetricContext,
    with_classes: bool,
    control: &Control,
) -> Result<(), JobError> {
    if request.start.is_some() || request.end.is_some() {
        return Ok(());
    }
    let mut seconds = 0.0;
    for kind in requested_kinds(request.kind) {
        let estimate = ClassCounter::new(setting, kind, control).enumeration_estimate(with_classes)?;
        seconds += estimate.map_or(0.0, |estimate| estimate.seconds);
    }
    let seconds = seconds / rayon::current_num_threads().max(1) as f64;
    if seconds < YEAR_SECONDS {
        return Ok(());
    }
    Err(JobError::new(
        ErrorClass::TooLong,
        format!(
            "{name} up to symmetry requires an enumeration of all tours, about {}; omit distinct=, or use a \
         smaller board; {FORCE_REMEDY}",
            text_format::format_years(seconds)
        ),
    ))
}

/// Returns an error if sweeps without a checkpoint do not fit into memory, or would take more than
/// a year.
pub fn check_sweep_in_memory(name: &str, forecast: &JobEstimate) -> Result<(), JobError> {
    check_time(name, Engine::Frontier, forecast)?;
    check_space(name, forecast, None, "")
}

/// Returns the refusal of an index that does not fit or would take more than a year. `memory` is
/// the memory limit in bytes. `folder` is `None` for an index in memory, otherwise the free bytes
/// of its folder, if known.
pub fn check_index(
    name: &str,
    demand: &IndexEstimate,
    memory: Option<u64>,
    folder: Option<Option<u64>>,
) -> Result<(), String> {
    if demand.seconds > YEAR_SECONDS {
        return Err(format!(
            "{name}: an index would take about {}; use a smaller board; {FORCE_REMEDY}",
            text_format::format_years(demand.seconds)
        ));
    }
    let Some(lack) = demand.shortfall(memory, folder) else { return Ok(()) };
    let other_remedy = match folder {
        None => {
            format!(", store the index in a folder, which needs about {}", format_bytes(demand.layer_bytes))
        }
        Some(_) => String::new(),
    };
    let remedy = match lack {
        Shortfall::Disk(..) => "use a larger disk",
        Shortfall::Memory(needed, _) | Shortfall::Tables(needed, _) => memory_remedy(needed),
        _ => "raise memory=",
    };
    Err(format!("{name}: {lack}; {remedy}{other_remedy}, or use a smaller board; {FORCE_REMEDY}"))
}
