//! Execution of a prepared run: the count, its report, and the second count of `--double-check`.
//!
//! A run counts symmetric tours first, then all units of work, and adds their sums to a result with
//! its record. The report goes to the output files and to standard output, its notes to standard
//! error. `--double-check` counts a second time before anything is reported; it tries the methods
//! of [`second_methods`] in order, until one fits into memory.

use std::time::Instant;

use ktour::batch::{
    CountNumbers, CountRunError, DoubleCheck, JobState, RunInfo, RunResult, RunState, SpillDir,
    round_to_milliseconds,
};
use ktour::board::LeaperBoard;
use ktour::control::{Control, ProgressSnapshot};
use ktour::count::published_counts::{PublishedCount, published_counts};
use ktour::count::second_count::{first_difference, second_methods};
use ktour::count::{Answer, CountError, Request, WorkPlan};
use ktour::frontier::Store;
use ktour::heuristic::find_obstacle;
use ktour::text_format::now_utc;
use ktour::tour::{Kind, TourSpec};
use ktour::{BigUint, text_format};

use super::admission::{RefusedRun, admit};
use super::context::{RunContext, RunRequest, prepare_run};
use crate::cli::args::checkpoint_options::print_save_failure;
use crate::cli::args::output_options::print_end;
use crate::cli::distinct_counts::{double_check_symmetric_part, option_name};
use crate::cli::error::CliError;
use crate::cli::mpi::{mpi_ranks, require_all};
use crate::cli::process::Signals;
use crate::cli::quantities::format_sweep_progress;
use crate::report::{CountResult, print_notice};

impl RunRequest {
    /// Counts the tours modulo one of several numbers, or of one of several graphs. Opens no output files.
    pub fn count(self) -> Result<CountResult, CliError> {
        self.count_for_caller(false)
    }

    /// Counts the tours of one board of a series. Opens no output files. The caller prints the command that resumes
    /// the series.
    pub fn count_in_series(self) -> Result<CountResult, CliError> {
        self.count_for_caller(true)
    }

    fn count_for_caller(self, is_resumed_by_caller: bool) -> Result<CountResult, CliError> {
        let run_context = prepare_run(Self { output: self.output.without_files(), ..self })?;
        // The caller prints one job line for all counts.
        let mut run_context =
            RunContext { is_in_series: true, is_job_printed: true, is_resumed_by_caller, ..run_context };
        let counted = execute_run(&mut run_context)?.expect("a series does not run on several ranks");
        run_double_check(&mut run_context, counted)
    }

    /// Returns the refusal of a job that does not fit or would take more than a year. Allows a
    /// caller to refuse a series before its first board is counted.
    pub fn find_refusal(self, control: &Control) -> Result<Option<RefusedRun>, CliError> {
        let run_context = prepare_run(Self { output: self.output.without_files(), ..self })?;
        let (run_options, name) = (run_context.run_options.clone(), run_context.title());
        run_options.with_waiting_display("checking memory and time", name, || {
            RefusedRun::find(run_context, control)
        })?
    }

    /// Runs the job and reports its result. If a signal stops the job, saves the checkpoint and
    /// prints the command that resumes it.
    pub fn run(self) -> Result<(), CliError> {
        let mut run_context = prepare_run(self)?;
        let counted = execute_run(&mut run_context)?;
        // Only the first rank reports.
        let Some(counted) = counted else { return Ok(()) };
        let checked = run_double_check(&mut run_context, counted)?;
        report_result(run_context, &checked)
    }
}

