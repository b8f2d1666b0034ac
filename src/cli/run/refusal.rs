//! Refusals of the admission check: the decision, its message, and advice for a sweep that does not
//! fit.
//!
//! Options are advised only if the run would fit with them.
//!
//! ```text
//! estimates: the sweep, a sweep of one residue -+
//!                                               |-> MemoryAdvice -> text
//! Resources: memory, free disk space -----------+
//! ```

use std::path::{Path, PathBuf};

use ktour::batch::SpillDir;
use ktour::control::Control;
use ktour::count::{CountError, Engine, JobEstimate, Request, WorkPlan};
use ktour::frontier::ResidueRing;
use ktour::memory;
use ktour::text_format::YEAR_SECONDS;

use super::context::RunContext;
use crate::cli::error::CliError;
use crate::cli::quantities::{format_bytes, format_seconds, format_size, format_threads, round_up_size};

/// Hint that ends the message of a refused run.
pub const FORCE_HINT: &str = "--force starts anyway";

/// A run that the admission check refuses, with the estimate that shows why.
pub struct Refusal {
    context: RunContext,
    estimate: JobEstimate,
}

impl Refusal {
    /// Returns the refusal of a run, or `None` if the run is admitted. Uses the rough estimate
    /// first, and then the estimate of a dry run.
    pub fn find(context: RunContext, control: &Control) -> Result<Option<Self>, CountError> {
        let units = context.work.schedule();
        let rough = context.rough_estimate(&units, control)?;
        let is_hopeless = !is_admissible(&context, &rough) && is_surely_refused(&context, &rough);
        let forecast = match context.work.is_sequential() {
            true if !is_hopeless => context.estimate(&units, control)?,
            _ => rough,
        };
        Ok((!is_admissible(&context, &forecast)).then_some(Self { context, estimate: forecast }))
    }

    /// Returns the refusal as an error with remedies. `None` if the full check admits the run after
    /// all.
    pub fn to_error(&self, control: &Control) -> Option<CliError> {
        let Self { context, estimate: forecast } = self;
        let engine = context.work.validated_request().request().engine;
        check_admission(&context.title(), context, engine, forecast, control).err()
    }
}

/// Returns the estimated seconds if they exceed a year.
fn overlong_seconds(forecast: &JobEstimate) -> Option<f64> {
    forecast.seconds.filter(|&seconds| seconds > YEAR_SECONDS)
}

/// Returns an error if the run would take more than a year.
pub fn refuse_overlong(name: &str, engine: Engine, forecast: &JobEstimate) -> Result<(), CliError> {
    let Some(seconds) = overlong_seconds(forecast) else { return Ok(()) };
    let needed = if forecast.unspilled_bytes > 0 {
        match forecast.unspilled_bytes {
            u64::MAX => " and more memory than any machine has".to_owned(),
            needed => format!(" and {} of memory", format_bytes(needed)),
        }
    } else {
        String::new()
    };
    let (engine, threads) = (engine.name(), format_threads(rayon::current_num_threads()));
    Err(CliError::failed(format!(
        "{name} would take about {} on {threads}{needed} by {engine}; use a smaller BOARD; {FORCE_HINT}",
        format_seconds(seconds)
    )))
}

/// Returns the error for a refused search. If the engine was chosen automatically and a sweep would
/// be faster, the error advises the sweep, or explains why the sweep is refused too. Otherwise it
/// is `failure`.
pub fn suggest_sweep(
    name: &str,
    context: &RunContext,
    search: &JobEstimate,
    failure: CliError,
    control: &Control,
) -> CliError {
    if context.request.engine != Engine::Auto || context.work.is_sequential() {
        return failure;
    }
    let sweep = WorkPlan::new(&Request { engine: Engine::Frontier, ..context.request.clone() });
    let sweep = sweep.and_then(|work_plan| {
        let work_plan = work_plan.with_memory(context.run_options.memory_limit());
        work_plan.rough_estimate(&work_plan.schedule(), control)
    });
    let (Ok(sweep), Some(years)) = (sweep, search.seconds) else { return failure };
    let Some(seconds) = sweep.seconds.filter(|&seconds| seconds < years) else { return failure };
    let years = format_seconds(years);
    match check_admission(name, context, Engine::Frontier, &sweep, control) {
        Err(failure) => {
            let instead = format!(
                "a search would take about {years}; --engine frontier --force starts the sweep anyway"
            );
            CliError::failed(failure.to_string().replace(FORCE_HINT, &instead))
        }
        Ok(()) => CliError::failed(format!(
            "{name} would take about {years} by a search, and {} by a sweep; add --engine frontier",
            format_seconds(seconds)
        )),
    }
}

