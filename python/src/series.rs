//! `ktour.series`: counts the tours on a series of boards.

use std::sync::{Arc, Mutex, PoisonError};

use ktour::batch::{CountJob, Shard};
use ktour::board::{Piece, Rectangle, Wrap};
use ktour::budget::DiskBudget;
use ktour::control::Control;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::{DistinctPlan, NamedSymmetry, SymmetryPlan, UpToSymmetry};
use ktour::count::{CountError, Counts, Request, WorkPlan};
use ktour::frontier::ResidueRing;
use ktour::series::{BoardLine, BoardRange, SeriesRules};
use ktour::tour::Kind;
use pyo3::prelude::*;

use super::admission::{self, NO_DISK_KEYWORD};
use super::arguments::{Directed, Distinct, Force, Memory, Modulus, Named, PieceName, Threads};
use super::job_runner::JobRunner;
use crate::board::{LeaperMoves, job_name, make_piece, summary};
use crate::count::{CountTriple, count_board, count_symmetric, to_triple};
use crate::errors::{JobError, invalid_input};
use crate::symmetry::check_symmetries_known;

/// A series of boards and the tours to count on them.
pub struct Series {
    pub boards: BoardRange,
    pub rules: SeriesRules,
    pub kind: Option<Kind>,
    /// True if tours are counted up to the symmetries of each board.
    pub distinct: bool,
    /// True if each tour and its reversal count as two.
    pub directed: bool,
    /// The symmetry that a tour must have to be counted, if one is given.
    pub symmetry: Option<NamedSymmetry>,
    /// The modulus, if tours are counted modulo a number.
    pub modulus: Option<ResidueRing>,
    pub memory: Option<u64>,
    /// True if the counts start even if the estimate exceeds memory or a year.
    pub force: bool,
}

impl Series {
    /// Creates a series on which all undirected tours of a kind, or of all kinds, are counted. It
    /// has no memory limit of its own.
    pub const fn new(boards: BoardRange, rules: SeriesRules, kind: Option<Kind>) -> Self {
        let (distinct, directed, symmetry) = (false, false, None);
        let (modulus, memory, force) = (None, None, false);
        Self { boards, rules, kind, distinct, directed, symmetry, modulus, memory, force }
    }

    /// Counts the tours on all boards, and passes each board with its counts to `each` as soon as they are
    /// known. The admission checks of all boards precede the first count.
    pub fn count_all(
        &self,
        control: &Control,
        each: &mut (dyn FnMut(&Rectangle, Counts) + Send),
    ) -> Result<(), JobError> {
        let mut each = |board: &Rectangle, counts: Counts| {
            let is_directed = self.directed && !self.distinct;
            each(board, if is_directed { counts.to_directed(board.len()) } else { counts });
        };
        let Some(named) = self.symmetry else { return self.count_without_symmetry(control, &mut each) };
        for board in self.boards.boards() {
            let counts = self.count_symmetric(&board, named, control)?;
            each(&board, counts);
        }
        Ok(())
    }

    /// Counts the tours with the symmetry `named` on one board, by the quotient of the board.
    fn count_symmetric(
        &self,
        board: &Rectangle,
        named: NamedSymmetry,
        control: &Control,
    ) -> Result<Counts, JobError> {
        let played = self.rules.to_board(board.clone());
        let plan = SymmetryPlan::new(&Request::of_kind(played, self.kind), named, self.memory)?;
        count_symmetric(plan.with_classes(self.distinct), self.force, None, control)
    }