/// Runs the count on all MPI ranks. Returns `None` on ranks that do not report the result.
///
/// # Errors
/// The run was refused, failed or stopped.
pub fn execute_run(context: &mut RunContext) -> Result<Option<CountResult>, CliError> {
    let progress = context.run_options.progress(context.title());
    let signals = require_all(Signals::catch(progress.control().cancel_flag()))?;
    context.estimated_core_seconds = admit(context, progress.control())?;
    let failed = |error: &str| context.count.file.iter().for_each(|file| print_save_failure(file, error));
    let saving = context.run_options.save_options(context.command.clone(), &failed);
    let ended = context.count.run(progress.control(), saving);
    let mut ended = ended.map_err(|error| match error {
        CountRunError::SymmetricPart(error) => CliError::SymmetricCount(error),
        CountRunError::Units(error) => context.run_error(error),
    })?;
    // The spilled data is deleted with the run, before any error below.
    drop(context.count.spill_dir.take());
    if !ended.units.is_finished {
        let reading = progress.control().progress();
        drop(progress);
        return Err(unfinished_error(context, &signals, ended.units, &reading));
    }
    let threads = rayon::current_num_threads();
    let threads = match mpi_ranks() {
        Some(ranks) => ranks.exchange(Ok(threads))?.into_iter().sum(),
        None => threads,
    };
    if context.output_files.is_none() {
        return Ok(None);
    }
    let (numbers, up_to) = match ended.numbers(&context.count)? {
        CountNumbers::Complete { outcome, distinct } => (outcome, distinct),
        stopped => {
            let option = context.output.symmetry.map_or("", option_name);
            let when = match stopped {
                CountNumbers::StoppedInEnumeration => "while it examined every tour",
                _ => "in the symmetric part",
            };
            drop((ended, progress));
            let when = format!("{when} ({option}), after all tours were counted");
            return Err(context.stopped_error(&signals, &when));
        }
    };
    let RunState { seconds, started, sums, .. } = ended.units.state;
    let run = RunInfo { seconds, threads, started, finished: now_utc() };
    let per_start = context.output.per_start;
    Ok(Some(CountResult {
        job: context.count.identity.clone(),
        shards: vec![context.count.identity.shard],
        sums,
        outcome: numbers,
        per_start,
        distinct_counts: up_to.unwrap_or_default(),
        run,
        double_check: None,
    }))
}

/// Returns the error of a stopped run, with its progress.
fn unfinished_error(
    context: &mut RunContext,
    signals: &Signals,
    ended: RunResult,
    reading: &ProgressSnapshot,
) -> CliError {
    let RunResult { state, save_error: unsaved, .. } = ended;
    if let (Some(error), Some(file)) = (unsaved, &context.count.file) {
        return CliError::unsaved_stop(file, &error);
    }
    let units = context.count.identity.shard_units();
    let of_units = format!("{} of {}", state.units_done(), text_format::format_count(units as u64, "unit"));
    let progress = match state.snapshot() {
        Some(snapshot) if units == 1 => format_sweep_progress(snapshot),
        Some(snapshot) => format!("{of_units} and {} of a sweep", format_sweep_progress(snapshot)),
        // Without a checkpoint, the finished steps of a sweep are in no state.
        None => match reading.sweep {
            Some(sweep) if units == 1 => {
                format!("{} of {} steps, {:.0} %", sweep.steps_done, sweep.steps, reading.fraction * 100.0)
            }
            Some(_) => format!("{of_units}, {:.0} %", reading.fraction * 100.0),
            None => of_units,
        },
    };
    let is_planning = reading.is_planning && state.units_done() == 0 && state.snapshot().is_none();
    let when = if is_planning { "while planning".to_owned() } else { format!("after {progress}") };
    context.stopped_error(signals, &when)
}

/// Writes and prints the result, and prints the `done` line.
pub fn report_result(mut context: RunContext, counted: &CountResult) -> Result<(), CliError> {
    let shown = write_result(&mut context, counted);
    // The line holds the numbers even if an output file could not be written.
    print_end(&shown, counted.summary_line());
    shown
}

/// Writes the result to the output files and to standard output, and prints notes about it.
pub fn write_result(context: &mut RunContext, result: &CountResult) -> Result<(), CliError> {
    let is_shown = context.output_files.as_ref().is_some_and(|files| !files.has_stdout());
    print_convention_notes(&context.count.request, result, is_shown);
    match context.output_files.take() {
        Some(files) => context.output.report(files, result),
        None => Ok(()),
    }
}

/// Prints notes on the result: how one vertex and no vertex are counted, and why the printed table
/// has no row for closed tours.
fn print_convention_notes(request: &Request, result: &CountResult, is_table_printed: bool) {
    if result.board().is_empty() {
        print_notice(format_args!(
            "note: the graph has no vertex and thus no tour; an empty path does not count"
        ));
    }
    if result.board().len() == 1 && result.outcome.counts_by_kind().any(|(kind, _)| kind != Kind::Closed) {
        // Published tables exist for the knight only.
        let published = if result.board().leaper_board().is_some_and(LeaperBoard::is_knight_board) {
            " (as in OEIS A165134; A308131 says 0)"
        } else {
            ""
        };
        let what = if result.board().has_squares() { "square" } else { "vertex" };
        print_notice(format_args!(
            "note: one {what} has one path, without moves and with one direction{published}"
        ));
    }
    print_open_note(request, result);
    print_zero_note(request, result);
    if is_table_printed && request.end().is_some() && request.kind().is_none() {
        print_notice(format_args!(
            "note: a closed tour has no end, so the table has no row for closed tours"
        ));
    }
}

