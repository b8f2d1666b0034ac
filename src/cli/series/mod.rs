//! Series of boards, for `ktour series` and `ktour count 5x2..60`: counts the boards, prints each
//! row as soon as it is known, and searches for a recurrence.
//!
//! A line is a set of boards that differ only in the length of one side.
//!
//! ```text
//! Boards -> lines: one sweep along a line, or board by board -> rows -> standard output, files, records
//!                                                                 |
//!                                                                 +--> SeriesSession: one checkpoint for all boards
//! ```

pub(crate) mod command;
mod context;
mod recurrence_report;
mod recurrence_search;
mod writer;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::args::checkpoint_options::{print_resumption, print_save_failure};
use super::error::CliError;
use super::modular_counts::CountMode;
use super::process::Signals;
use super::run::{RefusedRun, check_in_memory, print_in_memory};
use crate::report::{BoardRow, KindCounts, print_notice};
pub use context::{SeriesFiles, SeriesRun};
use ktour::batch::{CountOutcome, CountRunError, Job, Record, RunInfo, Shard};
use ktour::board::Rectangle;
use ktour::budget::DiskBudget;
use ktour::control::Control;
use ktour::count::symmetric::DistinctCounts;
use ktour::count::{CountError, Engine, Request, WorkPlan, directed_count};
use ktour::frontier::ResidueRing;
use ktour::series::{BoardLine, PlannedSeries, ResidueSweeps, SeriesPart, SeriesRow, SweepSaver};
use ktour::text_format::now_utc;
use ktour::tour::Kind;

use context::{SeriesSession, kind_name};
use writer::{RowWriter, RunEnd};

/// Returns the number of the first of `len` boards that is refused, and the failure. `obstacle` returns the obstacle of
/// a board, if any; later boards have one if an earlier board has one. `confirm` returns the failure that follows, or
/// `None` if the board is admitted after all: the search then continues behind it. Searches by bisection.
fn find_first_confirmed<O, F>(
    len: usize,
    is_over: &dyn Fn() -> bool,
    obstacle: &dyn Fn(usize) -> Option<O>,
    confirm: &dyn Fn(O) -> Option<F>,
) -> Option<(usize, F)> {
    let mut first = 0;
    while first < len && !is_over() {
        let mut refusal = obstacle(len - 1)?;
        let (mut fits, mut does_not) = (first, len - 1);
        while fits < does_not && !is_over() {
            let middle = usize::midpoint(fits, does_not);
            match obstacle(middle) {
                Some(nearer) => (refusal, does_not) = (nearer, middle),
                None => fits = middle + 1,
            }
        }
        if let Some(failure) = confirm(refusal) {
            return Some((does_not, failure));
        }
        first = does_not + 1;
    }
    None
}

/// The planned sweeps of a line, a set of boards that differ only in the length of one side.
enum LineSweeps {
    /// One sweep, or one sweep for each kind.
    Single(PlannedSeries),
    /// One sweep, or one for each kind, repeated for every modulus.
    Residues(ResidueSweeps),
}

impl From<CountRunError> for RunEnd {
    fn from(error: CountRunError) -> Self {
        let is_symmetric = matches!(error, CountRunError::SymmetricPart(_));
        match CountError::from(error) {
            CountError::Stopped(_) => Self::Stopped,
            error if is_symmetric => Self::Failed(CliError::SymmetricCount(error)),
            error => Self::Failed(error.into()),
        }
    }
}

