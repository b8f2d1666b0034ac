//! `ktour.series`: the numbers of a family of boards.

use ktour::board::Board;
use ktour::control::Control;
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{Counts, Engine, Request, Work, count_within};
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attend::How;
use crate::count::{both_directions, symmetric, told};
use crate::errors::{Why, usage};
use crate::symmetry::check_known;
use crate::{asked, board, fits, symmetry};

/// A family of boards that is counted.
pub struct Family {
    pub boards: Boards,
    pub play: Play,
    pub kind: Option<Kind>,
    /// Tours up to the board's symmetries.
    pub distinct: bool,
    /// Both directions of every tour.
    pub directed: bool,
    /// Only tours that this leaves unchanged.
    pub symmetry: Option<Named>,
    pub memory: Option<u64>,
    /// Whether it begins even if it takes years, or does not fit.
    pub force: bool,
}

impl Family {
    /// All tours of a kind, in memory as far as that is.
    pub const fn new(boards: Boards, play: Play, kind: Option<Kind>) -> Self {
        let (distinct, directed, symmetry) = (false, false, None);
        Self { boards, play, kind, distinct, directed, symmetry, memory: None, force: false }
    }

    /// The numbers of all boards, in their order. What would be refused is found out before the first is begun.
    pub fn rows(&self, control: &Control) -> Result<Vec<(String, Counts)>, Why> {
        let mut rows = match self.symmetry {
            Some(named) => self.boards.boards().map(|board| self.symmetric(board, named, control)).collect(),
            None => self.all(control),
        }?;
        if self.directed && !self.distinct {
            rows.iter_mut().for_each(|(board, counts)| both_directions(counts, board.len()));
        }
        Ok(rows.into_iter().map(|(board, counts)| (board.to_string(), counts)).collect())
    }

    /// Tours with a symmetry are counted on quotients, board by board.
    fn symmetric(&self, board: Board, named: Named, control: &Control) -> Result<(Board, Counts), Why> {
        let setting = self.setting(&board);
        setting.check_names()?;
        Ok((board, symmetric(&setting, named, (self.kind, self.distinct), self.force, control)?))
    }

    /// All tours, or all distinct ones.
    fn all(&self, control: &Control) -> Result<Vec<(Board, Counts)>, Why> {
        let mut rows = Vec::new();
        let (swept, alone): (Vec<Line>, Vec<Line>) =
            self.boards.lines().into_iter().partition(|line| line.is_one_sweep(&self.play));
        if !self.force {
            alone.iter().try_for_each(|line| self.check_last(line, control))?;
        }
        let plan = |line: &Line| {
            let planned = line.plan(&self.play, self.kind, self.memory, control)?;
            if !self.force {
                let name = format!("{line} {}", self.kind.map_or("tours", Kind::name));
                fits::in_memory(&name, &planned.forecast())?;
            }
            Ok::<_, Why>(planned)
        };
        let mut planned = swept.iter().map(plan).collect::<Result<Vec<_>, _>>()?.into_iter();
        for line in self.boards.lines() {
            if line.is_one_sweep(&self.play) {
                let (planned, begin) = (planned.next().expect("all of them are planned"), rows.len());
                planned.sweep(control, &mut |row| rows.push((row.board, row.counts)))?;
                for (board, counts) in &mut rows[begin..] {
                    *counts = self.up_to(board, counts, &control.aside())?;
                }
                continue;
            }
            for board in line.boards() {
                let counts = count_within(&self.request(&board), self.memory, control)?.counts;
                let counts = self.up_to(&board, &counts, control)?;
                rows.push((board, counts));
            }
        }
        Ok(rows)
    }

    /// Numbers of a board's tours, or of their classes if these are asked for.
    fn up_to(&self, board: &Board, counts: &Counts, control: &Control) -> Result<Counts, Why> {
        if !self.distinct {
            return Ok(counts.clone());
        }
        let setting = self.setting(board);
        let mut parts = symmetry::symmetric(&self.request(board), &setting, false, control)?;
        Ok(symmetry::classes(counts, &mut parts)?)
    }

    fn setting(&self, board: &Board) -> Setting {
        Setting::new(&self.play.on(board.clone()), Engine::Auto, self.memory)
    }

    fn request(&self, board: &Board) -> Request {
        Request { kind: self.kind, ..Request::new(self.play.on(board.clone())) }
    }

    /// Refuses a line whose last boards take too much: one of two is not without tours by its colours.
    fn check_last(&self, line: &Line, control: &Control) -> Result<(), Why> {
        for board in line.boards().collect::<Vec<_>>().iter().rev().take(2) {
            let request = self.request(board);
            let work = Work::under(&request, control)?.with_memory(self.memory);
            let name = format!("{board} {}", self.kind.map_or("tours", Kind::name));
            fits::count(&name, &request, (&work, self.memory), &work.schedule(), None, control)?;
            if self.distinct {
                fits::up_to_symmetry(&name, &request, &self.setting(board), false, control)?;
            }
        }
        Ok(())
    }
}

/// A range of boards, and what they have in common.
pub fn family(
    boards: &str,
    piece: Option<&Bound<'_, PyAny>>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Boards, Play)> {
    let boards: Boards = boards.parse().map_err(usage)?;
    Ok((boards, Play { piece: board::piece(piece, leaper)?, wrap: board::wrap(wrap)? }))
}

/// The numbers of a family of boards: a dict from "5x2", "5x3", ... to numbers.
///
/// boards: "5x2..60", "2..60x5", "5..7x5..7", or "1..8" for squares; where boards begin each other, as 5x2 begins 5x3,
/// one sweep counts them all. kind, distinct, directed, symmetry, memory, threads, progress, force: as for count; without a
/// kind values are Counts. piece, leaper, wrap: as for Board.
///
/// Raises what count raises.
#[pyfunction]
#[pyo3(signature = (boards, kind = None, *, distinct = false, directed = false, symmetry = None, piece = None, leaper = None, wrap = None, memory = None, threads = None, progress = None, force = false))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn series<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    #[pyo3(from_py_with = asked::some_kind)] kind: Option<&'static str>,
    #[pyo3(from_py_with = asked::distinct)] distinct: bool,
    #[pyo3(from_py_with = asked::directed)] directed: bool,
    symmetry: Option<&Bound<'py, PyAny>>,
    piece: Option<&Bound<'py, PyAny>>,
    leaper: Option<&Bound<'py, PyAny>>,
    wrap: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::force)] force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let range: String =
        boards.extract().map_err(|_| asked::wrong("boards=", "text such as \"5x2..60\"", boards))?;
    let (boards, play) = family(&range, piece, leaper, wrap)?;
    let (kind, memory) = (kind.map(asked::kind), asked::memory(memory)?);
    if distinct && directed {
        return Err(usage("distinct= does not go with directed=: drop one"));
    }
    if distinct {
        let last = boards.boards().last().expect("a range has boards");
        check_known(&play.on(last), "distinct=")?;
    }
    let symmetry = asked::given(symmetry).map(|name| asked::symmetry(name, kind)).transpose()?;
    let how = How::new(threads, progress, &range)?;
    let family = Family { distinct, directed, symmetry, memory, force, ..Family::new(boards, play, kind) };
    let rows = how.attend_or_leave(py, move |control| family.rows(control))??;
    let numbers = PyDict::new(py);
    for (board, counts) in rows {
        numbers.set_item(board, told(py, kind, &counts)?)?;
    }
    Ok(numbers)
}
