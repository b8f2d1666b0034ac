//! `ktour.series`: counts the tours on a series of boards.

use std::sync::{Arc, Mutex, PoisonError};

use ktour::batch::{CountJob, CountRunError, SeriesJob, Shard, SymmetricJob};
use ktour::board::{Piece, Rectangle, Wrap};
use ktour::budget::DiskBudget;
use ktour::control::Control;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::{DistinctCounts, NamedSymmetry, SymmetryPlan};
use ktour::count::{CountError, Counts, WorkPlan};
use ktour::frontier::ResidueRing;
use ktour::series::{BoardLine, BoardRange, SeriesPart, SeriesRow, SeriesRules, may_have_tours};
use ktour::tour::Kind;
use pyo3::prelude::*;

use super::admission::{self, NO_DISK_KEYWORD};
use super::arguments::{Directed, Distinct, Force, Memory, Modulus, Named, PieceName, Threads};
use super::job_runner::JobRunner;
use crate::board::{LeaperMoves, job_name, make_piece, summary};
use crate::count::{CountTriple, check_symmetric, count_board, count_symmetric, to_triple};
use crate::errors::{JobError, invalid_input};
use crate::symmetry::check_symmetries_known;

/// A series of boards and the tours to count on them.
pub struct Series {
    pub job: SeriesJob,
    /// True if each tour and its reversal count as two.
    pub directed: bool,
    /// The symmetry that a tour must have to be counted, if one is given.
    pub symmetry: Option<NamedSymmetry>,
    /// True if the counts start even if the estimate exceeds memory or a year.
    pub force: bool,
}

impl Series {
    /// Counts the tours on all boards, and passes each board with its counts to `each` as soon as they are
    /// known. The admission checks of all boards precede the first count.
    pub fn count_all(
        &self,
        control: &Control,
        each: &mut (dyn FnMut(&Rectangle, Counts) + Send),
    ) -> Result<(), JobError> {
        let mut each = |board: &Rectangle, counts: Counts| {
            let is_directed = self.directed && !self.job.distinct;
            each(board, if is_directed { counts.to_directed(board.len()) } else { counts });
        };
        let (mut planned, parts) = (Vec::new(), self.job.parts());
        if !self.force {
            let boards = self.job.most_expensive_boards(|board| self.may_have_tours(board));
            boards.iter().try_for_each(|board| self.check_board(board, control))?;
        }
        for part in &parts {
            let SeriesPart::Sweep(line) = part else { continue };
            let mut sweeps = self.job.plan(line, control)?;
            if !self.force {
                admission::check_sweep_in_memory(
                    &self.line_name(*line),
                    &sweeps.admission_estimate(DiskBudget::Absent),
                )?;
            }
            // The tables of all lines together would take too much memory.
            if !planned.is_empty() {
                sweeps.drop_tables();
            }
            planned.push(sweeps);
        }
        let mut planned = planned.into_iter();
        for part in parts {
            match part {
                SeriesPart::Sweep(line) => {
                    let sweeps = planned.next().expect("every sweep is planned");
                    let run = |each: &mut (dyn FnMut(SeriesRow) + Send)| sweeps.run(None, control, each);
                    let swept = self.job.sweep(0, control, run, &mut |row, distinct| {
                        each(&row.board, self.requested_counts(row.counts, distinct));
                        Ok::<_, CountRunError>(())
                    });
                    swept.map_err(|error| {
                        admission::job_error(&self.line_name(line), error, NO_DISK_KEYWORD)
                    })?;
                }
                SeriesPart::Board(board) => each(&board, self.count_board(&board, control)?),
            }
        }
        Ok(())
    }

    /// Counts the tours on one board.
    fn count_board(&self, board: &Rectangle, control: &Control) -> Result<Counts, JobError> {
        if let Some(named) = self.symmetry {
            return count_symmetric(self.symmetry_plan(board, named)?, self.force, None, control);
        }
        let request = self.job.request(board);
        let name = || job_name(request.board(), self.job.kind);
        let counts = count_board(&request, self.job.memory, self.force, control)
            .map_err(|error| admission::job_error(&name(), error, NO_DISK_KEYWORD))?;
        let distinct = self.job.distinct_counts(board, &counts, control)?;
        Ok(self.requested_counts(counts, distinct))
    }

    /// Plans the count of the tours with the symmetry `named` on one board, by the quotient of the board.
    fn symmetry_plan(&self, board: &Rectangle, named: NamedSymmetry) -> Result<SymmetryPlan, CountError> {
        let plan = SymmetryPlan::new(&self.job.request(board), named, self.job.memory)?;
        Ok(plan.with_classes(self.job.distinct))
    }

    /// Returns the numbers of tours up to symmetry if they are requested, otherwise `counts`.
    fn requested_counts(&self, counts: Counts, up_to_symmetry: DistinctCounts) -> Counts {
        if self.job.distinct { up_to_symmetry.distinct.into_iter().collect() } else { counts }
    }

