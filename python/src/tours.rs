//! `ktour.tours`: all tours, one by one, while other threads search for the next.

use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use ktour::Control;
use ktour::count::symmetric::list::{Wanted, tours as symmetric};
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{CountError, Engine};
use ktour::search::chunk::Packed;
use ktour::search::list::{ListError, ListOptions};
use ktour::search::order::Steps;
use ktour::search::problem::Problem;
use ktour::search::{TourIter, tours as all};
use ktour::tour::Kind;
use pyo3::prelude::*;

use crate::asked;
use crate::attend::How;
use crate::block::Block;
use crate::board::Board;
use crate::errors::{self, usage};
use crate::symmetry::check_known;
use crate::tour::Tour;
use crate::vertices::Vertices;

/// Between two looks at signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Tours by one engine or another.
enum Source {
    All(TourIter<ListError>),
    Symmetric(TourIter<CountError>),
}

impl Source {
    fn poll(&mut self) -> Poll<Option<PyResult<Packed>>> {
        match self {
            Self::All(tours) => tours.poll_chunk(LISTEN).map_err(errors::list),
            Self::Symmetric(tours) => tours.poll_chunk(LISTEN).map_err(errors::count),
        }
    }
}

/// An iterator of tours. It searches ahead on other threads, a few thousand tours; they end with the last tour, or
/// when it is closed or forgotten.
#[pyclass(module = "ktour")]
pub struct Tours {
    board: Py<Board>,
    /// Nothing after the last tour. Only ever taken by whoever has the whole.
    source: Option<Mutex<Source>>,
    chunk: Packed,
    taken: usize,
    left: u64,
}

impl Tours {
    /// The next chunk, if there is any: the interpreter is free until it comes.
    fn next_chunk(&mut self, py: Python<'_>) -> PyResult<bool> {
        loop {
            let Some(source) = &mut self.source else { return Ok(false) };
            let polled =
                py.detach(|| source.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).poll());
            match polled {
                Poll::Pending => {
                    if let Err(interrupt) = py.check_signals() {
                        self.close(py);
                        return Err(interrupt);
                    }
                }
                Poll::Ready(Some(Ok(chunk))) => {
                    (self.chunk, self.taken) = (chunk, 0);
                    return py.check_signals().map(|()| true);
                }
                Poll::Ready(Some(Err(error))) => {
                    self.close(py);
                    return Err(error);
                }
                Poll::Ready(None) => self.close(py),
            }
        }
    }
}

#[pymethods]
impl Tours {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Tour>> {
        if self.left == 0 {
            self.close(py);
            return Ok(None);
        }
        while self.taken >= self.chunk.len() {
            if !self.next_chunk(py)? {
                return Ok(None);
            }
        }
        let kind = self.chunk.kinds()[self.taken];
        let squares = self.chunk.vertices().len() / self.chunk.len();
        let vertices = &self.chunk.vertices()[self.taken * squares..][..squares];
        let tour = Tour::found(self.board.clone_ref(py), Vertices::Bytes(vertices.into()), kind);
        self.taken += 1;
        self.left -= 1;
        Ok(Some(tour))
    }

    /// All tours that are left as one numpy array of uint8, shape (tours, squares): the numbers of the squares in
    /// order of visit. A byte for each square of each tour; needs numpy.
    #[expect(clippy::wrong_self_convention, reason = "it takes what is left")]
    fn to_numpy<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let squares = self.board.get().arena.len();
        let (mut bytes, mut tours) = (Vec::new(), 0);
        while self.left > 0 {
            if self.taken >= self.chunk.len() && !self.next_chunk(py)? {
                break;
            }
            let wanted = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.chunk.len() - self.taken);
            bytes.extend_from_slice(&self.chunk.vertices()[self.taken * squares..][..wanted * squares]);
            tours += wanted;
            self.taken += wanted;
            self.left -= wanted as u64;
        }
        self.close(py);
        let block = Bound::new(py, Block::new(bytes, tours, squares))?;
        py.import("numpy")?.call_method1("asarray", (block,))
    }

    /// Ends the search; there are no more tours then. Done by itself when nobody wants the iterator any more.
    fn close(&mut self, py: Python<'_>) {
        (self.left, self.taken, self.chunk) = (0, 0, Packed::default());
        if let Some(source) = self.source.take() {
            // Its threads are waited for.
            py.detach(|| drop(source));
        }
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &mut self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _error: &Bound<'_, PyAny>,
        _trace: &Bound<'_, PyAny>,
    ) {
        self.close(py);
    }
}

