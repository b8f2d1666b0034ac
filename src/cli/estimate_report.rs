//! The estimates that `ktour estimate` makes and prints: of a sweep, of a search, and of a series
//! of boards.
//!
//! A sweep is estimated by its order or a dry run, a search by random walks down its tree (Knuth
//! 1975), a series by the time of all boards and the details of the most expensive one. The report
//! is lines of text, and fields for CSV and JSON.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use ktour::batch::{Shard, SpillDir};
use ktour::budget::{Budget, DiskBudget};
use ktour::control::Control;
use ktour::count::admission::{Admission, Alternatives};
use ktour::count::engine_cost::search_seconds;
use ktour::count::{CountError, Engine, JobEstimate, Request, SearchEstimate, WorkPlan, count};
use ktour::frontier;
use ktour::index::IndexEstimate;
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::series::{SeriesEstimate, SeriesRefusal};
use ktour::text_format::{YEAR_SECONDS, format_count, is_lower_bound, wrap_lines};
use ktour::tour::Kind;

use super::args::output_options::OutputFiles;
use super::error::CliError;
use super::estimate_fields::{EstimateFields, SweepFields};
use super::quantities::{all_threads, format_bytes, format_seconds, format_size};
use super::refusal::RemedyWords;
use crate::report::{Cell, NamedCells, group_digits, terminal_columns, to_pretty_json};

/// Time in seconds up to which the choice between two engines does not matter.
const EQUAL_SECONDS: f64 = 0.05;

/// Width of the names of lines, in columns.
const NAME_COLUMNS: usize = 8;

/// Value at which sums saturate. The true value of a sum that has reached it is unknown.
const SATURATED_SUM: u64 = 1 << 63;

/// The estimates for a request, as text and as the fields of CSV and JSON.
#[derive(Default)]
pub struct EstimateReport {
    pub text: String,
    pub fields: EstimateFields,
}

impl EstimateReport {
    /// Adds a line of text with a name. The text is wrapped to the width of the terminal.
    pub fn add_line(&mut self, name: &str, value: &str) {
        let columns_left = terminal_columns()
            .map_or(usize::MAX, |columns| columns.saturating_sub(NAME_COLUMNS + 2).max(NAME_COLUMNS));
        let mut name = name;
        for line in wrap_lines(value, columns_left) {
            writeln!(self.text, "{name:<NAME_COLUMNS$} {line}").expect("a text can be written to");
            name = "";
        }
    }

    /// Adds a note that the estimates are for a shard.
    pub fn add_shard(&mut self, shard: Shard) {
        self.add_line("shard", &format!("{shard}; a search is estimated as the mean of all shards"));
        self.fields.parts = Some(shard.count());
    }

    /// Writes the files, and prints the text unless one of them is standard output.
    pub fn write(&self, files: OutputFiles) -> Result<(), CliError> {
        files.report(|| self.fields.csv_rows(), || to_pretty_json(&self.fields), || self.text.clone())
    }

    /// Adds the engine that `ktour count` would choose. If the other engine is faster by these
    /// estimates, and the difference matters, adds that engine too.
    pub fn add_cheaper_engine(&mut self, engine: Engine, search: Option<f64>, sweep: Option<f64>) {
        let faster = match (search, sweep) {
            (Some(search), Some(sweep)) if search.max(sweep) > EQUAL_SECONDS => {
                Some(if search <= sweep { Engine::Multipath } else { Engine::Frontier })
            }
            _ => None,
        };
        let hint = faster.filter(|&faster| faster != engine).map_or_else(String::new, |faster| {
            format!(" by the rough estimate that count uses; --engine {} by these estimates", faster.name())
        });
        self.add_line("cheaper", &format!("{}{hint}", engine.name()));
        self.fields.cheaper = Some(engine.name());
    }

