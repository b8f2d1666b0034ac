//! An iterator of tours, and the background threads that search for its tours in advance.
//!
//! ```text
//! units -> workers -> run_ordered, on an extra thread -> a few batches -> TourIter
//! ```
//!
//! The search starts with the first call of `next`. Batches hold about a thousand tours in packed
//! form, so that the next tour costs little more than its allocation. Dropping the iterator waits
//! until its threads have ended, which takes some milliseconds.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::task::Poll;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::board::Board;
use crate::control::Control;
use crate::threads;
use crate::tour::{Tour, TourSpec};

use super::list::{ListError, ListOptions, Listing};
use super::problem::{Problem, ProblemError};
use super::tour_batch::{TourBatch, TourBatchEncoder, TourSource};
use super::unit_runner;
use super::unit_runner::{OrderedRun, Stopped};

/// Greatest number of finished batches that wait until the iterator takes them.
const MAX_QUEUED_BATCHES: usize = 8;

/// Returns an iterator of all tours of a problem, in the order of [`list`](super::list::list()) with the same
/// options, for any number of threads. The search runs in the background, with as many threads as the current
/// rayon pool has, from the first call of [`Iterator::next`] until the iterator is dropped. If the control is
/// cancelled, the last item is an error.
///
/// ```
/// use ktour::board::Board;
/// use ktour::control::Control;
/// use ktour::search::list::ListOptions;
/// use ktour::search::tours;
/// use ktour::tour::{Kind, TourSpec};
///
/// let board: Board = "5x5".parse()?;
/// let all = TourSpec::all(board, Kind::Paths);
/// let options = ListOptions { directed: true, ..ListOptions::default() };
/// let mut paths = tours(&all, options, &Control::new())?;
/// let first = paths.next().expect("5x5 has paths")?;
/// assert_eq!((first.names().next().as_deref(), first.vertices().len()), (Some("a1"), 25));
/// assert_eq!(1 + paths.count(), 1728);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The board has too many squares for a search.
pub fn tours(tours: &TourSpec, options: ListOptions, control: &Control) -> Result<TourIter, ProblemError> {
    let problem = Problem::new(tours)?;
    Ok(TourIter::new(tours.board().unrestricted(), control, |pool, pass| {
        pass(&pool.run(|| Listing::new(problem, options))?)
    }))
}

/// An iterator over the tours of a problem (see [`tours`]) or of another source.
#[derive(Debug)]
pub struct TourIter<E = ListError> {
    board: Board,
    control: Control,
    /// Flag that ends the search, set when no more tours are needed.
    done_flag: Arc<AtomicBool>,
    state: State<E>,
    /// The batch from which tours are taken. Its first `tours_taken` tours have already been taken.
    batch: TourBatch,
    tours_taken: usize,
}

/// Function that creates a tour source, passes the source to the lister and returns the lister's
/// result.
type SourceJob<E> = Box<dyn FnOnce(SourcePool, &mut SourceLister<'_, E>) -> Result<(), E> + Send>;

/// A pool of threads in which a tour source is created; the threads end afterwards. The iterator's
/// own thread belongs to no pool. Without this pool it would use rayon's global pool, whose threads
/// are missing in a forked process.
#[derive(Debug)]
pub struct SourcePool(rayon::ThreadPool);

impl SourcePool {
    /// Starts a pool of `threads` threads.
    ///
    /// # Panics
    /// If the system refuses a thread.
    fn new(threads: usize) -> Self {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        Self(pool.unwrap_or_else(|error| panic!("failed to spawn thread: {error}")))
    }

    /// Runs `make` in the pool, ends the threads of the pool, and returns the result of `make`.
    pub fn run<T: Send>(self, make: impl FnOnce() -> T + Send) -> T {
        self.0.install(make)
    }
}

/// Function that receives a tour source and lists its tours.
pub type SourceLister<'a, E> = dyn FnMut(&dyn TourSource) -> Result<(), E> + 'a;

enum State<E> {
    /// The search has not started. Holds the function that starts it, and the number of threads to
    /// use, or `None` for as many threads as the global pool has.
    Waiting(SourceJob<E>, Option<usize>),
    /// The search is running. Holds the receiver of its batches and its thread.
    Running(Receiver<TourBatch>, JoinHandle<Result<(), E>>),
    Ended,
}

impl<E> std::fmt::Debug for State<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Waiting(..) => "Waiting",
            Self::Running(..) => "Running",
            Self::Ended => "Ended",
        })
    }
}

/// Returns the number of threads of the rayon pool to which the current thread belongs, or `None`
/// if it belongs to no pool.
fn current_pool_threads() -> Option<usize> {
    rayon::current_thread_index().map(|_| rayon::current_num_threads())
}

