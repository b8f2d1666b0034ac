//! Counts of tours with a given symmetry, for `--symmetry`, and checks of symmetry options.
//!
//! `--symmetry` counts the tours that a symmetry leaves unchanged, on the quotient of the board by
//! the symmetry.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::builder::EnumValueParser;

use super::args::checkpoint_options::{CheckpointOptions, print_resumption, print_save_failure};
use super::args::output_options::{OutputOptions, append_record, combine_results, print_end};
use super::args::run_options::RunOptions;
use super::error::CliError;
use super::process::Signals;
use super::run::context::resume_hint;
use super::run::{admit_in_memory, check_in_memory, shorten_job};
use crate::report::{BoardRow, KindCounts, SymmetryRecord, kind_table, print_job_line, print_notice};
use ktour::batch::{JobState, RunInfo, SymmetricJob, SymmetricResult, SymmetricState};
use ktour::board::{Board, MAX_GROUP_ELEMENTS};
use ktour::budget::DiskBudget;
use ktour::control::Control;
use ktour::count::symmetric::{ClassNumbers, NamedSymmetry, SymmetricContext, SymmetryPlan};
use ktour::count::{CountError, JobEstimate, directed_count};
use ktour::search::unit_runner::Stopped;
use ktour::text_format::now_utc;
use ktour::tour::Kind;

/// Returns the parser of the names of symmetries.
pub fn symmetry_parser() -> EnumValueParser<NamedSymmetry> {
    EnumValueParser::new()
}

/// Counts the tours of a board that have a symmetry, and reports the result.
pub fn count_symmetric(
    plan: SymmetryPlan,
    output: &OutputOptions,
    run_options: &RunOptions,
    checkpoint: &CheckpointOptions,
) -> Result<(), CliError> {
    let checkpoint_path = checkpoint.file();
    run_options.check_interval(checkpoint_path.is_some())?;
    let files = output.open(checkpoint_path.as_deref())?;
    let command = checkpoint.saved_command()?;
    let job_line = plan.job_line();
    let (file, checkpoint) = checkpoint.open::<SymmetricState>(&job_line)?;
    let mut job = SymmetricJob { file, ..SymmetricJob::new(plan) };
    let (plan, file) = (&job.plan, &job.file);
    let (board, symmetry) = (plan.board(), plan.symmetry());
    let progress = run_options.progress(title(plan));
    if let Some(checkpoint) = checkpoint {
        print_resumption(&job_line, &checkpoint.state);
        job.state = checkpoint.state;
    }
    for_each_estimate(&job, progress.control(), |name, estimate| {
        admit_in_memory(name, estimate, run_options.force)
    })?;
    print_job_line(format_args!("job {}", shorten_job(&job_line)));
    // The checkpoint must be saved, and incomplete files must be removed.
    let is_stoppable = output.files.has_any() || file.is_some();
    let signals = if is_stoppable { Some(Signals::catch(progress.control().cancel_flag())?) } else { None };
    if !plan.is_possible() {
        note_impossible(board, plan.kind(), symmetry);
    }
    let on_failure = |error: &str| file.iter().for_each(|file| print_save_failure(file, error));
    let ended = job.run(progress.control(), run_options.save_options(command, &on_failure));
    drop(progress);
    let SymmetricResult { state, counts, save_error, .. } = ended.map_err(CliError::SymmetricCount)?;
    let Some(counts) = counts else {
        drop(files);
        return Err(match (file, save_error, signals) {
            (Some(file), Some(error), _) => CliError::unsaved_stop(file, &error),
            (Some(file), None, _) => CliError::stopped(format!(
                "stopped after {}; {}",
                state.describe_progress(&job_line),
                resume_hint(file.path())
            )),
            (None, _, Some(signals)) => signals.die(),
            (None, _, None) => CountError::Stopped(Stopped).into(),
        });
    };
    let threads = rayon::current_num_threads();
    let run = RunInfo { seconds: state.seconds, threads, started: state.started, finished: now_utc() };
    let counts = kind_counts(plan, counts);
    let record = SymmetryRecord::new(board, symmetry.name(), plan.engine_names(), counts, run);
    // If one output cannot be written, the answer still goes to the others.
    let recorded = output.record.as_ref().map_or(Ok(()), |path| append_record(path, &record.to_line()));
    let text = || match record.counts.as_slice() {
        // A single number is printed alone, for scripts.
        [counts] => format!("{}\n", counts.printed(output.directed)),
        counts => kind_table("kind".to_owned(), counts, output.directed),
    };
    let reported = files.report(|| record.csv_rows(), || record.to_pretty(), text);
    let count = |counts: &KindCounts| {
        let (kind, number) = (counts.kind.name(), counts.undirected.as_ref().unwrap_or(&counts.directed));
        let distinct = counts.distinct.as_ref().map(|distinct| format!(" distinct-{kind}={distinct}"));
        format!("{kind}={number}{}", distinct.unwrap_or_default())
    };
    let counts: Vec<String> = record.counts.iter().map(count).collect();
    let written = combine_results([reported, recorded]);
    let summary = format_args!(
        "symmetry={} engine={} {} seconds={:.3}",
        symmetry.name(),
        record.engine,
        counts.join(" "),
        record.seconds
    );
    print_end(&written, summary);
    written
}