/// Returns true if the estimated run takes at most a year and fits into memory and disk.
pub fn is_admissible(context: &RunContext, forecast: &JobEstimate) -> bool {
    overlong_seconds(forecast).is_none() && forecast.check_fits(free_spill_space(context)).is_ok()
}

/// Returns true if a dry run cannot admit a sweep that its rough estimate refuses. Returns false if
/// the sweep lacks only its minimum memory, because a dry run estimates this value much better.
pub fn is_surely_refused(context: &RunContext, rough: &JobEstimate) -> bool {
    let rough = rough.lower_bound();
    if overlong_seconds(&rough).is_some() {
        return true;
    }
    match rough.check_fits(free_spill_space(context)) {
        Ok(()) => false,
        Err(CountError::TooMuchMemory { needed, .. }) if needed == rough.min_memory_bytes => {
            rough.cannot_spill() || !context.work.is_sequential()
        }
        Err(_) => true,
    }
}

/// Returns the number of free bytes for spilling: `None` without a spill folder, `Some(None)` if
/// the number is unknown.
fn free_spill_space(context: &RunContext) -> Option<Option<u64>> {
    context.spill_folder.as_ref().map(|folder| folder.free_bytes().ok())
}

/// Returns an error with remedies if the estimated run does not fit, or would take more than a
/// year. Plans two further sweeps, one for a residue and one for shards, to estimate what these
/// remedies need.
pub fn check_admission(
    name: &str,
    context: &RunContext,
    engine: Engine,
    forecast: &JobEstimate,
    control: &Control,
) -> Result<(), CliError> {
    refuse_overlong(name, engine, forecast)?;
    let Err(lack) = forecast.check_fits(free_spill_space(context)) else { return Ok(()) };
    let ceiling = forecast.memory_limit.unwrap_or(u64::MAX);
    let (place, free) = spill_location(context);
    let is_plain = context.output.symmetry.is_none();
    let residue = || {
        estimate_residue_sweep(&context.request, context.run_options.memory_limit(), forecast, control)
            .filter(|_| is_plain)
    };
    let remedies = |free| {
        let can_cut = context.request.shards == 1 && context.state.snapshot().is_none();
        let resources =
            Resources { memory_limit: ceiling, max_memory: memory::default_limit_bytes(), free_disk: free };
        let shared = estimate_shared_sweep(&context.request, context.run_options.memory_limit(), control)
            .filter(|_| is_plain);
        MemoryAdvice {
            estimate: forecast,
            residue_sweep: residue(),
            shared_sweep: shared,
            can_shard: can_cut,
        }
        .describe(&resources)
    };
    let limit = format_bytes(ceiling);
    let about = if forecast.is_shard { "up to" } else { "about" };
    Err(CliError::failed(match lack {
        CountError::TooMuchMemory { needed, .. } if forecast.cannot_spill() => format!(
            "{name} needs about {} of memory, but only {limit} may be used, and its frontier is too wide to spill to disk; {}use a \
             smaller BOARD; {FORCE_HINT}",
            format_bytes(needed),
            match memory::default_limit_bytes() {
                Some(max_memory) if round_up_size(needed) > max_memory => String::new(),
                _ => format!("raise --memory to {}, or ", format_size(needed)),
            }
        ),
        CountError::TooMuchMemory { needed, .. } if forecast.sweeps.is_empty() => format!(
            "{name} needs about {} of memory by {}, but only {limit} may be used; raise --memory to {}; {FORCE_HINT}",
            format_bytes(needed),
            engine.name(),
            format_size(needed)
        ),
        CountError::TooMuchMemory { needed, .. } if needed == forecast.min_memory_bytes => format!(
            "{name} needs about {} of memory{}, even with all layers on disk, but only {limit} may be used; {}; {FORCE_HINT}",
            format_bytes(needed),
            if forecast.is_rough { "" } else { " at least" },
            remedies(free)
        ),
        CountError::TooMuchMemory { needed, .. } if free.is_none_or(|free| forecast.disk_bytes <= free) => {
            format!(
                "{name} needs {about} {} of memory, but only {limit} may be used; add --checkpoint FILE, or --memory {} --spill DIR, \
             which needs {about} {} of disk, or {}; {FORCE_HINT}",
                format_bytes(needed),
                format_size_option(ceiling),
                format_bytes(forecast.disk_bytes),
                remedies(free)
            )
        }
        CountError::TooMuchMemory { needed, .. } => format!(
            "{name} needs {about} {} of memory without spilling, but only {limit} may be used, or {} of disk, {place} has {} free; \
             {}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(forecast.disk_bytes),
            format_bytes(free.unwrap_or(0)),
            remedies(free)
        ),
        CountError::TooMuchDisk { needed, available: room } => format!(
            "{name} needs {about} {} of disk with {limit} of memory, {place} has {} free; {}; {FORCE_HINT}",
            format_bytes(needed),
            format_bytes(room),
            remedies(Some(room))
        ),
        error => return Err(error.into()),
    }))
}