impl<E: From<Stopped> + Send + 'static> TourIter<E> {
    /// Creates an iterator over the tours of a source. `job` creates the source in a pool of
    /// threads and passes it to the lister that `job` receives.
    pub fn new(
        board: &Board,
        control: &Control,
        job: impl FnOnce(SourcePool, &mut SourceLister<'_, E>) -> Result<(), E> + Send + 'static,
    ) -> Self {
        Self {
            board: board.clone(),
            control: control.clone(),
            done_flag: Arc::default(),
            state: State::Waiting(Box::new(job), current_pool_threads()),
            batch: TourBatch::default(),
            tours_taken: 0,
        }
    }

    /// Sets the number of threads. Default: the number of threads of the rayon pool in which the
    /// iterator was created. If the number is set, the iterator never uses rayon's global pool, so
    /// it also works in a forked process.
    ///
    /// # Panics
    /// If `threads` is 0.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        assert!(threads > 0, "a search needs a thread");
        if let State::Waiting(_, own) = &mut self.state {
            *own = Some(threads);
        }
        self
    }

    fn start_search(&self, job: SourceJob<E>, threads: Option<usize>) -> State<E> {
        let (sender, receiver) = sync_channel(MAX_QUEUED_BATCHES);
        let (control, over) = (self.control.clone(), Arc::clone(&self.done_flag));
        let thread = threads::spawn(move || {
            let mut sink = |chunk: &mut TourBatch| match sender.send(std::mem::take(chunk)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            };
            let threads = threads.unwrap_or_else(rayon::current_num_threads);
            job(SourcePool::new(threads), &mut |source| {
                let run = OrderedRun { control: &control, done_flag: &over, threads };
                unit_runner::run_ordered(source, &TourBatchEncoder, run, &mut sink)?;
                Ok(())
            })
        });
        State::Running(receiver, thread)
    }
}

impl<E> TourIter<E> {
    /// Stops the search, waits for its thread, and returns the result of the search.
    fn stop_search(&mut self) -> Result<(), E> {
        self.done_flag.store(true, Ordering::Relaxed);
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Running(receiver, thread) => {
                drop(receiver);
                match thread.join() {
                    Ok(result) => result,
                    Err(_) if std::thread::panicking() => Ok(()),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            State::Waiting(..) | State::Ended => Ok(()),
        }
    }
}

impl<E: From<Stopped> + Send + 'static> TourIter<E> {
    /// Returns the remaining tours of the current batch, or the next batch if no tour remains.
    /// Returns `None` after the last batch, and `Pending` if no batch arrives within `timeout`.
    /// This function is for callers that take many tours in one call, or that have other work while
    /// the search for the first tours is running.
    pub fn poll_batch(&mut self, timeout: Duration) -> Poll<Option<Result<TourBatch, E>>> {
        if self.control.is_cancelled() && !matches!(self.state, State::Ended) {
            self.batch = TourBatch::default();
            return Poll::Ready(Some(Err(self.stop_search().err().unwrap_or_else(|| Stopped.into()))));
        }
        let mut chunk = std::mem::take(&mut self.batch);
        chunk.remove_first(std::mem::take(&mut self.tours_taken));
        if !chunk.is_empty() {
            return Poll::Ready(Some(Ok(chunk)));
        }
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Ended => Poll::Ready(None),
            State::Waiting(job, threads) => {
                self.state = self.start_search(job, threads);
                self.poll_batch(timeout)
            }
            State::Running(receiver, thread) => {
                let chunk = receiver.recv_timeout(timeout);
                self.state = State::Running(receiver, thread);
                match chunk {
                    Ok(chunk) => Poll::Ready(Some(Ok(chunk))),
                    Err(RecvTimeoutError::Timeout) => Poll::Pending,
                    // The thread has ended, with or before the end of the list.
                    Err(RecvTimeoutError::Disconnected) => Poll::Ready(self.stop_search().err().map(Err)),
                }
            }
        }
    }
}

impl<E: From<Stopped> + Send + 'static> Iterator for TourIter<E> {
    type Item = Result<Tour, E>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.control.is_cancelled() && !matches!(self.state, State::Ended) {
                self.batch = TourBatch::default();
                return Some(Err(self.stop_search().err().unwrap_or_else(|| Stopped.into())));
            }
            if let Some((kind, vertices)) = self.batch.get(self.tours_taken) {
                self.tours_taken += 1;
                return Some(Ok(Tour::from_search(&self.board, vertices.collect(), kind)));
            }
            match self.poll_batch(Duration::from_secs(1)) {
                Poll::Pending => {}
                Poll::Ready(None) => return None,
                Poll::Ready(Some(Ok(chunk))) => self.batch = chunk,
                Poll::Ready(Some(Err(error))) => return Some(Err(error)),
            }
        }
    }
}

impl<E: From<Stopped> + Send + 'static> std::iter::FusedIterator for TourIter<E> {}

