//! `ktour.tours`: an iterator over all tours, filled by worker threads.

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

/// Longest wait for a batch between two checks of signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Time between two attempts to lock an iterator that another thread uses.
const GIVE_WAY: Duration = Duration::from_millis(1);

/// A source of tours, by one of two searches.
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

/// An iterator of tours. Worker threads search a few thousand tours ahead. They end after the last tour, or
/// when the iterator is closed or freed. Several threads may share an iterator; each tour goes to one of
/// them.
#[pyclass(frozen, module = "ktour")]
pub struct Tours {
    board: Py<Board>,
    state: Mutex<State>,
    /// True once the iterator is closed: threads that wait for a tour then stop without one.
    is_closing: AtomicBool,
}

/// Position of an iterator.
struct State {
    /// `None` after the last tour.
    source: Option<Source>,
    chunk: Packed,
    taken: usize,
    left: u64,
}

impl State {
    /// Returns the number of tours that can be taken from the current batch, within the limit.
    fn at_hand(&self) -> usize {
        usize::try_from(self.left).unwrap_or(usize::MAX).min(self.chunk.len() - self.taken)
    }

    /// Ends the iterator and its search.
    fn end(&mut self, py: Python<'_>) {
        (self.left, self.taken, self.chunk) = (0, 0, Packed::default());
        if let Some(source) = self.source.take() {
            // Dropping the source waits for its threads.
            py.detach(|| drop(source));
        }
    }

    /// Takes the next `tours` tours of the batch, and returns their vertices, a byte each.
    fn take(&mut self, tours: usize) -> &[u8] {
        let squares = self.chunk.vertices().len() / self.chunk.len();
        let from = self.taken * squares;
        self.taken += tours;
        self.left -= tours as u64;
        &self.chunk.vertices()[from..][..tours * squares]
    }
}

impl Tours {
    /// Locks the state. Waits without the interpreter lock, because the thread that holds the state may need
    /// it.
    fn state<'a>(&'a self, py: Python<'_>) -> MutexGuard<'a, State> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return state,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => py.detach(|| std::thread::sleep(GIVE_WAY)),
            }
        }
    }

    /// Returns the locked state with at least one tour in its batch, or at its end. Checks signals while the
    /// state is unlocked, because a signal handler may use the iterator.
    ///
    /// # Errors
    /// The error of the search, or the exception of a signal handler.
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

/// Reserves `more` bytes in a table, and up to half of its size in addition, within the available memory.
///
/// # Errors
/// An `OutOfMemory` if `more` bytes, or a sixteenth of the table, are not available.
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
        "the array needs more than {} of memory, no more is available; use limit= for fewer tours at a time",
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

    /// Returns all remaining tours as one numpy array of uint8, of shape (tours, squares). Rows hold the
    /// numbers of the squares in order of visit. Takes one byte per square and tour. Needs numpy.
    ///
    /// Raises OutOfMemory if the array exceeds the available memory. Use limit= for fewer tours.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Imported first: if numpy is missing, no tour is lost.
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

    /// Ends the search. Threads that wait for a tour get none. An iterator that is freed closes itself.
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

/// Returns an iterator over all tours of a board, each once. The order depends only on the arguments apart
/// from threads.
///
/// - kind: "paths", "closed" or "open". Default: "paths".
/// - directed: list both directions of every tour. Otherwise a path starts at its lower end, and a closed
///   tour at its lowest square.
/// - distinct: list one tour of each class under the symmetries of the board.
/// - symmetry: list only tours with this symmetry, such as "rot180".
/// - start, end: first and last square. The tours are then directed.
/// - limit: largest number of tours. Default: all.
/// - moves: order of the (down, right) steps of plain backtracking, such as "2,1 1,2 -1,2 ...".
/// - threads: number of threads, 1 to 1024. Default: all cores.
///
/// The search starts with the first tour that is requested. Memory does not grow with the number of tours.
///
/// Raises UsageError for invalid arguments, and for boards of more than 128 squares.
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
        return Err(usage("directed= excludes distinct=; omit one"));
    }
    if distinct && kind == Kind::Closed && start.is_some() {
        return Err(usage(
            "distinct closed tours have no start; omit start=, or use kind=\"paths\" or \"open\"",
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
                return Err(usage("symmetry= excludes start=, end= and moves=; omit these"));
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
                        "moves= requires a board of one leaper without joined edges; omit moves=",
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