/// Returns the name of the folder into which the sweep spills, or could spill, and its free bytes.
fn spill_location(context: &RunContext) -> (String, Option<u64>) {
    let place = match (&context.checkpoint_file, &context.run_options.spill) {
        (Some(file), _) => file.path().parent().map_or_else(PathBuf::new, Path::to_owned),
        (None, Some(dir)) => dir.clone(),
        (None, None) if context.spill_folder.is_some() => std::env::temp_dir(),
        (None, None) => PathBuf::new(),
    };
    let place = if place.as_os_str().is_empty() { PathBuf::from(".") } else { place };
    let name = if place == Path::new(".") { "this folder".to_owned() } else { place.display().to_string() };
    (name, SpillDir::free_bytes_at(&place).ok())
}

/// Formats a size as the value of an option, rounded down to whole GiB or MiB.
fn format_size_option(bytes: u64) -> String {
    if bytes >> 30 > 0 { format!("{}G", bytes >> 30) } else { format!("{}M", (bytes >> 20).max(1)) }
}

/// The largest prime below 2^16, the modulus of two-byte residues.
const NARROW_PRIME: u32 = 65_521;

/// Maximum ratio of the total memory of several machines to the memory of the sweep. At a larger
/// ratio, sharing the sweep by `--mpi` is not advised.
const MAX_MEMORY_RATIO: u64 = 4;

/// Divisor of the safety margin of rough estimates: a margin of one byte in this many is added.
const ROUGH_MARGIN_DIVISOR: u64 = 8;

/// Memory and disk of this machine that a run may use.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Bytes of memory that may be used.
    pub memory_limit: u64,
    /// Largest value of `--memory` in bytes that this machine allows, if known.
    pub max_memory: Option<u64>,
    /// Number of free bytes on the disk, if known.
    pub free_disk: Option<u64>,
}

impl Resources {
    /// Returns true if a sweep fits that needs at least `least` bytes of memory, and `disk` bytes
    /// of disk.
    fn fits(&self, least: u64, disk: u64) -> bool {
        least < self.memory_limit && self.free_disk.is_none_or(|free| disk <= free)
    }
}

/// The facts from which advice is given if a sweep does not fit into memory or disk.
#[derive(Debug)]
pub struct MemoryAdvice<'a> {
    /// Estimate of the sweep that does not fit.
    pub estimate: &'a JobEstimate,
    /// Estimate of a sweep of one residue. `None` if the count cannot be recovered from residues,
    /// or such a sweep is not much smaller.
    pub residue_sweep: Option<JobEstimate>,
    /// Estimate of the one-sided sweep, which several machines can share, and which can be divided
    /// into shards.
    pub shared_sweep: Option<JobEstimate>,
    /// True if the sweep may be divided into shards.
    pub can_shard: bool,
}

