//! `ktour.tours`: an iterator over all tours, filled by worker threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::Poll;
use std::time::Duration;

use ktour::budget::{Budget, Requirements};
use ktour::count::CountError;
use ktour::count::job_spec::{Choice, JobSpec, Task};
use ktour::count::symmetric::symmetric_tours::{SymmetricListOptions, iter_tours as symmetric};
use ktour::count::symmetric::{NamedSymmetry, SymmetricContext};
use ktour::search::backtrack::StepOrder;
use ktour::search::list::{ListError, ListOptions};
use ktour::search::list_size::listed_share;
use ktour::search::multipath_plan::MultipathPlan;
use ktour::search::problem::Problem;
use ktour::search::tour_batch::TourBatch;
use ktour::search::tree_size_estimate::estimate_tree;
use ktour::search::{TourIter, tours as all};
use ktour::tour::{Kind, TourSpec};
use ktour::{Control, memory};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::arguments::{Directed, Distinct, Limit, MoveOrder, Named, Threads};
use super::fork::ProcessOwned;
use super::numpy_memory::{CompactVertices, TourTable, import_numpy};
use super::{job_runner, panics};
use crate::board::{BoardBase, summary, tour_board};
use crate::errors::{JobError, failure, invalid_input, out_of_memory};
use crate::symmetry::check_symmetries_known;
use crate::tour::Tour;

/// Maximum time to wait for a batch of tours before signals are checked.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(25);

/// Time between two attempts to lock an iterator that another thread uses.
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// The search from which an iterator gets its tours: for all tours, or for symmetric tours.
enum TourSource {
    All(TourIter<ListError>),
    Symmetric(TourIter<CountError>),
}

impl TourSource {
    fn poll(&mut self) -> Poll<Option<PyResult<TourBatch>>> {
        match self {
            Self::All(tours) => {
                tours.poll_batch(SIGNAL_CHECK_INTERVAL).map_err(|error| JobError::from(error).into())
            }
            Self::Symmetric(tours) => {
                tours.poll_batch(SIGNAL_CHECK_INTERVAL).map_err(|error| JobError::from(error).into())
            }
        }
    }
}

/// Iterator over tours, returned by `tours`.
///
/// The search for the first tour takes some seconds on large boards; `find` is faster for one tour. Worker threads
/// search a few thousand tours ahead. They end after the last tour, or when the iterator is closed or freed. Several
/// threads may share an iterator; each tour goes to one of them. A forked process cannot use the iterator of its
/// parent. In a `with` statement, the iterator is closed at the end.
///
/// Examples
/// --------
/// >>> with ktour.tours("5x5") as tours:
/// ...     first = next(tours)
/// >>> first[:3]
/// ['a1', 'c2', 'e1']
#[pyclass(frozen, module = "ktour")]
pub struct Tours {
    board: Py<BoardBase>,
    kind: Kind,
    /// The search problem, and the number of listed tours as a fraction of its tours, for an estimate of the number of
    /// tours. `None` for symmetric tours.
    estimated: Option<(Problem, f64)>,
    state: ProcessOwned<Mutex<IteratorState>>,
    /// True once the iterator is being closed. Threads that wait for a tour then get none.
    is_closing: AtomicBool,
}

/// The search of an iterator, its current batch of tours, and the position in this batch.
struct IteratorState {
    /// The search. `None` after the last tour.
    source: Option<TourSource>,
    batch: TourBatch,
    taken: usize,
    remaining: u64,
}

impl IteratorState {
    /// Returns the number of tours that can still be taken from the current batch, within the limit
    /// of the iterator.
    fn available(&self) -> usize {
        usize::try_from(self.remaining).unwrap_or(usize::MAX).min(self.batch.len() - self.taken)
    }

    /// Ends the iterator and its search, and waits for the worker threads.
    fn end(&mut self, py: Python<'_>) {
        (self.remaining, self.taken, self.batch) = (0, 0, TourBatch::default());
        if let Some(source) = self.source.take() {
            // Dropping the source waits for its threads. If one panicked, its tours were not requested.
            let _ = py.detach(|| panics::catch(|| drop(source)));
        }
    }

    /// Ends the iterator without waiting for its search, which may still plan and ends later.
    fn abandon(&mut self, py: Python<'_>) {
        let Some(source) = self.source.take() else { return };
        let dropping = move || drop(panics::catch(|| drop(source)));
        // Without another thread, the closure is dropped here, and waits.
        let _ = py.detach(|| std::thread::Builder::new().spawn(dropping));
        self.end(py);
    }

    /// Takes the next `tours` tours of the current batch, and returns their vertices, one byte for
    /// each vertex.
    fn take(&mut self, tours: usize) -> &[u8] {
        let squares = self.batch.vertices().len() / self.batch.len();
        let from = self.taken * squares;
        self.taken += tours;
        self.remaining -= tours as u64;
        &self.batch.vertices()[from..][..tours * squares]
    }
}

/// Number of bytes of a table from which on the number of its tours is estimated.
const MIN_ESTIMATED_BYTES: usize = 1 << 26;

/// Approximate number of random walks of this estimate.
const PROBES: usize = 20_000;