    /// Returns the name of the counts on a line of boards in messages, such as `5x6..8 piece=0,1 closed`.
    fn line_name(&self, line: BoardLine) -> String {
        let first = line.boards().next().map(|board| summary(&self.job.rules.to_board(board)));
        let rules = first.as_deref().and_then(|first| first.split_once(' '));
        let rules = rules.map_or_else(String::new, |(_, rules)| format!(" {rules}"));
        format!("{line}{rules} {}", self.job.kind.map_or("tours", Kind::name))
    }

    /// Returns true if a board may have tours that are counted, or cannot be prepared.
    fn may_have_tours(&self, board: &Rectangle) -> bool {
        match self.symmetry {
            Some(named) => self.symmetry_plan(board, named).map_or(true, |plan| plan.is_possible()),
            None => {
                let kind = self.job.kind.unwrap_or(Kind::Paths);
                may_have_tours(&self.job.rules.to_board(board.clone()), kind)
            }
        }
    }

    /// Returns an error if the count of a board alone exceeds memory or a year.
    fn check_board(&self, board: &Rectangle, control: &Control) -> Result<(), JobError> {
        if let Some(named) = self.symmetry {
            return check_symmetric(&SymmetricJob::new(self.symmetry_plan(board, named)?), control);
        }
        let request = self.job.request(board);
        let work_plan = WorkPlan::new_under(&request, control)?.with_memory(self.job.memory);
        let name = job_name(request.board(), self.job.kind);
        let mut count = CountJob::new(request, work_plan, Shard::WHOLE);
        count.distinct_plan = self.job.distinct_plan(board)?;
        admission::check_count(&name, &count, NO_DISK_KEYWORD, control)
    }
}

/// Parses a range of boards, or a single board, which is a range with one board.
pub fn parse_range(boards: &str, piece: &Piece, wrap: Wrap) -> PyResult<(BoardRange, SeriesRules)> {
    let boards: BoardRange = boards.parse().map_err(invalid_input)?;
    Ok((boards, SeriesRules { piece: piece.clone(), wrap }))
}

/// The text forms and the numbers of the finished boards, and the exception that ended the series.
type FinishedRows = (Vec<(String, CountTriple)>, Option<Py<PyAny>>);

/// Counts the tours of several ranges of boards. Returns the text form of each finished board with its numbers, and
/// the exception that ended the series, if there was one.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn series(
    py: Python<'_>,
    boards: Vec<String>,
    kind: Option<Named<Kind>>,
    distinct: Distinct,
    directed: Directed,
    symmetry: Option<Named<NamedSymmetry>>,
    modulus: Option<Modulus>,
    piece: Option<PieceName>,
    leaper: Option<LeaperMoves>,
    wrap: Named<Wrap>,
    memory: Option<Memory>,
    threads: Option<Threads>,
    progress: Option<Py<PyAny>>,
    force: Force,
) -> PyResult<FinishedRows> {
    let (Distinct(distinct), Directed(directed), Force(force)) = (distinct, directed, force);
    let (kind, memory) = (kind.map(|kind| kind.0), memory.map(|memory| memory.0));
    let (symmetry, modulus) =
        (symmetry.map(|symmetry| symmetry.0), modulus.and_then(|modulus| ResidueRing::new(modulus.0)));
    JobSpec::new(Task::Count)
        .with_kind(kind)
        .with_symmetry(symmetry)
        .with(Choice::Distinct, distinct)
        .with(Choice::Directed, directed)
        .with(Choice::Modulus, modulus.is_some())
        .validate()
        .map_err(JobError::from)?;
    let piece = make_piece(piece.as_ref(), leaper.as_ref())?;
    let mut families = Vec::new();
    for range in boards {
        let (boards, rules) = parse_range(&range, &piece, wrap.0)?;
        if distinct {
            let last = boards.boards().last().expect("a range has boards");
            check_symmetries_known(&rules.to_board(last), "distinct=")?;
        }
        let can_sweep = symmetry.is_none();
        let job = SeriesJob { boards, rules, kind, modulus, distinct, memory, can_sweep };
        families.push(Series { job, directed, symmetry, force });
    }
    // An abandoned job may still use the rows.
    let rows = Arc::new(Mutex::new(Vec::new()));
    let finished = Arc::clone(&rows);
    let lock =
        |rows: &Mutex<Vec<_>>| std::mem::take(&mut *rows.lock().unwrap_or_else(PoisonError::into_inner));
    let ended = JobRunner::new(threads, progress)?.run_abandonable(py, move |control| {
        let mut add = |board: &Rectangle, counts: Counts| {
            let row = (board.to_string(), to_triple(&counts));
            finished.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        };
        families.iter().try_for_each(|family| family.count_all(control, &mut add))
    });
    let error = ended.and_then(|counted| Ok(counted?)).err();
    Ok((lock(&rows), error.map(|error| error.into_value(py).into_any())))
}