impl MemoryAdvice<'_> {
    /// Returns the advice as text: options with which the sweep fits, or the memory and disk that
    /// are missing.
    pub fn describe(&self, resources: &Resources) -> String {
        let Self { estimate: forecast, residue_sweep: residue, shared_sweep: shared, can_shard: can_cut } =
            self;
        let shared = shared.as_ref().unwrap_or(forecast);
        // An estimate from the order alone may be too low.
        let with_margin = |bytes: u64| bytes.saturating_add(bytes / ROUGH_MARGIN_DIVISOR);
        let enough = forecast.min_memory_with_disk(resources.free_disk.unwrap_or(u64::MAX));
        let enough = if forecast.is_rough { with_margin(enough) } else { enough };
        let mut options = Vec::new();
        let has_memory = enough > resources.memory_limit
            && resources.max_memory.is_some_and(|most| round_up_size(enough) <= most);
        if has_memory {
            options.push(format!("raise --memory to {}", format_size(enough)));
        }
        let disk_text =
            |disk: u64| if disk > 0 { format!(" and {} of disk", format_bytes(disk)) } else { String::new() };
        if let Some(residue) = residue
            .as_ref()
            .filter(|residue| resources.fits(with_margin(residue.min_memory_bytes), residue.disk_bytes))
        {
            let takes = format!(
                "{} of memory{} for each sweep",
                format_bytes(residue.memory_bytes),
                disk_text(residue.disk_bytes)
            );
            options.push(format!("add --residues, which needs {takes}"));
        }
        // Each of 64 shards takes at most half of the sweep's memory and disk.
        if *can_cut && resources.fits(with_margin(shared.min_memory_bytes), shared.disk_bytes / 2) {
            let half = disk_text(shared.disk_bytes / 2);
            options
                .push(format!("run 64 shards by --shard R/64, each with at most half of the memory{half}"));
        }
        let mut advice = if options.is_empty() {
            self.missing_resources(enough, resources)
        } else {
            options.join(", or ")
        };
        // If tables fill most of the memory, larger machines are needed, and not more machines.
        let is_fair = |machines: u64| {
            machines.saturating_mul(resources.memory_limit) / MAX_MEMORY_RATIO <= shared.unspilled_bytes
        };
        let machines =
            shared.min_machines(resources.memory_limit).filter(|&machines| machines > 1 && !has_memory);
        if let Some(machines) = machines.filter(|&machines| is_fair(machines)) {
            advice += &format!("; {machines} such machines suffice with --mpi");
        }
        advice
    }

    /// Returns the text for a sweep that fits with no option: the memory or disk that it needs.
    fn missing_resources(&self, enough: u64, resources: &Resources) -> String {
        let Self { estimate: forecast, residue_sweep: residue, can_shard: can_cut, .. } = self;
        let memory = match enough {
            u64::MAX => None,
            enough => Some(format!("{} of memory", format_bytes(enough))),
        };
        let needed = match (resources.free_disk, memory) {
            (Some(free), memory)
                if forecast.disk_bytes > free && forecast.min_memory_bytes < resources.memory_limit =>
            {
                let or = memory.map_or_else(String::new, |memory| {
                    format!(
                        ", or use a machine with \
                    {memory}"
                    )
                });
                format!("free {} of disk{or}", format_bytes(forecast.disk_bytes - free))
            }
            (_, None) => "no machine has enough memory".to_owned(),
            (Some(_), Some(memory)) => format!("use a machine with {memory} and this disk"),
            (None, Some(memory)) => format!("use a machine with {memory}"),
        };
        let others = match (residue.is_some(), *can_cut) {
            (true, true) => "; --residues and --shard are not enough",
            (true, false) => "; --residues is not enough",
            (false, true) => "; --shard is not enough",
            (false, false) => "",
        };
        needed + others
    }
}

/// Returns the estimate of a sweep of one residue, if its memory is less than 3/4 of that of the
/// exact sweep `whole`.
pub fn estimate_residue_sweep(
    request: &Request,
    memory: Option<u64>,
    whole: &JobEstimate,
    control: &Control,
) -> Option<JobEstimate> {
    if request.modulus.is_some() || request.per_start {
        return None;
    }
    let work_plan = WorkPlan::new(&Request { modulus: ResidueRing::new(NARROW_PRIME), ..request.clone() })
        .ok()?
        .with_memory(memory);
    let residue = work_plan.rough_estimate(&work_plan.schedule(), control).ok()?;
    (residue.unspilled_bytes < whole.unspilled_bytes / 4 * 3).then_some(residue)
}