    /// Adds the estimate of an index of all tours to the report.
    pub fn add_index(&mut self, demand: &IndexEstimate) {
        let threads = all_threads();
        let sweep = &demand.sweep;
        let bytes = format_bytes(demand.layer_bytes);
        self.add_line("index", &format!("{bytes} in memory or on disk, {} layers", sweep.steps));
        let [memory, with_folder, statistics] =
            [demand.memory_bytes, demand.memory_bytes_with_folder, demand.statistics_bytes].map(format_bytes);
        self.add_line("  memory", &format!("{memory}, or {with_folder} with --index DIR"));
        self.add_line("  time", &format!("{} on {threads}", format_seconds(demand.seconds)));
        let seconds = format_seconds(demand.statistics_seconds);
        self.add_line("  stats", &format!("{statistics} of memory and {seconds} more, with --index DIR"));
        self.fields.index = Some(NamedCells(vec![
            ("steps", sweep.steps.into()),
            ("bytes", demand.layer_bytes.into()),
            ("memory_bytes", demand.memory_bytes.into()),
            ("folder_memory_bytes", demand.memory_bytes_with_folder.into()),
            ("seconds", Cell::Seconds(demand.seconds)),
            ("statistics_memory_bytes", demand.statistics_bytes.into()),
            ("statistics_seconds", Cell::Seconds(demand.statistics_seconds)),
            ("exact", sweep.is_exact.into()),
        ]));
    }

    /// Adds the total time of `sweeps` sweeps, one for each residue, of `seconds` each.
    pub fn add_residues(&mut self, sweeps: usize, seconds: Option<f64>) {
        let all = seconds.map(|seconds| seconds * sweeps as f64);
        if sweeps > 1 {
            let (threads, time_text) =
                (rayon::current_num_threads(), format_seconds(all.unwrap_or(f64::INFINITY)));
            self.add_line(
                "residues",
                &format!("{sweeps} such sweeps, {time_text} on {threads} threads, one after the other"),
            );
        }
        self.fields.residues =
            Some(NamedCells(vec![("sweeps", sweeps.into()), ("seconds", all.map(Cell::Seconds).into())]));
    }

    /// Adds the total time of all boards of a range, counted one after the other.
    pub fn add_series_total(&mut self, all: &SeriesEstimate) {
        let SeriesEstimate { boards, runs, seconds, .. } = *all;
        let run_text =
            if runs == boards { String::new() } else { format!(" by {}", format_count(runs, "run")) };
        let prefix = if seconds > YEAR_SECONDS { "the first " } else { "" };
        let time = format_seconds(seconds);
        let threads = all_threads();
        self.add_line(
            "in all",
            &format!("{prefix}{}{run_text}, {time} on {threads}", format_count(boards, "board")),
        );
        let cells =
            vec![("boards", boards.into()), ("runs", runs.into()), ("seconds", Cell::Seconds(seconds))];
        self.fields.in_all = Some(NamedCells(cells));
        self.add_line("here", &series_verdict(all));
    }

    /// Adds the number of free bytes on the disk of the spill folder.
    pub fn add_free_space(&mut self, folder: &Path, spare: Option<u64>) {
        let text = spare.map_or("unknown".to_owned(), format_bytes);
        self.add_line("  free", &format!("{text} in {}", folder.display()));
        self.fields.room_bytes = Some(spare);
    }