/// All tours of a board as an iterator, each once, in an order that depends on the question alone.
///
/// kind: "paths" (the default), "closed" or "open". A path comes once, from its lower end; a closed tour once, from
/// its lowest square; directed=True has both directions. start, end: only tours from and to there, directed then.
/// distinct=True: one of each class under the board's symmetries. symmetry: only tours that "rot180", ... leaves
/// unchanged. limit: no more than so many. moves: the order of (down, right) steps of plain backtracking, such as
/// "2,1 1,2 -1,2 ...". threads: as many search; all cores without it.
///
/// Nothing begins before the first tour is asked for; memory stays flat, whatever the number of tours.
/// Raises UsageError for what cannot be: boards have at most 128 squares here.
#[pyfunction]
#[pyo3(signature = (board, kind = "paths", *, directed = false, distinct = false, symmetry = None, start = None, end = None, limit = None, moves = None, threads = None))]
#[expect(clippy::too_many_arguments, reason = "they are keywords")]
pub fn tours(
    board: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = asked::kind_word)] kind: &'static str,
    #[pyo3(from_py_with = asked::directed)] directed: bool,
    #[pyo3(from_py_with = asked::distinct)] distinct: bool,
    symmetry: Option<&Bound<'_, PyAny>>,
    start: Option<&Bound<'_, PyAny>>,
    end: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = asked::limit)] limit: Option<u64>,
    moves: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = asked::threads)] threads: Option<usize>,
) -> PyResult<Tours> {
    let board = Board::from_any(board)?;
    let (own, kind) = (board.get(), asked::kind(kind));
    let arena = &own.arena;
    let (start, end) = (own.end(start, "start=")?, own.end(end, "end=")?);
    if directed && distinct {
        return Err(usage("directed= and distinct= exclude each other: take one"));
    }
    if distinct && kind == Kind::Closed && start.is_some() {
        return Err(usage(
            "distinct closed tours have no start: drop start=, or ask for kind=\"paths\" or \"open\"",
        ));
    }
    if distinct {
        check_known(arena, "distinct=")?;
    }
    let how = How::new(threads, None, "")?;
    let control = Control::new();
    let moves = asked::text(moves, "moves=")?;
    let source = match asked::given(symmetry) {
        Some(name) => {
            let named: Named = asked::symmetry(name, Some(kind))?;
            if start.is_some() || end.is_some() || moves.is_some() {
                return Err(usage("symmetry= does not go with start=, end= or moves=: drop them"));
            }
            let setting = Setting::new(arena, Engine::Multipath, None);
            setting.check_names().map_err(errors::count)?;
            let wanted = Wanted { kind, named, distinct, directed };
            Source::Symmetric(how.install(|| symmetric(&setting, wanted, &control)))
        }
        None => {
            let problem = Problem::new(arena, kind, start, end).map_err(|error| errors::problem(&error))?;
            let steps = match (moves.as_deref(), arena.rectangle()) {
                (None, _) => None,
                (Some(_), None) => {
                    return Err(usage(
                        "moves= takes the steps of one leaper on a board whose edges are not joined",
                    ));
                }
                (Some(text), Some(rectangle)) => {
                    let steps = Steps::parse(text, rectangle.board(), rectangle.leaper());
                    Some(steps.map_err(|error| usage(format!("moves: {error}")))?)
                }
            };
            let options = ListOptions { directed, distinct, steps, split_depth: None };
            Source::All(how.install(|| all(arena, problem, options, &control)))
        }
    };
    Ok(Tours {
        board: board.unbind(),
        source: Some(Mutex::new(source)),
        chunk: Packed::default(),
        taken: 0,
        left: limit.unwrap_or(u64::MAX),
    })
}
