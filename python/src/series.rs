//! `ktour.series`: counts the tours on a series of boards.

use ktour::board::Rectangle;
use ktour::control::Control;
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::count::{Counts, Engine, Request, WorkPlan};
use ktour::frontier::ResidueRing;
use ktour::series::{BoardLine, BoardRange, SeriesRules};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::job_runner::JobRunner;
use super::{admission, arguments};
use crate::count::{MODULUS_CONFLICT, count_board, count_symmetric, counts_to_python, make_directed};
use crate::errors::{JobError, usage_error};
use crate::symmetry::check_symmetries_known;
use crate::{board, symmetry};

/// A series of boards and the tours to count on them.
pub struct Series {
    pub boards: BoardRange,
    pub play: SeriesRules,
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
        Self { boards, play: rules, kind, distinct, directed, symmetry, modulus, memory, force }
    }

    /// Counts the tours on all boards. Returns the text form of each board with its counts, in the
    /// order of the boards. The admission checks of all boards precede the first count.
    pub fn count_all(&self, control: &Control) -> Result<Vec<(String, Counts)>, JobError> {
        let mut rows = match self.symmetry {
            Some(named) => {
                self.boards.boards().map(|board| self.count_symmetric(board, named, control)).collect()
            }
            None => self.count_without_symmetry(control),
        }?;
        if self.directed && !self.distinct {
            rows.iter_mut().for_each(|(board, counts)| make_directed(counts, board.len()));
        }
        Ok(rows.into_iter().map(|(board, counts)| (board.to_string(), counts)).collect())
    }

    /// Counts the tours with the symmetry `named` on one board, by the quotient of the board.
    fn count_symmetric(
        &self,
        board: Rectangle,
        named: NamedSymmetry,
        control: &Control,
    ) -> Result<(Rectangle, Counts), JobError> {
        let setting = self.context(&board);
        setting.require_names()?;
        Ok((board, count_symmetric(&setting, named, (self.kind, self.distinct), self.force, control)?))
    }

    /// Counts the tours on every board, in total or up to symmetry.
    fn count_without_symmetry(&self, control: &Control) -> Result<Vec<(Rectangle, Counts)>, JobError> {
        let mut rows = Vec::new();
        let (single_sweep_lines, other_lines): (Vec<BoardLine>, Vec<BoardLine>) =
            self.boards.lines().into_iter().partition(|line| line.is_single_sweep(&self.play));
        if !self.force {
            other_lines.iter().try_for_each(|line| self.check_longest(line, control))?;
        }
        let plan = |line: &BoardLine| {
            let planned = line.plan_modulo(&self.play, self.kind, self.modulus, self.memory, control)?;
            if !self.force {
                let name = format!("{line} {}", self.kind.map_or("tours", Kind::name));
                admission::check_sweep_in_memory(&name, &planned.estimate())?;
            }
            Ok::<_, JobError>(planned)
        };
        let mut planned = single_sweep_lines.iter().map(plan).collect::<Result<Vec<_>, _>>()?.into_iter();
        for line in self.boards.lines() {
            if line.is_single_sweep(&self.play) {
                let (planned, first_row) = (planned.next().expect("every sweep is planned"), rows.len());
                planned.run(control, &mut |row| rows.push((row.board, row.counts)))?;
                for (board, counts) in &mut rows[first_row..] {
                    *counts = self.to_classes(board, counts, &control.for_side_task())?;
                }
                continue;
            }
            for board in line.boards() {
                let counts = count_board(&self.request(&board), self.memory, control)?;
                let counts = self.to_classes(&board, &counts, control)?;
                rows.push((board, counts));
            }
        }
        Ok(rows)
    }

    /// Returns the numbers of tours up to symmetry if `distinct` is set, otherwise a copy of
    /// `counts`.
    fn to_classes(&self, board: &Rectangle, counts: &Counts, control: &Control) -> Result<Counts, JobError> {
        if !self.distinct {
            return Ok(counts.clone());
        }
        let setting = self.context(board);
        let mut parts = symmetry::count_symmetric_tours(&self.request(board), &setting, false, control)?;
        Ok(symmetry::classes_without_ends(counts, &mut parts)?)
    }

    fn context(&self, board: &Rectangle) -> SymmetricContext {
        SymmetricContext::new(&self.play.to_board(board.clone()), Engine::Auto, self.memory)
    }

    fn request(&self, board: &Rectangle) -> Request {
        Request { kind: self.kind, modulus: self.modulus, ..Request::new(self.play.to_board(board.clone())) }
    }

    /// Returns an error if one of the two longest boards of a line (boards that differ only in
    /// length) exceeds memory or a year. Two boards are checked, because the colours of the squares
    /// may rule out all tours on one of them.
    fn check_longest(&self, line: &BoardLine, control: &Control) -> Result<(), JobError> {
        for board in line.boards().collect::<Vec<_>>().iter().rev().take(2) {
            let request = self.request(board);
            let work_plan = WorkPlan::new_with_control(&request, control)?.with_memory(self.memory);
            let name = format!("{board} {}", self.kind.map_or("tours", Kind::name));
            admission::check_count(&name, &request, &work_plan, &work_plan.schedule(), None, control)?;
            if self.distinct {
                admission::check_enumeration(&name, &request, &self.context(board), false, control)?;
            }
        }
        Ok(())
    }
}