/// Returns the title of a count of the tours with a symmetry.
fn title(plan: &SymmetryPlan) -> String {
    format!("{} {}", plan.board().title(), plan.symmetry().name())
}

/// Passes the estimates by which a count is admitted to `admit`, each with its name.
fn for_each_estimate(
    job: &SymmetricJob,
    control: &Control,
    admit: impl Fn(&str, &JobEstimate) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let (name, estimates) = (title(&job.plan), job.estimates(control).map_err(CliError::SymmetricCount)?);
    estimates
        .into_iter()
        .try_for_each(|(kind, estimate)| admit(&format!("{name} {}", kind.name()), &estimate))
}

/// Returns an error if a count does not fit, or would take more than a year, even if `--force` is given. Allows a caller
/// to refuse a series before its first board is counted.
pub fn check_symmetric(
    plan: SymmetryPlan,
    run_options: &RunOptions,
    control: &Control,
) -> Result<(), CliError> {
    let job = SymmetricJob::new(plan);
    let check =
        |name: &str, estimate: &JobEstimate| check_in_memory(name, estimate, false, DiskBudget::Absent, "");
    run_options.with_waiting_display("checking memory and time", title(&job.plan), || {
        for_each_estimate(&job, control, check)
    })?
}

/// Returns the numbers of the tours with the symmetry of a plan.
fn kind_counts(plan: &SymmetryPlan, counts: Vec<(Kind, ClassNumbers)>) -> Vec<KindCounts> {
    let counts = counts.into_iter().map(|(kind, ClassNumbers { tours, classes })| KindCounts {
        kind,
        directed: directed_count(&tours, plan.board().len()),
        undirected: Some(tours),
        distinct: plan.has_classes().then_some(classes),
    });
    counts.collect()
}

/// Counts the tours of a board with a symmetry, and returns the numbers as a row of a series.
///
/// # Errors
/// The count is refused, fails or was stopped.
pub fn symmetric_row(
    plan: SymmetryPlan,
    run_options: &RunOptions,
    stop: &AtomicBool,
) -> Result<BoardRow, CliError> {
    let job = SymmetricJob::new(plan);
    let (plan, board) = (&job.plan, job.plan.board());
    let progress = run_options.progress(title(plan));
    let _signals = Signals::catch(progress.control().cancel_flag())?;
    if stop.load(Ordering::Relaxed) {
        progress.control().cancel();
    }
    for_each_estimate(&job, progress.control(), |name, estimate| {
        admit_in_memory(name, estimate, run_options.force)
    })?;
    let began = Instant::now();
    let counted = plan.count(progress.control()).map_err(CliError::SymmetricCount)?;
    let numbers = kind_counts(plan, counted);
    let (title, board_text) = (board.title(), board.to_string());
    let engine = plan.engine_names().to_string();
    Ok(BoardRow { board: title, board_text, engine, numbers, seconds: began.elapsed().as_secs_f64() })
}

/// Returns an error if the board's symmetries are not known, so that tours cannot be counted up to
/// symmetry. `option` is the option that requests such a count.
pub fn check_symmetries_known(board: &Board, option: &str) -> Result<(), CliError> {
    // A rectangle has at most 8 symmetries; they are computed only when needed.
    if board.leaper_board().is_some() || board.has_known_symmetries() {
        return Ok(());
    }
    let title = board.title();
    Err(CliError::usage(match board.symmetry_order() {
        Some(order) => format!(
            "{option}: {title} has {order} symmetries, more than the maximum ({MAX_GROUP_ELEMENTS}, and fewer on large \
             boards); omit it"
        ),
        None => {
            format!("{option}: the symmetries of {title} are too many, or take too long to find; omit it")
        }
    }))
}

/// Returns the end of a message that tours of this kind do not have the symmetry: a hint to other kinds, if their
/// tours can have it.
pub fn other_kinds_hint(board: &Board, kind: Kind, named: NamedSymmetry) -> &'static str {
    let is_possible = |&other: &Kind| {
        SymmetricContext::for_lists(board, other).is_ok_and(|context| context.is_possible(named))
    };
    let mut others = Kind::ALL.iter().filter(|&&other| other != kind && named.applies_to(other));
    if others.any(is_possible) { "; other kinds may" } else { "" }
}

/// Prints a note that no tour of the board can have the symmetry. Explains a count of 0, which the
/// user might otherwise blame on the kind or the engine.
pub fn note_impossible(board: &Board, kind: Option<Kind>, named: NamedSymmetry) {
    let name = named.name();
    if board.len() == 1 {
        // Counts by class of symmetry treat the path of one square as asymmetric, too.
        print_notice(format_args!(
            "note: {name} moves no square of this board, so it does not count as a symmetry \
            of its path"
        ));
    } else {
        let (tours, remedy) = match kind {
            Some(kind) => (format!("{} of this board", kind.plural()), other_kinds_hint(board, kind, named)),
            None => ("tours of this board".to_owned(), ""),
        };
        print_notice(format_args!("note: no {tours} can have symmetry {name}{remedy}"));
    }
}