/// For the number of open tours of a board with a published number of paths, prints a note with that
/// number: most sources call every path an open tour.
fn print_open_note(request: &Request, result: &CountResult) {
    let is_whole = request.kind() == Some(Kind::Open)
        && request.start().is_none()
        && result.distinct_counts.distinct(Kind::Open).is_none();
    let answer = result.outcome.answer().filter(|_| is_whole);
    let Some(open) = answer.and_then(|answer| answer.counts.get(Kind::Open)) else { return };
    let is_of_all_paths = |published: &PublishedCount| {
        published.kind == Kind::Paths
            && !published.is_directed
            && published.start.is_none()
            && published.end.is_none()
            && published.board == *result.board()
    };
    if let Some(paths) = published_counts().into_iter().find(is_of_all_paths).map(|paths| paths.count)
        && paths != *open
    {
        print_notice(format_args!(
            "note: most sources call all paths open, re-entrant ones included; {} has {paths} paths (--kind paths)",
            result.board().title()
        ));
    }
}

/// If all counts are 0, or the count of closed tours among others, and a theorem, the colours or the graph exclude
/// these tours, prints the reason.
fn print_zero_note(request: &Request, result: &CountResult) {
    if result.outcome.answer().is_none() || result.board().is_empty() {
        return;
    }
    let is_zero = |(_, count): &(Kind, &BigUint)| **count == BigUint::ZERO;
    let counts = || result.outcome.counts_by_kind();
    let (kind, what) = if counts().all(|count| is_zero(&count)) {
        (request.kind().unwrap_or(Kind::Paths), "tour")
    } else if result.board().len() > 1 && counts().any(|count| count.0 == Kind::Closed && is_zero(&count)) {
        (Kind::Closed, "closed tour")
    } else {
        return;
    };
    if let Ok(tours) = request.tours(kind) {
        print_obstacle(&tours, what);
    }
}

/// Prints the reason why there are no tours, if `total`, their number, is 0 and the reason is known.
pub fn print_reason_for_zero(tours: &TourSpec, total: &BigUint) {
    if *total == BigUint::ZERO && !tours.board().is_empty() {
        print_obstacle(tours, "tour");
    }
}

/// Prints the reason why there are no tours, which are called `what`, if it is known.
pub fn print_obstacle(tours: &TourSpec, what: &str) {
    if let Some(obstacle) = find_obstacle(tours) {
        print_notice(format_args!("note: no {what} exists: {obstacle}"));
    }
}

/// Counts a second time if `--double-check` is given. Returns `counted` with the outcome of the
/// check in its record, or unchanged without this option. If no second method fits into memory, which can happen only
/// if the admission check was skipped or `--force` is given, returns an error.
pub fn run_double_check(context: &mut RunContext, mut result: CountResult) -> Result<CountResult, CliError> {
    if !context.output.double_check {
        return Ok(result);
    }
    let progress = context.run_options.progress(format!("{}, double check", context.title()));
    let signals = Signals::catch(progress.control().cancel_flag())?;
    let core_seconds = (result.run.seconds * result.run.threads as f64).max(context.estimated_core_seconds);
    let answer = result.outcome.answer().expect("parts are not checked");
    // The checkpoint has the first count.
    if let Err(error) = context.run_options.open_spill_folder(&mut context.count) {
        return Err(context.with_resume_hint(error));
    }
    let limits = (context.run_options.memory, context.count.spill_dir.as_ref());
    let recounted = recount(&context.count.work, answer, core_seconds, limits, progress.control());
    // The folder next to a checkpoint is not temporary.
    context.count.spill_dir.take().iter().for_each(SpillDir::remove_all);
    let check = match recounted? {
        Recount::NoMethod => {
            return Err(context.with_resume_hint(CliError::failed(
                "no second method fits into memory, so the count is not double-checked and no number is \
                 reported; raise --memory",
            )));
        }
        Recount::Stopped => None,
        Recount::Equal(check) => match context.count.distinct_plan.as_ref().filter(|_| !answer.is_directed) {
            Some(plan) => {
                double_check_symmetric_part(plan, answer, &result.distinct_counts, progress.control())?
                    .map(|symmetric| check.with_symmetric(symmetric))
            }
            None => Some(check),
        },
    };
    drop(progress);
    match check {
        Some(check) => {
            result.double_check = Some(check);
            Ok(result)
        }
        // The first count is in the checkpoint and is not repeated on resume.
        None => Err(context.stopped_error(&signals, "in the double check")),
    }
}