    /// Adds the estimates of the sweeps of a job.
    pub fn add_sweeps(&mut self, forecast: &JobEstimate) {
        let threads = all_threads();
        for sweep in &forecast.sweeps {
            if sweep.steps == 0 {
                self.add_line("sweep", "not needed: the count is known at once");
                continue;
            }
            self.add_line("sweep", &format!("{} steps, frontier of {} slots", sweep.steps, sweep.slots));
            let most = match unsaturated(sweep.peak_weights) {
                None => "",
                Some(_) if sweep.is_exact => "at most ",
                Some(_) => "about ",
            };
            let (peak, all) = (format_states(sweep.peak_weights), format_states(sweep.weights));
            self.add_line("  states", &format!("{most}{peak} at once, {all} in all"));
            self.add_line("  memory", &format_bytes(sweep.peak_bytes));
            let outside = forecast.memory_limit.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default();
            if let (Some(ceiling), true) = (forecast.memory_limit, outside.bytes > 0) {
                let text = if sweep.cannot_spill {
                    "--spill does not help: the frontier is too wide".to_owned()
                } else if sweep.min_memory_under(ceiling) < ceiling {
                    format!("{} with {} of memory", format_bytes(outside.bytes), format_bytes(ceiling))
                } else {
                    let least = format_bytes(sweep.min_memory());
                    format!(
                        "of no use: at least {least} of memory are needed, but only {} may be used",
                        format_bytes(ceiling)
                    )
                };
                self.add_line("  disk", &text);
            }
            if !sweep.cannot_spill {
                self.add_line(
                    "  saved",
                    &format!("{} of disk, with --checkpoint", format_bytes(sweep.checkpoint_bytes())),
                );
            }
            let seconds = sweep.seconds + outside.seconds;
            // The longest time that is written says itself that it is a lower bound.
            let is_plain = unsaturated(sweep.weights).is_some() || is_lower_bound(seconds);
            let more = if is_plain { "" } else { "more than " };
            self.add_line("  time", &format!("{more}{} on {threads}", format_seconds(seconds)));
            if !sweep.is_exact {
                let of = if forecast.is_largest_shard { ", for the largest shard" } else { "" };
                let text = format!(
                    "estimated from the order of its squares{of}; add --wide for a dry run of any length"
                );
                self.add_line("", &text);
            }
        }
        if forecast.sweeps.len() > 1 {
            let all = format_seconds(forecast.seconds.unwrap_or(f64::INFINITY));
            self.add_line("sweeps", &format!("{all} on {threads}, one after the other"));
        }
        let sum = |sum: u64| unsaturated(sum).into();
        let sweep_cells = |sweep: &frontier::Estimate| {
            let outside = forecast.memory_limit.map(|ceiling| sweep.spill(ceiling)).unwrap_or_default();
            NamedCells(vec![
                ("steps", sweep.steps.into()),
                ("slots", sweep.slots.into()),
                ("peak_weights", sum(sweep.peak_weights)),
                ("weights", sum(sweep.weights)),
                ("memory_bytes", sum(sweep.peak_bytes)),
                ("least_bytes", sum(sweep.min_memory())),
                ("disk_bytes", sum(outside.bytes)),
                ("written_bytes", sum(outside.written_bytes)),
                ("saved_bytes", sum(sweep.checkpoint_bytes())),
                ("seconds", Cell::Seconds(sweep.seconds + outside.seconds)),
                ("exact", sweep.is_exact.into()),
            ])
        };
        let total = vec![
            ("ceiling_bytes", forecast.memory_limit.into()),
            ("memory_bytes", sum(forecast.memory_bytes)),
            ("disk_bytes", sum(forecast.disk_bytes)),
            ("saved_bytes", sum(forecast.checkpoint_bytes)),
            ("seconds", forecast.seconds.map(Cell::Seconds).into()),
        ];
        let sweeps = forecast.sweeps.iter().map(sweep_cells).collect();
        self.fields.sweep = Some(SweepFields { sweeps, total: NamedCells(total) });
    }
}

/// Returns a sum, or `None` if it is saturated and so unknown.
fn unsaturated(sum: u64) -> Option<u64> {
    Some(sum).filter(|&sum| sum < SATURATED_SUM)
}

/// Smallest number of states that is rounded.
const MIN_ROUNDED_STATES: u64 = 10_000_000;

/// Formats a number of states.
fn format_states(number: u64) -> String {
    match unsaturated(number) {
        Some(number) if number < MIN_ROUNDED_STATES => group_digits(&number.into()),
        Some(number) => format!("{:.3e}", number as f64),
        None => format!("more than {:.1e}", SATURATED_SUM as f64),
    }
}