impl SeriesRun {
    /// Counts all boards and reports the rows. The admission checks precede the first count.
    pub fn run(self) -> Result<(), CliError> {
        let mut rows = RowWriter::open(&self)?;
        let stop = Arc::new(AtomicBool::new(false));
        let signals = Signals::catch(&stop)?;
        let checkpoint = self.open_checkpoint()?;
        let on_failure = |error: &str| {
            checkpoint.iter().for_each(|checkpoint| print_save_failure(&checkpoint.file, error));
        };
        if let Some(resumed) = checkpoint.as_ref().filter(|checkpoint| checkpoint.state.seconds > 0.0) {
            rows.print_job();
            print_resumption(&self.job_line(), &resumed.state);
        }
        let session = checkpoint.as_ref().map(|opened| SeriesSession::new(&self, opened, &on_failure));
        let mut session = session.transpose()?;
        let first_refusal = self.find_first_refusal(&stop);
        let mut refused = match first_refusal {
            Some((board, failure)) if Some(&board) == self.job.boards.boards().next().as_ref() => {
                return Err(failure);
            }
            refused => refused,
        };
        if let Some((board, failure)) = &mut refused {
            rows.print_job();
            print_notice(format_args!(
                "{} will be rejected: {failure}",
                self.job.boards.remaining_text(board)
            ));
            // The error at the end does not repeat the reason.
            let text = format!("{board} is rejected for the reason stated above");
            *failure = CliError::Message { text, status: failure.status() };
        }
        if let Some(session) = session.as_mut().filter(|session| !session.earlier_rows.is_empty()) {
            rows.print_job();
            std::mem::take(&mut session.earlier_rows)
                .into_iter()
                .try_for_each(|row| rows.write_row(row, None))?;
        }
        let mut done = rows.report.rows.len();
        for part in self.job.parts() {
            let boards = part.board_count();
            let skipped = done.min(boards);
            done -= skipped;
            if skipped == boards {
                continue;
            }
            let ended = match &part {
                SeriesPart::Sweep(line) => self.sweep_line(line, skipped, &mut rows, session.as_ref()),
                SeriesPart::Board(board) => {
                    rows.print_job();
                    self.count_board(board, &mut rows, &stop, &mut refused, session.as_ref())
                }
            };
            match ended {
                Ok(()) => {}
                // The last board may be complete although a signal came.
                Err(RunEnd::Stopped) if rows.is_complete() => break,
                Err(RunEnd::Stopped) => {
                    let is_saved = session.is_some();
                    rows.finish(RunEnd::Stopped, session)?;
                    return Err(if is_saved { CliError::stopped_silently() } else { signals.die() });
                }
                // No count has begun.
                Err(RunEnd::Refused(failure))
                    if rows.report.rows.is_empty()
                        && !session.as_ref().is_some_and(SeriesSession::has_sweeps) =>
                {
                    session.into_iter().for_each(SeriesSession::discard);
                    return Err(failure);
                }
                Err(end) => return rows.finish(end, session),
            }
        }
        if self.files.recurrence {
            let progress = self.args.run_options.progress(format!("{} recurrence", self.job.boards));
            let signals = Signals::catch(progress.control().cancel_flag())?;
            match recurrence_search::search_recurrence(&self, &rows.report.rows, progress.control()) {
                Ok(report) => {
                    if let Err(failure) = rows.write_recurrence(report) {
                        return rows.finish(RunEnd::Failed(failure), session);
                    }
                }
                Err(_) if progress.control().is_cancelled() => {
                    let resume_hint = session.as_ref().map(|session| format!("; {}", session.resume_hint()));
                    // Completes the files; the reason for the early end is printed here.
                    let _ = rows.finish(RunEnd::Failed(CliError::stopped_silently()), session);
                    let more = resume_hint.as_deref().unwrap_or_default();
                    print_notice(format_args!(
                        "stopped during the search for the recurrence, all rows are \
                        complete{more}"
                    ));
                    return Err(if resume_hint.is_some() {
                        CliError::stopped_silently()
                    } else {
                        signals.die()
                    });
                }
                Err(failure) => return rows.finish(RunEnd::Failed(failure), session),
            }
        }
        rows.finish(RunEnd::Done, session)
    }