impl<E> Drop for TourIter<E> {
    fn drop(&mut self) {
        // The caller does not need this error any more.
        let _ = self.stop_search();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::super::tour_batch::{TourSink, UnitEffort};
    use super::super::visitor::StopFlags;
    use super::*;
    use crate::tour::{Kind, TourKind};

    /// A source with an unlimited number of tours of two vertices in every unit, or with no tours.
    struct Endless {
        active_units: Arc<AtomicUsize>,
        is_silent: bool,
    }

    impl TourSource for Endless {
        fn unit_count(&self) -> usize {
            1 << 20
        }

        fn search_unit(&self, _: usize, stop: StopFlags<'_>, take: &mut TourSink<'_>) -> UnitEffort {
            self.active_units.fetch_add(1, Ordering::SeqCst);
            while !stop.is_set() && (self.is_silent || take(TourKind::Open, &[0, 1]).is_continue()) {
                std::thread::yield_now();
            }
            self.active_units.fetch_sub(1, Ordering::SeqCst);
            UnitEffort::default()
        }
    }

    fn endless_tours(silent: bool, control: &Control) -> (TourIter, Arc<AtomicUsize>) {
        let at_work = Arc::new(AtomicUsize::new(0));
        let source = Endless { active_units: Arc::clone(&at_work), is_silent: silent };
        let two = "board=1x2 piece=0,1 remove=-".parse().unwrap();
        (TourIter::new(&two, control, move |_, pass| pass(&source)), at_work)
    }

    /// Asserts that all threads have ended: no thread holds a reference to the counter any more.
    fn assert_threads_ended(at_work: &Arc<AtomicUsize>) {
        assert_eq!((at_work.load(Ordering::SeqCst), Arc::strong_count(at_work)), (0, 1));
    }

    #[test]
    fn search_starts_with_first_tour_and_ends_with_drop() {
        let control = Control::new();
        let (tours, at_work) = endless_tours(false, &control);
        assert_eq!(Arc::strong_count(&at_work), 2);
        drop(tours);
        assert_threads_ended(&at_work);
        let (mut tours, at_work) = endless_tours(false, &control);
        assert_eq!(tours.by_ref().take(5000).filter(Result::is_ok).count(), 5000);
        assert!(at_work.load(Ordering::SeqCst) > 0);
        drop(tours);
        assert_threads_ended(&at_work);
        assert!(!control.is_cancelled());
    }

    #[test]
    fn cancelled_iterator_ends_with_error() {
        for silent in [false, true] {
            let control = Control::new();
            let (mut tours, at_work) = endless_tours(silent, &control);
            if !silent {
                assert!(tours.next().is_some_and(|tour| tour.is_ok()));
            }
            let canceller = {
                let control = control.clone();
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_millis(20));
                    control.cancel();
                })
            };
            let last = tours.by_ref().last();
            assert_eq!(last, Some(Err(ListError::Stopped(Stopped))));
            assert_threads_ended(&at_work);
            assert!(tours.next().is_none());
            canceller.join().unwrap();
        }
    }

    #[test]
    fn poll_batch_and_next_can_alternate() {
        let board: Board = "5x5".parse().unwrap();
        let listed = || {
            let all = TourSpec::all(board.clone(), Kind::Paths);
            tours(&all, ListOptions::default(), &Control::new()).unwrap()
        };
        let all: Vec<Vec<u32>> = listed().map(|tour| tour.unwrap().into_vertices()).collect();
        let (mut iter, mut taken) = (listed(), Vec::new());
        taken.extend(iter.by_ref().take(3).map(|tour| tour.unwrap().into_vertices()));
        loop {
            match iter.poll_batch(Duration::from_millis(1)) {
                Poll::Pending => {}
                Poll::Ready(None) => break,
                Poll::Ready(Some(chunk)) => {
                    let chunk = chunk.unwrap();
                    taken.extend((0..chunk.len()).map(|i| chunk.get(i).unwrap().1.collect::<Vec<u32>>()));
                    assert_eq!(chunk.kinds().len() * board.len(), chunk.vertices().len());
                }
            }
        }
        assert_eq!(taken, all);
        let (mut waiting, _) = endless_tours(true, &Control::new());
        assert!(matches!(waiting.poll_batch(Duration::ZERO), Poll::Pending));
    }

    #[test]
    fn next_propagates_worker_panic() {
        let two = "board=1x2 piece=0,1 remove=-".parse().unwrap();
        let mut tours: TourIter = TourIter::new(&two, &Control::new(), |_, _| panic!("no source"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| tours.next())).is_err());
        assert!(tours.next().is_none());
    }

    #[test]
    fn first_tours_of_8x8_come_quickly() {
        let board: Board = "8x8".parse().unwrap();
        for kind in [Kind::Paths, Kind::Closed] {
            // All of them would take years.
            let all = TourSpec::all(board.clone(), kind);
            let first: Vec<Tour> = tours(&all, ListOptions::default(), &Control::new())
                .unwrap()
                .take(3)
                .collect::<Result<_, _>>()
                .unwrap();
            let is_lowest = |tour: &Tour| tour.kind() != TourKind::Closed || tour.vertices()[0] == 0;
            assert!(first.len() == 3 && first.iter().all(is_lowest));
        }
    }

    #[test]
    fn next_returns_error_for_too_deep_split() {
        let board: Board = "8x8".parse().unwrap();
        let all = TourSpec::all(board, Kind::Paths);
        let options = ListOptions { split_depth: Some(70), ..ListOptions::default() };
        let mut tours = tours(&all, options, &Control::new()).unwrap();
        assert!(matches!(tours.next(), Some(Err(ListError::Problem(_)))));
        assert!(tours.next().is_none());
    }
}