/// The result of a second count.
enum Recount {
    /// No other method fits into memory.
    NoMethod,
    /// The control was cancelled before the end.
    Stopped,
    /// The second count has the same numbers as the first.
    Equal(DoubleCheck),
}

/// Counts the tours by another method than the first count, and compares the answers. `seconds` is
/// the time of the first count on one core. A sweep may use `memory` bytes, and `spill_dir`.
///
/// # Errors
/// A method fails, or the answers differ.
fn recount(
    work_plan: &WorkPlan,
    first: &Answer,
    seconds: f64,
    (memory, spill_dir): (Option<u64>, Option<&SpillDir>),
    control: &Control,
) -> Result<Recount, CliError> {
    let request = work_plan.validated_request().request();
    for method in second_methods(work_plan, seconds) {
        let description = method.description();
        print_notice(format_args!("double check: {description} (first: engine {})", request.engine.name()));
        let began = Instant::now();
        let second =
            match method.count_again(work_plan, memory, spill_dir.map(|dir| dir as &dyn Store), control) {
                Ok(second) => second,
                Err(CountError::Stopped(_)) => return Ok(Recount::Stopped),
                Err(error) if error.is_resource_limit() => {
                    print_notice(format_args!("double check: {description} is not possible: {error}"));
                    continue;
                }
                Err(error) => {
                    return Err(CliError::failed(format!("double check by {description}: {error}")));
                }
            };
        let seconds = round_to_milliseconds(began.elapsed().as_secs_f64());
        if let Some(difference) = first_difference(request.board(), first, &second) {
            return Err(CliError::failed(format!(
                "double check by {description} differs: {difference}; no number is reported"
            )));
        }
        print_notice(format_args!("double check: equal, {seconds:.3} s"));
        return Ok(Recount::Equal(DoubleCheck::new(description, first, &second, seconds)));
    }
    Ok(Recount::NoMethod)
}

#[cfg(test)]
mod tests {
    use super::super::context::prepare_run;
    use super::super::test_support::closed_request;
    use super::execute_run;
    use super::*;
    use ktour::count::symmetric::UpToSymmetry;
    use ktour::tour::Kind;

    #[test]
    fn complete_counts_have_an_answer_and_shards_have_none() {
        let mut start = closed_request("6x6");
        start.output.symmetry = Some(UpToSymmetry::Distinct);
        let result = execute_run(&mut prepare_run(start).unwrap()).unwrap().unwrap();
        assert_eq!(result.outcome.answer().unwrap().counts.closed, Some(9862u32.into()));
        assert_eq!(result.distinct_counts.distinct(Kind::Closed), Some(&1245u32.into()));
        let record = result.to_record();
        assert!(record.complete && record.distinct["closed"] == "1245");

        let start = super::super::RunRequest { shard: "1/3".parse().unwrap(), ..closed_request("6x6") };
        let result = execute_run(&mut prepare_run(start).unwrap()).unwrap().unwrap();
        let record = result.to_record();
        assert!(result.outcome.answer().is_none() && !record.complete);
        assert_eq!(record.shards, ["1/3"]);
    }

    #[test]
    fn record_has_a_double_check_if_requested() {
        for double_check in [false, true] {
            let mut start = closed_request("5x6");
            start.output.double_check = double_check;
            let mut context = prepare_run(start).unwrap();
            let counted = execute_run(&mut context).unwrap().unwrap();
            let record = run_double_check(&mut context, counted).unwrap().to_record();
            assert_eq!(record.double_check.is_some(), double_check);
            assert_eq!(record.counts["closed"].undirected.as_deref(), Some("8"));
        }
    }
}