/// Parses the range of boards, the piece and the wrapping of a series.
pub fn parse_range(
    boards: &str,
    piece: Option<&Bound<'_, PyAny>>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<(BoardRange, SeriesRules)> {
    let boards: BoardRange = boards.parse().map_err(usage_error)?;
    Ok((boards, SeriesRules { piece: board::parse_piece(piece, leaper)?, wrap: board::parse_wrap(wrap)? }))
}

/// Counts the tours of a series of boards. Returns a dict from "5x2", "5x3", ... to numbers, or to Counts
/// without a kind.
///
/// - boards: a range such as "5x2..60", "2..60x5", "5..7x5..7" or "1..8" (squares), or a list of ranges and
///   boards such as ["5x6", "7x4..9"]. One sweep counts all boards of a range of lengths.
/// - kind, distinct, directed, symmetry, modulus, memory, threads, progress, force: as for count.
/// - piece, leaper, wrap: as for Board.
///
/// Raises the exceptions of count.
#[pyfunction]
#[pyo3(signature = (boards, kind = None, *, distinct = false, directed = false, symmetry = None, modulus = None, piece = None, leaper = None, wrap = None, memory = None, threads = None, progress = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn series<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = arguments::parse_optional_kind_word)] kind: Option<&'static str>,
    #[pyo3(from_py_with = arguments::parse_distinct)] distinct: bool,
    #[pyo3(from_py_with = arguments::parse_directed)] directed: bool,
    symmetry: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_modulus)] modulus: Option<ResidueRing>,
    piece: Option<&Bound<'py, PyAny>>,
    leaper: Option<&Bound<'py, PyAny>>,
    wrap: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = arguments::parse_force)] force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (kind, memory) = (kind.map(arguments::kind_of_word), arguments::parse_memory(memory)?);
    if distinct && directed {
        return Err(usage_error("distinct= excludes directed=; omit one"));
    }
    let symmetry =
        arguments::not_none(symmetry).map(|name| arguments::parse_symmetry(name, kind)).transpose()?;
    if modulus.is_some() && (distinct || directed || symmetry.is_some()) {
        return Err(usage_error(MODULUS_CONFLICT));
    }
    let mut families = Vec::new();
    for (boards, rules) in parse_boards(boards, piece, leaper, wrap)? {
        if distinct {
            let last = boards.boards().last().expect("a range has boards");
            check_symmetries_known(&rules.to_board(last), "distinct=")?;
        }
        let family = Series::new(boards, rules, kind);
        families.push(Series { distinct, directed, symmetry, modulus, memory, force, ..family });
    }
    let title = families.iter().map(|family| family.boards.to_string()).collect::<Vec<_>>().join(" ");
    let runner = JobRunner::new(threads, progress, &title)?;
    let rows = runner.run_abandonable(py, move |control| {
        let rows = families.iter().map(|family| family.count_all(control)).collect::<Result<Vec<_>, _>>();
        rows.map(|rows| rows.concat())
    })??;
    let numbers = PyDict::new(py);
    for (board, counts) in rows {
        numbers.set_item(board, counts_to_python(py, kind, &counts)?)?;
    }
    Ok(numbers)
}

/// Parses `boards=` of the Python function `series`: a range of boards, or a list of ranges and
/// boards.
fn parse_boards(
    boards: &Bound<'_, PyAny>,
    piece: Option<&Bound<'_, PyAny>>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(BoardRange, SeriesRules)>> {
    if let Ok(range) = boards.extract::<String>() {
        return Ok(vec![parse_range(&range, piece, leaper, wrap)?]);
    }
    let takes =
        || arguments::type_error("boards=", "text such as \"5x2..60\", or a list of such texts", boards);
    let mut families = Vec::new();
    for text in boards.try_iter().map_err(|_| takes())? {
        let text: String = text?.extract().map_err(|_| takes())?;
        let one = match text.parse::<Rectangle>() {
            // A single board is a range with one board.
            Ok(board) => format!("{}x{}..{}", board.rows(), board.cols(), board.cols()),
            Err(_) => text,
        };
        families.push(parse_range(&one, piece, leaper, wrap)?);
    }
    match families.is_empty() {
        true => Err(usage_error("boards= has no board; give at least one, as in [\"5x6\", \"6x6\"]")),
        false => Ok(families),
    }
}
