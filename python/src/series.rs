//! `ktour.series`: numbers of tours of a series of boards.

use ktour::board::Board;
use ktour::control::Control;
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{Counts, Engine, Request, Work};
use ktour::frontier::Lane;
use ktour::series::{Boards, Line, Play};
use ktour::tour::Kind;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attend::How;
use crate::count::{NO_RESIDUES, both_directions, numbers, symmetric, told};
use crate::errors::{Why, usage};
use crate::symmetry::check_known;
use crate::{asked, board, fits, symmetry};

/// A series of boards and the tours to count on them.
pub struct Family {
    pub boards: Boards,
    pub play: Play,
    pub kind: Option<Kind>,
    /// True for classes of tours under the symmetries of each board.
    pub distinct: bool,
    /// True if both directions of every tour count.
    pub directed: bool,
    /// The symmetry that counted tours must have.
    pub symmetry: Option<Named>,
    /// The modulus, if residues are counted.
    pub modulus: Option<Lane>,
    pub memory: Option<u64>,
    /// True if the counts start even if the estimate exceeds memory or a year.
    pub force: bool,
}

impl Family {
    /// Creates a series of all undirected tours of a kind, or of all kinds, with no memory limit of its own.
    pub const fn new(boards: Boards, play: Play, kind: Option<Kind>) -> Self {
        let (distinct, directed, symmetry) = (false, false, None);
        let (modulus, memory, force) = (None, None, false);
        Self { boards, play, kind, distinct, directed, symmetry, modulus, memory, force }
    }

    /// Counts the tours of all boards. Returns pairs of a board's text and its counts, in order of the
    /// boards. The admission check of every board runs before the first count.
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

    /// Counts tours with a symmetry on one board, on the quotient by the symmetry.
    fn symmetric(&self, board: Board, named: Named, control: &Control) -> Result<(Board, Counts), Why> {
        let setting = self.setting(&board);
        setting.check_names()?;
        Ok((board, symmetric(&setting, named, (self.kind, self.distinct), self.force, control)?))
    }

    /// Counts all tours, or all classes, of every board.
    fn all(&self, control: &Control) -> Result<Vec<(Board, Counts)>, Why> {
        let mut rows = Vec::new();
        let (swept, alone): (Vec<Line>, Vec<Line>) =
            self.boards.lines().into_iter().partition(|line| line.is_one_sweep(&self.play));
        if !self.force {
            alone.iter().try_for_each(|line| self.check_last(line, control))?;
        }
        let plan = |line: &Line| {
            let planned = line.plan_modulo(&self.play, self.kind, self.modulus, self.memory, control)?;
            if !self.force {
                let name = format!("{line} {}", self.kind.map_or("tours", Kind::name));
                fits::in_memory(&name, &planned.forecast())?;
            }
            Ok::<_, Why>(planned)
        };
        let mut planned = swept.iter().map(plan).collect::<Result<Vec<_>, _>>()?.into_iter();
        for line in self.boards.lines() {
            if line.is_one_sweep(&self.play) {
                let (planned, begin) = (planned.next().expect("every sweep is planned"), rows.len());
                planned.sweep(control, &mut |row| rows.push((row.board, row.counts)))?;
                for (board, counts) in &mut rows[begin..] {
                    *counts = self.up_to(board, counts, &control.aside())?;
                }
                continue;
            }
            for board in line.boards() {
                let counts = numbers(&self.request(&board), self.memory, control)?;
                let counts = self.up_to(&board, &counts, control)?;
                rows.push((board, counts));
            }
        }
        Ok(rows)
    }

    /// Returns the numbers of symmetry classes if `distinct` is set, else a copy of `counts`.
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
        Request { kind: self.kind, modulus: self.modulus, ..Request::new(self.play.on(board.clone())) }
    }

    /// Refuses a line of boards if one of its two longest boards exceeds memory or a year. Two are checked,
    /// because the colours of the squares may rule out all tours of one.
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

/// Parses the range of boards, the piece and the joined edges of a series.
pub fn family(
    boards: &str,
    piece: Option<&Bound<'_, PyAny>>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Boards, Play)> {
    let boards: Boards = boards.parse().map_err(usage)?;
    Ok((boards, Play { piece: board::piece(piece, leaper)?, wrap: board::wrap(wrap)? }))
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
    #[pyo3(from_py_with = asked::some_kind)] kind: Option<&'static str>,
    #[pyo3(from_py_with = asked::distinct)] distinct: bool,
    #[pyo3(from_py_with = asked::directed)] directed: bool,
    symmetry: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::modulus)] modulus: Option<Lane>,
    piece: Option<&Bound<'py, PyAny>>,
    leaper: Option<&Bound<'py, PyAny>>,
    wrap: Option<&Bound<'py, PyAny>>,
    memory: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = asked::force)] force: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (kind, memory) = (kind.map(asked::kind), asked::memory(memory)?);
    if distinct && directed {
        return Err(usage("distinct= excludes directed=; omit one"));
    }
    let symmetry = asked::given(symmetry).map(|name| asked::symmetry(name, kind)).transpose()?;
    if modulus.is_some() && (distinct || directed || symmetry.is_some()) {
        return Err(usage(NO_RESIDUES));
    }
    let mut families = Vec::new();
    for (boards, play) in families_of(boards, piece, leaper, wrap)? {
        if distinct {
            let last = boards.boards().last().expect("a range has boards");
            check_known(&play.on(last), "distinct=")?;
        }
        let family = Family::new(boards, play, kind);
        families.push(Family { distinct, directed, symmetry, modulus, memory, force, ..family });
    }
    let title = families.iter().map(|family| family.boards.to_string()).collect::<Vec<_>>().join(" ");
    let how = How::new(threads, progress, &title)?;
    let rows = how.attend_or_leave(py, move |control| {
        let rows = families.iter().map(|family| family.rows(control)).collect::<Result<Vec<_>, _>>();
        rows.map(|rows| rows.concat())
    })??;
    let numbers = PyDict::new(py);
    for (board, counts) in rows {
        numbers.set_item(board, told(py, kind, &counts)?)?;
    }
    Ok(numbers)
}

/// Parses `boards=` of `series`: a range of boards, or a list of ranges and single boards.
fn families_of(
    boards: &Bound<'_, PyAny>,
    piece: Option<&Bound<'_, PyAny>>,
    leaper: Option<&Bound<'_, PyAny>>,
    wrap: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(Boards, Play)>> {
    if let Ok(range) = boards.extract::<String>() {
        return Ok(vec![family(&range, piece, leaper, wrap)?]);
    }
    let takes = || asked::wrong("boards=", "text such as \"5x2..60\", or a list of such texts", boards);
    let mut families = Vec::new();
    for text in boards.try_iter().map_err(|_| takes())? {
        let text: String = text?.extract().map_err(|_| takes())?;
        let one = match text.parse::<Board>() {
            // A single board is a range with one board.
            Ok(board) => format!("{}x{}..{}", board.rows(), board.cols(), board.cols()),
            Err(_) => text,
        };
        families.push(family(&one, piece, leaper, wrap)?);
    }
    match families.is_empty() {
        true => Err(usage("boards= has no board; give at least one, as in [\"5x6\", \"6x6\"]")),
        false => Ok(families),
    }
}