/// Returns the least number of tours of a problem by an estimate; `None` if there is no estimate.
fn estimate_least_tours(problem: Problem, control: &Control) -> Option<f64> {
    let plan = MultipathPlan::new(problem, Some(0)).ok()?;
    let probes = (PROBES / plan.units().len().max(1)).clamp(2, PROBES) as u32;
    Some(estimate_tree(&plan, probes, 0, control)?.tour_interval().0)
}

impl Tours {
    /// Returns an error if a table of the remaining tours, of which it holds `tours` in `bytes` bytes, would surely
    /// exceed the memory that this process may use. Ctrl-C abandons the estimate.
    fn check_table(&self, py: Python<'_>, tours: usize, bytes: usize, remaining: u64) -> PyResult<()> {
        let Some((problem, share)) = self.estimated.clone() else { return Ok(()) };
        let least =
            job_runner::run_quiet(py, usize::MAX, move |control| estimate_least_tours(problem, control))?;
        let least = least.map_or(0.0, |least| least * share).min(tours as f64 + remaining as f64);
        let needed = (least * bytes as f64 / tours as f64) as u64;
        let needs = Requirements { memory: needed.saturating_sub(bytes as u64), ..Requirements::default() };
        let needs = Requirements { memory_overestimate: 1.0, ..needs };
        Budget::new(memory::default_limit_bytes()).check(&needs).map_err(|shortage| {
            out_of_memory(format!("the rest of the array {shortage}; use limit= for fewer tours at a time"))
        })
    }

    /// Locks the state of the iterator. Waits without the interpreter lock, because the thread that
    /// holds the state may need that lock. Returns `None` in a process that does not own the
    /// iterator.
    fn lock<'a>(&'a self, py: Python<'_>) -> Option<MutexGuard<'a, IteratorState>> {
        let state = self.state.get()?;
        loop {
            match state.try_lock() {
                Ok(state) => return Some(state),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) => py.detach(|| std::thread::sleep(LOCK_RETRY_INTERVAL)),
            }
        }
    }

    /// Returns the locked state of the iterator with at least one tour in its batch, or at its end.
    /// Checks signals while the state is unlocked, because a signal handler may use the iterator.
    ///
    /// # Errors
    /// The error of the search, the exception of a signal handler, or a `KtourError` in a process that
    /// does not own the iterator.
    fn state_with_tour<'a>(&'a self, py: Python<'_>) -> PyResult<MutexGuard<'a, IteratorState>> {
        loop {
            let Some(mut state) = self.lock(py) else { return Err(foreign_iterator()) };
            if state.remaining == 0 || self.is_closing.load(Ordering::Relaxed) {
                state.end(py);
            }
            let own = &mut *state;
            if own.available() > 0 {
                return Ok(state);
            }
            let Some(source) = &mut own.source else { return Ok(state) };
            let polled = py.detach(|| panics::catch(|| source.poll()));
            match polled.unwrap_or_else(|panic| Poll::Ready(Some(Err(panic.into())))) {
                Poll::Pending => {}
                Poll::Ready(Some(Ok(chunk))) => (own.batch, own.taken) = (chunk, 0),
                Poll::Ready(Some(Err(error))) => {
                    own.end(py);
                    return Err(error);
                }
                Poll::Ready(None) => own.end(py),
            }
            drop(state);
            if let Err(interrupt) = py.check_signals() {
                self.is_closing.store(true, Ordering::Relaxed);
                if let Some(mut state) = self.lock(py) {
                    state.abandon(py);
                }
                return Err(interrupt);
            }
        }
    }
}

fn foreign_iterator() -> PyErr {
    failure(
        "this iterator belongs to the process that called tours(), and its threads are not in a forked process; \
         call tours() in this process",
    )
}

/// Reserves space for `more` bytes in a table. If the available memory allows it, reserves at least
/// half of the table's size.
///
/// # Errors
/// An `OutOfMemoryError` if `more` bytes, or a sixteenth of the table's size, are not available.
fn reserve(table: &mut Vec<u8>, more: usize) -> PyResult<()> {
    if table.capacity() - table.len() >= more {
        return Ok(());
    }
    let available = memory::default_limit_bytes()
        .map_or(usize::MAX, |available_bytes| usize::try_from(available_bytes).unwrap_or(usize::MAX));
    let (min_bytes, preferred_bytes) = (more.max(table.len() / 16), more.max(table.len() / 2));
    if available >= min_bytes && table.try_reserve_exact(preferred_bytes.min(available)).is_ok() {
        return Ok(());
    }
    Err(out_of_memory(format!(
        "the array needs more than {} of memory, no more is available; use limit= for fewer tours at a time",
        memory::format_bytes(table.len() as u64)
    )))
}

