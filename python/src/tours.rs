//! `ktour.tours`: all tours, one by one, while other threads search for the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::Poll;
use std::time::Duration;

use ktour::Control;
use ktour::count::symmetric::list::{Wanted, tours as symmetric};
use ktour::count::symmetric::{Named, Setting};
use ktour::count::{CountError, Engine};
use ktour::memory;
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
use crate::errors::{self, no_room, usage};
use crate::symmetry::check_known;
use crate::tour::Tour;
use crate::vertices::Vertices;

/// Between two looks at signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Between two looks whether another thread is done with an iterator.
const GIVE_WAY: Duration = Duration::from_millis(1);

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
/// when it is closed or forgotten. Threads may share it: each tour comes to one of them.
#[pyclass(frozen, module = "ktour")]
pub struct Tours {
    board: Py<Board>,
    state: Mutex<State>,
    /// Whether it is to be closed: whoever waits for a tour ends that, and has none.
    is_closing: AtomicBool,
}

/// Where an iterator is.
struct State {
    /// Nothing after the last tour.
    source: Option<Source>,
    chunk: Packed,
    taken: usize,
    left: u64,
}

impl State {
    /// How many tours of the chunk are at hand, and wanted.
    fn at_hand(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX).min(self.chunk.len() - self.taken)
    }

    /// Nothing more.
    fn end(&mut self, py: Python<'_>) {
        (self.left, self.taken, self.chunk) = (0, 0, Packed::default());
        if let Some(source) = self.source.take() {
            // Its threads are waited for.
            py.detach(|| drop(source));
        }
    }

    /// Takes so many of the tours at hand.
    fn take(&mut self, tours: usize) -> &[u8] {
        let squares = self.chunk.vertices().len() / self.chunk.len();
        let from = self.taken * squares;
        self.taken += tours;
        self.left -= tours as u64;
        &self.chunk.vertices()[from..][..tours * squares]
    }
}

impl Tours {
    /// The state, once no other thread has it, which may be one that waits for the interpreter.
    fn state<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, State> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| std::thread::sleep(GIVE_WAY)),
            }
        }
    }

    /// The state with a tour at hand, or at its end. Signals are looked for while nobody has it, as their handlers may
    /// want it.
    fn ready<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, State>> {
        loop {
            let mut state = self.state(py);
            if state.left == 0 || self.is_closing.load(Ordering::Relaxed) {
                state.end(py);
            }
            let own = &mut *state;
            if own.at_hand() > 0 {
                return Ok(state);
            }
            let Some(source) = &mut own.source else { return Ok(state) };
            match py.detach(|| source.poll()) {
                Poll::Pending => {}
                Poll::Ready(Some(Ok(chunk))) => (own.chunk, own.taken) = (chunk, 0),
                Poll::Ready(Some(Err(error))) => {
                    own.end(py);
                    return Err(error);
                }
                Poll::Ready(None) => own.end(py),
            }
            drop(state);
            if let Err(interrupt) = py.check_signals() {
                self.close(py);
                return Err(interrupt);
            }
        }
    }
}

/// Makes room in a table for so many bytes more, and for a half of what it has as far as there is room.
fn reserve(table: &mut Vec<u8>, more: usize) -> PyResult<()> {
    if table.capacity() - table.len() >= more {
        return Ok(());
    }
    let room = memory::ceiling().map_or(usize::MAX, |room| usize::try_from(room).unwrap_or(usize::MAX));
    let (least, wanted) = (more.max(table.len() / 16), more.max(table.len() / 2));
    if room >= least && table.try_reserve_exact(wanted.min(room)).is_ok() {
        return Ok(());
    }
    Err(no_room(format!(
        "the array needs more than {} of memory, and there is no more: take limit= tours at a time",
        memory::in_words(table.len() as u64)
    )))
}

#[pymethods]
impl Tours {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Tour>> {
        let mut state = self.ready(py)?;
        if state.at_hand() == 0 {
            return Ok(None);
        }
        let kind = state.chunk.kinds()[state.taken];
        let vertices = Vertices::Bytes(state.take(1).into());
        drop(state);
        Ok(Some(Tour::found(self.board.clone_ref(py), vertices, kind)))
    }

    /// All tours that are left as one numpy array of uint8, shape (tours, squares): the numbers of the squares in
    /// order of visit. A byte for each square of each tour; needs numpy.
    ///
    /// Raises OutOfMemory where they have no room: limit= takes fewer at a time.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Without it no tour is to be lost.
        let numpy = py.import("numpy")?;
        let squares = self.board.get().arena.len();
        let (mut table, mut tours) = (Vec::new(), 0);
        loop {
            let mut state = self.ready(py)?;
            let some = state.at_hand();
            if some == 0 {
                break;
            }
            if let Err(error) = reserve(&mut table, some * squares) {
                state.end(py);
                return Err(error);
            }
            table.extend_from_slice(state.take(some));
            tours += some;
        }
        let block = Bound::new(py, Block::new(table, tours, squares))?;
        numpy.call_method1("asarray", (block,))
    }

    /// Ends the search; there are no more tours then, not for a thread that waits for one either. Done by itself when
    /// nobody wants the iterator any more.
    fn close(&self, py: Python<'_>) {
        self.is_closing.store(true, Ordering::Relaxed);
        self.state(py).end(py);
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __exit__(
        &self,
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
            let options = ListOptions { directed, distinct, steps, ..ListOptions::default() };
            Source::All(how.install(|| all(arena, problem, options, &control)))
        }
    };
    Ok(Tours {
        board: board.unbind(),
        state: Mutex::new(State {
            source: Some(source),
            chunk: Packed::default(),
            taken: 0,
            left: limit.unwrap_or(u64::MAX),
        }),
        is_closing: AtomicBool::new(false),
    })
}