/// Returns the estimate of the one-sided sweep of a request, if it can be planned.
pub fn estimate_shared_sweep(
    request: &Request,
    memory: Option<u64>,
    control: &Control,
) -> Option<JobEstimate> {
    let work_plan = WorkPlan::new(request).ok()?.with_memory(memory).one_sided();
    work_plan.rough_estimate(&work_plan.schedule(), control).ok()
}

#[cfg(test)]
mod tests {
    use super::super::context::prepare_run;
    use super::super::test_support::{admission_error, sweep_request};
    use super::*;

    #[test]
    fn refusal_agrees_with_admit() {
        let spill = tempfile::tempdir().unwrap();
        let spilled = ["--memory", "8M", "--spill", spill.path().to_str().unwrap()];
        for (board, options) in [("6x6", &["--memory", "1G"][..]), ("12x12", &[]), ("10x10", &spilled)] {
            let control = Control::new();
            let message =
                Refusal::find(prepare_run(sweep_request(board, options)).unwrap(), &control).unwrap();
            let message = message.map(|message| message.to_error(&control).unwrap().to_string());
            assert_eq!(message, admission_error(board, options).err());
        }
    }
}

#[cfg(test)]
mod memory_advice_tests {
    use super::*;
    use ktour::board::Board;
    use ktour::count::Engine;
    use ktour::tour::Kind;

    const GIB: u64 = 1 << 30;

    /// Returns the advice for closed tours of a board with a memory limit `ceiling`, on a machine with `most`
    /// bytes of memory and `free` bytes of disk.
    fn advice_for(board: &str, ceiling: u64, most: u64, free: u64) -> String {
        let (kind, engine) = (Some(Kind::Closed), Engine::Frontier);
        let request = Request { kind, engine, ..Request::new(board.parse::<Board>().unwrap()) };
        let work_plan = WorkPlan::new(&request).unwrap().with_memory(Some(ceiling));
        let forecast = work_plan.rough_estimate(&work_plan.schedule(), &Control::new()).unwrap();
        let residue = estimate_residue_sweep(&request, Some(ceiling), &forecast, &Control::new());
        let resources = Resources { memory_limit: ceiling, max_memory: Some(most), free_disk: Some(free) };
        let shared = estimate_shared_sweep(&request, Some(ceiling), &Control::new());
        MemoryAdvice { estimate: &forecast, residue_sweep: residue, shared_sweep: shared, can_shard: true }
            .describe(&resources)
    }

    #[test]
    fn advice_names_only_options_that_fit() {
        // 10x10 takes about 1.2 TiB of memory, or 20 GiB of memory and 470 GiB of disk.
        let small = advice_for("10x10", 20 * GIB, 22 * GIB, 75 * GIB);
        assert!(small.contains(" GiB of disk") && small.contains(" TiB of memory"), "{small}");
        assert!(small.contains("--residues and --shard are not enough"), "{small}");
        assert!(small.contains("--mpi"), "{small}");
        assert!(!small.contains("raise") && !small.contains("add"), "{small}");
        let parts = advice_for("10x10", 20 * GIB, 22 * GIB, 300 * GIB);
        assert!(parts.contains("--shard R/64") && parts.contains(" GiB of disk"), "{parts}");
        let residues = advice_for("10x10", 20 * GIB, 22 * GIB, 400 * GIB);
        assert!(residues.contains("--residues") && residues.contains("20.00 GiB of memory"), "{residues}");
        let memory = advice_for("10x10", 20 * GIB, 1400 * GIB, 75 * GIB);
        assert!(memory.contains("--memory"), "{memory}");
        // The tables alone take more than 2 GiB.
        let tables = advice_for("10x10", 2 * GIB, 3 * GIB, 900 * GIB);
        assert!(
            tables.contains(" of memory") && tables.contains("not enough") && !tables.contains("--mpi"),
            "{tables}"
        );
        assert!(advice_for("10x10", 2 * GIB, 22 * GIB, 900 * GIB).contains("--memory"));
    }
}