/// Least time limit of a dry run in seconds, unless the user allows any time. A long sweep has the limit of a count.
const DRY_RUN_SECONDS: f64 = 4.0;

/// Memory and disk that a sweep may use, and whether its dry run may take long.
#[derive(Clone, Copy)]
pub struct SweepLimits<'a> {
    /// Value of `--memory` in bytes, if given.
    pub memory: Option<u64>,
    /// Folder of `--spill`, if given.
    pub spill: Option<&'a Path>,
    /// True if the dry run may take any time.
    pub allows_long_dry_run: bool,
    /// The shard of the count.
    pub shard: Shard,
    /// Number of sweeps like the estimated one, which run one after the other.
    pub sweeps: usize,
    /// Other ways to count that the options do not exclude.
    pub alternatives: Alternatives,
}

/// The time of a count by one engine, and whether it can run on this machine.
pub struct EngineForecast {
    /// Estimated seconds.
    pub seconds: f64,
    /// Ratio of these seconds to those of a rough estimate.
    pub correction: f64,
    /// The text of the line `here`: `yes`, or `no` with the reason.
    pub verdict: String,
}

/// Returns the estimate of a sweep, and adds its lines to the report. `None` if no sweep is possible.
pub fn estimate_sweep(
    request: &Request,
    limits: SweepLimits<'_>,
    report: &mut EstimateReport,
) -> Result<Option<EngineForecast>, CliError> {
    let dry_run_seconds = if limits.allows_long_dry_run { f64::INFINITY } else { DRY_RUN_SECONDS };
    let forecast = WorkPlan::new(request).and_then(|work_plan| {
        let work_plan = work_plan.with_memory(limits.memory).with_dry_run_seconds(dry_run_seconds);
        let mut units = work_plan.schedule();
        units.retain(|&unit| limits.shard.contains(unit as usize));
        let forecast = work_plan.estimate(&units, &Control::new())?;
        let rough = work_plan.rough_estimate(&units, &Control::new())?;
        Ok((work_plan, units, forecast, rough))
    });
    let (work_plan, units, forecast, rough) = match forecast {
        Ok(planned) => planned,
        Err(error) if error.is_resource_limit() => {
            report.add_line("sweep", &format!("impossible: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let folder = limits.spill.map_or_else(std::env::temp_dir, Path::to_owned);
    let free = SpillDir::free_bytes_at(&folder).ok();
    let admission = Admission {
        disk: DiskBudget::from_free(free),
        free_disk: free,
        alternatives: limits.alternatives,
        ..Admission::new(request, &work_plan, &units)
    };
    // All lines show the estimate by which the sweep is admitted.
    let (forecast, refusal) = match forecast.check(admission.disk) {
        Ok(()) => (forecast, None),
        Err(shortage) => match admission.admit_or_refuse_as_planned(&forecast, shortage, &Control::new()) {
            Ok(better) => (better, None),
            Err(error) => (forecast, Some(error)),
        },
    };
    report.add_sweeps(&forecast);
    if limits.spill.is_some() || forecast.disk_bytes > 0 {
        report.add_free_space(&folder, free);
    }
    let seconds = forecast.seconds.unwrap_or(f64::INFINITY);
    let correction = match rough.seconds {
        Some(rough) if rough > 0.0 && seconds.is_finite() => seconds / rough,
        _ => 1.0,
    };
    let verdict = match refusal {
        None => admitted_sweep_verdict(&forecast, admission.disk, &folder, limits),
        Some(CountError::Refused(refusal)) => {
            let words =
                RemedyWords { folder: folder.display().to_string(), ..RemedyWords::new("--spill DIR") };
            format!("no: {}", refusal.describe(&request.title(), |remedy| words.phrase(remedy)))
        }
        Some(error) => format!("no: {error}"),
    };
    Ok(Some(EngineForecast { seconds, correction, verdict }))
}

/// Returns the text of the line `here` for an admitted sweep, whose `folder` takes what exceeds the memory.
fn admitted_sweep_verdict(
    forecast: &JobEstimate,
    disk: DiskBudget,
    folder: &Path,
    limits: SweepLimits<'_>,
) -> String {
    let time = format_seconds(forecast.seconds.unwrap_or(f64::INFINITY) * limits.sweeps as f64);
    let needed = format_bytes(forecast.unspilled_bytes);
    let Some(limit) = forecast.memory_limit.filter(|&limit| limit < forecast.unspilled_bytes) else {
        return format!("yes: about {time}, {needed} of memory");
    };
    let can_spill = !forecast.cannot_spill() && !forecast.sweeps.is_empty();
    let disk_budget = Budget { disk, ..Budget::new(Some(limit)) };
    let fits_on_disk = can_spill && disk_budget.check_disk(&forecast.requirements()).is_ok();
    let (size, memory) = (format_size(limit), format_bytes(limit));
    if !fits_on_disk {
        // It fits into memory within the error of the estimate.
        return format!("yes, if it needs at most {memory} of memory instead of {needed}: about {time}");
    }
    let spill = limits.spill.map_or_else(String::new, |dir| format!(" --spill {}", dir.display()));
    let disk = format_bytes(forecast.disk_bytes);
    format!(
        "yes, with --memory {size}{spill}: about {time}, {memory} of memory, {disk} of disk in {}",
        folder.display()
    )
}

/// Returns the text of the line `here` for a search of `seconds` seconds.
fn search_verdict(seconds: f64) -> String {
    let time = format_seconds(seconds);
    if seconds > YEAR_SECONDS { format!("no: it would take {time}") } else { format!("yes: about {time}") }
}

/// Returns the text of the line `here` for a series.
fn series_verdict(all: &SeriesEstimate) -> String {
    match &all.refusal {
        Some(SeriesRefusal { run, shortage, can_save }) => {
            let remedy = if *can_save { "add --checkpoint FILE" } else { "use a shorter range" };
            format!("no: {run} {shortage}; {remedy}")
        }
        None if all.seconds > YEAR_SECONDS => search_verdict(all.seconds),
        None => {
            let (time, memory) = (format_seconds(all.seconds), format_bytes(all.memory_bytes));
            format!("yes: about {time}, {memory} of memory")
        }
    }
}

/// Time to start and end the process, in seconds.
pub const PROCESS_SECONDS: f64 = 0.005;

/// Maximum estimated time of a search, in seconds on one core (about a year), for its tree to be
/// estimated precisely.
const MAX_SEARCH_CORE_SECONDS: f64 = 3e7;

/// Returns the estimate of a search, and adds its lines to the report. `None` if the board is too large for a
/// search.
pub fn estimate_search(
    request: &Request,
    kind: Kind,
    (probes, seed): (Option<u32>, u64),
    report: &mut EstimateReport,
) -> Result<Option<EngineForecast>, CliError> {
    let board = request.board();
    if board.len() > MAX_SQUARES {
        report.add_line("search", &format!("impossible: the board has more than {MAX_SQUARES} squares"));
        return Ok(None);
    }
    if board.len() < 2 {
        // No search is needed.
        let answer = count(request, &Control::new())?;
        let tours = answer.counts.get(kind).map_or_else(String::new, ToString::to_string);
        let (rectangle, square) = match (board.layout().is_some(), board.len()) {
            (true, _) => ("board", "one square"),
            (false, 0) => ("graph", "no vertex"),
            (false, _) => ("graph", "one vertex"),
        };
        report.add_line("search", &format!("not needed: a {rectangle} with {square}"));
        report.add_line("  tours", &tours);
        let number = tours.parse().unwrap_or(0.0);
        report.fields.search =
            Some(NamedCells(vec![("tours_mean", number.into()), ("seconds", Cell::Seconds(0.0))]));
        return Ok(Some(EngineForecast { seconds: 0.0, correction: 1.0, verdict: search_verdict(0.0) }));
    }
    let seconds = search_seconds(request, &Control::new()).map_err(CountError::from)?;
    let is_hopeless = seconds.is_some_and(|seconds| seconds > MAX_SEARCH_CORE_SECONDS);
    let start_time = Instant::now();
    // A count prepares its work before the search. This does the same and measures the time, as for hundreds
    // of thousands of units it takes many seconds.
    if !is_hopeless {
        let work_plan = WorkPlan::new(&Request { engine: Engine::Multipath, ..request.clone() })?;
        work_plan.rough_estimate(&work_plan.schedule(), &Control::new())?;
        drop((work_plan.unit_node_estimates(&Control::new()), work_plan));
    }
    let before = start_time.elapsed().as_secs_f64();
    let probes = probes.unwrap_or(if is_hopeless { 4 } else { 32 });
    let search = SearchEstimate::new(request, kind, (probes, seed), &Control::new())?;
    let estimate = &search.tree;
    report.add_line("search", &format!("{} units (split depth {})", search.units, search.split_depth));
    report.add_line("  probes", &estimate.walks.to_string());
    report.add_line(
        "  nodes",
        &format!(
            "{}; a list visits all of them, a count skips repeated ones",
            with_interval(estimate.nodes.0, estimate.node_interval())
        ),
    );
    report.add_line("  tours", &with_interval(estimate.tours.0, estimate.tour_interval()));
    let mut seconds = 0.0;
    if let (Some(speed), Some(count_seconds)) = (search.speed, search.seconds()) {
        // Units are dealt to shards in turn.
        seconds = PROCESS_SECONDS + before + count_seconds / f64::from(request.shards);
        report
            .add_line("  speed", &format!("{speed:.3e} nodes/s per core in a count, skipped nodes included"));
        let of = if request.shards > 1 { ", for one shard" } else { "" };
        report.add_line("  time", &format!("{} on {}{of}", format_seconds(seconds), all_threads()));
    }
    report.fields.search = Some(NamedCells(vec![
        ("nodes", estimate.nodes.0.into()),
        ("nodes_error", estimate.nodes.1.into()),
        ("tours_mean", estimate.tours.0.into()),
        ("tours_error", estimate.tours.1.into()),
        ("tours_low", estimate.tour_interval().0.into()),
        ("tours_high", estimate.tour_interval().1.into()),
        ("seconds", Cell::Seconds(seconds)),
    ]));
    Ok(Some(EngineForecast { seconds, correction: 1.0, verdict: search_verdict(seconds) }))
}

/// Adds the estimate of a backtracking search, which extends one path, to the report.
pub fn estimate_path_extension(request: &Request, report: &mut EstimateReport) -> Result<(), CliError> {
    let work_plan = WorkPlan::new(&Request { engine: Engine::Backtrack, ..request.clone() })?;
    let JobEstimate { seconds, memory_bytes: memory, .. } =
        work_plan.rough_estimate(&work_plan.schedule(), &Control::new())?;
    let seconds = seconds.map(|seconds| seconds / f64::from(request.shards));
    let (duration, all) = (format_seconds(seconds.unwrap_or(f64::INFINITY)), all_threads());
    report.add_line("search", &format!("{} units, by path extension", work_plan.unit_count()));
    report.add_line("  memory", &format_bytes(memory));
    report.add_line("  time", &format!("{duration} on {all}, within a factor of a few"));
    report.fields.search = Some(NamedCells(vec![
        ("units", work_plan.unit_count().into()),
        ("memory_bytes", memory.into()),
        ("seconds", seconds.map(Cell::Seconds).into()),
    ]));
    Ok(())
}

/// Formats an estimate with its interval. Large numbers have as many digits as their order of magnitude is worth.
fn with_interval(value: f64, (low, high): (f64, f64)) -> String {
    match value {
        _ if low == high => format!("{value:.0}"),
        ..1e6 => format!("{value:.0}, probably {low:.0} to {high:.0}"),
        _ => format!("{value:.1e}, probably {low:.1e} to {high:.1e}"),
    }
}