    /// Counts the tours on every board, in total or up to symmetry.
    fn count_without_symmetry(
        &self,
        control: &Control,
        each: &mut (dyn FnMut(&Rectangle, Counts) + Send),
    ) -> Result<(), JobError> {
        let (single_sweep_lines, other_lines): (Vec<BoardLine>, Vec<BoardLine>) =
            self.boards.lines().into_iter().partition(|line| line.is_single_sweep(&self.rules));
        if !self.force {
            other_lines.iter().try_for_each(|&line| self.check_most_expensive(line, control))?;
        }
        let plan = |(number, line): (usize, &BoardLine)| {
            let mut planned = line.plan(&self.rules, self.kind, self.modulus, self.memory, control)?;
            if !self.force {
                admission::check_sweep_in_memory(
                    &self.line_name(*line),
                    &planned.admission_estimate(DiskBudget::Absent),
                )?;
            }
            // The tables of all lines together would take too much memory.
            if number > 0 {
                planned.drop_tables();
            }
            Ok::<_, JobError>(planned)
        };
        let mut planned =
            single_sweep_lines.iter().enumerate().map(plan).collect::<Result<Vec<_>, _>>()?.into_iter();
        for line in self.boards.lines() {
            if line.is_single_sweep(&self.rules) {
                let (planned, mut rows) = (planned.next().expect("every sweep is planned"), Vec::new());
                let ran = planned.run(None, control, &mut |row| match self.distinct {
                    true => rows.push(row),
                    false => each(&row.board, row.counts),
                });
                ran.map_err(|error| admission::job_error(&self.line_name(line), error, NO_DISK_KEYWORD))?;
                for row in rows {
                    each(&row.board, self.to_classes(&row.board, &row.counts, &control.for_side_task())?);
                }
                continue;
            }
            for board in line.boards() {
                let request = self.request(&board);
                let name = || job_name(request.board(), self.kind);
                let counts = count_board(&request, self.memory, self.force, control)
                    .map_err(|error| admission::job_error(&name(), error, NO_DISK_KEYWORD))?;
                let counts = self.to_classes(&board, &counts, control)?;
                each(&board, counts);
            }
        }
        Ok(())
    }

    /// Returns the name of the counts on a line of boards in messages, such as `5x6..8 piece=0,1 closed`.
    fn line_name(&self, line: BoardLine) -> String {
        let first = line.boards().next().map(|board| summary(&self.rules.to_board(board)));
        let rules = first.as_deref().and_then(|first| first.split_once(' '));
        let rules = rules.map_or_else(String::new, |(_, rules)| format!(" {rules}"));
        format!("{line}{rules} {}", self.kind.map_or("tours", Kind::name))
    }

    /// Returns the numbers of tours up to symmetry if `distinct` is set, otherwise a copy of
    /// `counts`.
    fn to_classes(&self, board: &Rectangle, counts: &Counts, control: &Control) -> Result<Counts, JobError> {
        if !self.distinct {
            return Ok(counts.clone());
        }
        Ok(self.distinct_plan(board)?.count(counts, control)?.distinct.into_iter().collect())
    }

    fn distinct_plan(&self, board: &Rectangle) -> Result<DistinctPlan, CountError> {
        DistinctPlan::new(UpToSymmetry::Distinct, &self.request(board), self.memory, false)
    }

    fn request(&self, board: &Rectangle) -> Request {
        Request { modulus: self.modulus, ..Request::of_kind(self.rules.to_board(board.clone()), self.kind) }
    }

    /// Returns an error if the most expensive board of a line (boards that differ only in length) exceeds memory or
    /// a year.
    fn check_most_expensive(&self, line: BoardLine, control: &Control) -> Result<(), JobError> {
        let to_board = |board| Ok::<_, JobError>(self.rules.to_board(board));
        let board =
            BoardRange::Line(line).most_expensive_board(self.kind.unwrap_or(Kind::Paths), to_board)?;
        let request = self.request(&board);
        let work_plan = WorkPlan::new_under(&request, control)?.with_memory(self.memory);
        let name = job_name(request.board(), self.kind);
        let mut count = CountJob::new(request, work_plan, Shard::WHOLE);
        count.distinct_plan = self.distinct.then(|| self.distinct_plan(&board)).transpose()?;
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
        let family = Series::new(boards, rules, kind);
        families.push(Series { distinct, directed, symmetry, modulus, memory, force, ..family });
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