    /// Counts the boards of a line, which differ only in the length of one side, in one sweep. The
    /// first `skipped` boards already have rows.
    fn sweep_line(
        &self,
        line: &BoardLine,
        skipped: usize,
        rows: &mut RowWriter,
        session: Option<&SeriesSession>,
    ) -> Result<(), RunEnd> {
        let name = format!("{line} {}", kind_name(self.job.kind));
        let progress = self.args.run_options.progress(name.clone());
        let control = progress.control();
        let _signals = Signals::catch(control.cancel_flag()).map_err(RunEnd::Failed)?;
        let ended = |error: CountError| match error {
            CountError::Stopped(_) => RunEnd::Stopped,
            error if error.is_resource_limit() => RunEnd::Refused(error.into()),
            error => RunEnd::Failed(error.into()),
        };
        let mut planned = self.job.plan(line, control).map_err(ended)?;
        let disk =
            session.map_or(DiskBudget::Absent, |session| DiskBudget::from_free(session.free_disk_bytes()));
        // Without a checkpoint the sweep must be held in memory; with one it uses the disk already.
        let option = match disk {
            DiskBudget::Absent => {
                "--checkpoint FILE, or --spill DIR with --engine frontier to count board by board"
            }
            _ => "",
        };
        let (sweep_name, is_forced) = (format!("{name} in one sweep"), self.args.run_options.force);
        // Sweeps that are in the checkpoint were admitted before.
        let is_new = skipped == 0 && !session.is_some_and(SeriesSession::has_sweeps);
        let mut estimate = None;
        if is_new {
            // The bounds of residues come after this check, since their sweeps take less memory.
            let one = if is_forced { planned.estimate() } else { planned.admission_estimate(disk) };
            check_in_memory(&sweep_name, &one, is_forced, disk, option).map_err(RunEnd::Refused)?;
            estimate = Some(one);
        }
        let sweeps = if let CountMode::FromResidues(bits) = self.count_mode {
            let mut residues = planned.into_residue_sweeps(bits, control).map_err(ended)?;
            if is_new {
                let all = residues.estimate();
                check_in_memory(&sweep_name, &all, is_forced, disk, option).map_err(RunEnd::Refused)?;
                estimate = Some(all);
            }
            LineSweeps::Residues(residues)
        } else {
            LineSweeps::Single(planned)
        };
        if let Some(estimate) = estimate {
            print_in_memory(&name, &estimate, "; each row is printed as soon as it is complete");
        }
        rows.print_job();
        if let LineSweeps::Residues(planned) = &sweeps {
            let residues = planned.moduli().len();
            print_notice(format_args!(
                "{name}: one sweep for each of up to {residues} residues, one of which checks the others"
            ));
        }
        let (began, started) = (Instant::now(), now_utc());
        let mut add_row = |row: SeriesRow, up_to: DistinctCounts| {
            let seconds = began.elapsed().as_secs_f64();
            let record = self.board_record(&row, seconds, &started).map_err(RunEnd::Failed)?;
            let record = record.map(|record| record.with_distinct_counts(&up_to));
            let board_text = self.job.rules.to_board(row.board.clone()).to_string();
            let row = board_row(&row, board_text, &up_to, self.count_mode.modulus(), seconds);
            session.iter().for_each(|session| session.add_row(&row));
            rows.write_row(row, record.as_ref()).map_err(RunEnd::Failed)
        };
        let saver = session.map(|session| &session.checkpointer as &dyn SweepSaver);
        let run = |each: &mut (dyn FnMut(SeriesRow) + Send)| match sweeps {
            LineSweeps::Single(planned) => planned.run(saver, control, each),
            LineSweeps::Residues(planned) => planned.run(saver, control, each),
        };
        let swept = self.job.sweep(skipped, control, run, &mut add_row);
        drop(progress);
        swept?;
        session.iter().for_each(|session| session.checkpointer.finish_line());
        Ok(())
    }

    /// Returns the first board that the admission check refuses, and the error. Considers only
    /// boards that are counted one by one. Searches by bisection, because later boards need more
    /// memory.
    fn find_first_refusal(&self, stop: &AtomicBool) -> Option<(Rectangle, CliError)> {
        if !self.args.checks_series_in_advance() {
            return None;
        }
        let mut boards = self.job.boards_to_admit(|board| self.args.may_have_tours(board));
        let control = Control::new();
        let is_over = || stop.load(Ordering::Relaxed);
        // A board that cannot be prepared counts as refused. A board that a better estimate admits is checked again
        // when its turn comes.
        let obstacle = |number: usize| self.args.find_board_refusal(&boards[number], &control).transpose();
        let confirm = |refusal: Result<RefusedRun, CliError>| match refusal {
            Ok(refused) => refused.admit_or_refuse(&control).err(),
            Err(failure) => Some(failure),
        };
        let (number, failure) = find_first_confirmed(boards.len(), &is_over, &obstacle, &confirm)?;
        (!is_over()).then(|| (boards.swap_remove(number), failure))
    }