#[pymethods]
impl Tours {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.board)
    }

    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Tour>> {
        let mut state = self.state_with_tour(py)?;
        if state.available() == 0 {
            return Ok(None);
        }
        let kind = state.batch.kinds()[state.taken];
        let vertices = CompactVertices::Bytes(state.take(1).into());
        drop(state);
        Ok(Some(Tour::from_vertices(self.board.clone_ref(py), vertices, kind)))
    }

    /// Return all remaining tours as one array. Needs numpy.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///     Array of uint8 of shape (tours, squares), one byte per square and tour. A row holds the numbers of
    ///     the squares in order of visit; the numbers are positions in ``board.squares``.
    ///
    /// Raises
    /// ------
    /// OutOfMemoryError
    ///     If the array exceeds the available memory, also by an estimate; use ``limit=`` for fewer tours.
    ///
    /// See Also
    /// --------
    /// Tour.from_numpy : The tour of a row.
    ///
    /// Examples
    /// --------
    /// >>> ktour.tours("5x5").to_numpy().shape
    /// (864, 25)
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // Imported first: if numpy is missing, no tour is lost.
        let numpy = import_numpy(py)?;
        let squares = self.board.get().inner.len();
        let (mut table, mut tours) = (Vec::new(), 0);
        let mut is_checked = false;
        loop {
            let mut state = self.state_with_tour(py)?;
            let some = state.available();
            if some == 0 {
                break;
            }
            if let Err(error) = reserve(&mut table, some * squares) {
                state.end(py);
                return Err(error);
            }
            table.extend_from_slice(state.take(some));
            tours += some;
            if !is_checked && table.len() >= MIN_ESTIMATED_BYTES {
                is_checked = true;
                let remaining = state.remaining;
                drop(state);
                if let Err(error) = self.check_table(py, tours, table.len(), remaining) {
                    self.close(py);
                    return Err(error);
                }
            }
        }
        let block = Bound::new(py, TourTable::new(table, tours, squares))?;
        numpy.call_method1("asarray", (block,))
    }

    /// End the search. Threads that wait for a tour get none.
    ///
    /// An iterator that is freed closes itself. In a forked process, `close` does nothing, because the search
    /// belongs to the other process.
    fn close(&self, py: Python<'_>) {
        self.is_closing.store(true, Ordering::Relaxed);
        if let Some(mut state) = self.lock(py) {
            state.end(py);
        }
    }

    fn __repr__(&self) -> String {
        format!("<iterator over {} of {}>", self.kind.plural(), summary(&self.board.get().inner))
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

/// Returns an iterator over the tours of a board.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "one for each argument in Python")]
pub fn tours(
    board: &Bound<'_, BoardBase>,
    kind: Named<Kind>,
    directed: Directed,
    distinct: Distinct,
    symmetry: Option<Named<NamedSymmetry>>,
    start: Option<u32>,
    end: Option<u32>,
    limit: Option<Limit>,
    moves: Option<MoveOrder>,
    threads: Option<Threads>,
) -> PyResult<Tours> {
    let (library_board, kind) = (&board.get().inner, kind.0);
    let (Directed(directed), Distinct(distinct)) = (directed, distinct);
    let moves = moves.map(|order| order.0);
    let named = symmetry.map(|symmetry| symmetry.0);
    let tours = TourSpec::new(library_board.clone(), kind, start, end).map_err(JobError::from)?;
    JobSpec::new(Task::List)
        .with_tours(&tours)
        .with_symmetry(named)
        .with(Choice::Directed, directed)
        .with(Choice::Distinct, distinct)
        .with(Choice::MoveOrder, moves.is_some())
        .validate()
        .map_err(JobError::from)?;
    if distinct {
        check_symmetries_known(library_board, "distinct=")?;
    }
    let threads = job_runner::thread_count(threads.map(|threads| threads.0))?;
    let control = Control::new();
    let mut estimated = None;
    let source = match named {
        Some(named) => {
            let context = SymmetricContext::for_lists(library_board, kind).map_err(JobError::from)?;
            let list_options = SymmetricListOptions { symmetry: named, distinct, directed };
            TourSource::Symmetric(symmetric(&context, list_options, &control).with_threads(threads))
        }
        None => {
            let steps = match (moves.as_deref(), library_board.unrestricted().leaper_board()) {
                (None, _) => None,
                (Some(_), None) => {
                    return Err(invalid_input(
                        "moves= requires a board of one leaper without joined edges; omit moves=",
                    ));
                }
                (Some(text), Some(rectangle)) => {
                    let steps = StepOrder::parse(text, rectangle.rectangle(), rectangle.leaper());
                    Some(steps.map_err(|error| invalid_input(format!("moves: {error}")))?)
                }
            };
            let problem = Problem::new(&tours).map_err(JobError::from)?;
            let options = ListOptions { directed, distinct, step_order: steps, ..ListOptions::default() };
            let share = listed_share(&problem, &options);
            estimated = Some((problem, share));
            let iter = all(&tours, options, &control);
            TourSource::All(iter.map_err(JobError::from)?.with_threads(threads))
        }
    };
    Ok(Tours {
        board: tour_board(board)?.unbind(),
        kind,
        estimated,
        state: ProcessOwned::new(Mutex::new(IteratorState {
            source: Some(source),
            batch: TourBatch::default(),
            taken: 0,
            remaining: limit.map_or(u64::MAX, |limit| limit.0),
        })),
        is_closing: AtomicBool::new(false),
    })
}