    /// Counts a board alone. `refused` is the first board that the admission check refuses, and the error.
    fn count_board(
        &self,
        board: &Rectangle,
        rows: &mut RowWriter,
        stop: &AtomicBool,
        refused: &mut Option<(Rectangle, CliError)>,
        session: Option<&SeriesSession>,
    ) -> Result<(), RunEnd> {
        if let Some((_, failure)) = refused.take_if(|(first, _)| first == board) {
            return Err(RunEnd::Refused(failure));
        }
        let counted = self.args.count_board(board, stop).and_then(|(row, record)| {
            // The job line names what all boards have in common.
            let row = BoardRow { board: board.to_string(), ..row };
            session.iter().for_each(|session| session.add_row(&row));
            rows.write_row(row, record.as_ref())?;
            session.map_or(Ok(()), |session| session.finish_board(board))
        });
        if stop.load(Ordering::Relaxed) { Err(RunEnd::Stopped) } else { counted.map_err(RunEnd::Failed) }
    }

    /// Returns the record of a board that a sweep has counted. `None` if no record is requested.
    /// The record equals that of a sweep for this board alone.
    fn board_record(&self, row: &SeriesRow, seconds: f64, started: &str) -> Result<Option<Record>, CliError> {
        if self.args.output.record.is_none() {
            return Ok(None);
        }
        let (engine, modulus) = (Engine::Frontier, self.count_mode.modulus());
        let work_plan = WorkPlan::new(&Request { engine, modulus, ..self.job.request(&row.board) })?;
        let (shards, sums) = ([Shard::WHOLE], row.to_sums(work_plan.validated_request()));
        let numbers = CountOutcome::from_sums(work_plan.validated_request(), &shards, &sums)?;
        let threads = rayon::current_num_threads();
        let run = RunInfo { seconds, threads, started: started.to_owned(), finished: now_utc() };
        Ok(Some(Record::new(&Job::new(&work_plan, Shard::WHOLE), &shards, &sums, &numbers, false, &run)))
    }
}

fn board_row(
    row: &SeriesRow,
    board_text: String,
    up_to: &DistinctCounts,
    modulus: Option<ResidueRing>,
    seconds: f64,
) -> BoardRow {
    let numbers = Kind::ALL.into_iter().filter_map(|kind| {
        let undirected = row.counts.get(kind)?.clone();
        let directed = directed_count(&undirected, row.board.len());
        let directed = modulus.map_or_else(|| directed.clone(), |ring| ring.residue_of(&directed));
        let distinct = up_to.distinct(kind).cloned();
        Some(KindCounts { kind, undirected: Some(undirected), directed, distinct })
    });
    let (board, engine) = (row.board.to_string(), Engine::Frontier.name().to_owned());
    BoardRow { board, board_text, engine, numbers: numbers.collect(), seconds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_confirmed_refusal_may_follow_admitted_boards() {
        let find = |doubtful: usize, refused: usize| {
            let obstacle = |number: usize| (number >= doubtful).then_some(number);
            let confirm = |number: usize| (number >= refused).then(|| format!("board {number}"));
            find_first_confirmed(9, &|| false, &obstacle, &confirm)
        };
        assert_eq!(find(9, 9), None);
        assert_eq!(find(3, 3), Some((3, "board 3".to_owned())));
        assert_eq!(find(3, 6), Some((6, "board 6".to_owned())));
        assert_eq!(find(0, 8), Some((8, "board 8".to_owned())));
        assert_eq!(find(3, 9), None);
    }
}
