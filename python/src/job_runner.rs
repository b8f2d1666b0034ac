//! Jobs on worker threads, receivers of their progress reports, and a text buffer that ends its
//! writer after a cancellation.
//!
//! # Jobs
//!
//! The calling thread waits for the job, handles Ctrl-C and reports progress.
//!
//! ```text
//! caller's thread   |..25 ms..|..25 ms..|   signals? progress   -> cancel, or the result
//! worker            job(&control), in a pool of threads
//! ```
//!
//! The interpreter lock is free during a job, so other Python threads run and may start jobs too. A
//! job with nothing to save that seldom checks its control is abandoned when it is cancelled: the
//! call returns immediately, and the job ends later.
//!
//! # Pools of threads
//!
//! A job runs in a pool of threads that no other job uses meanwhile: a long job does not delay
//! another, and a forked process has no use for the pool of its parent ([`super::fork`]). A panic
//! of a job becomes an exception ([`super::panics`]).
//!
//! ```text
//! default   idle pool, or a new one -> job -> idle pool, unless there is one
//! threads=  new pool                -> job -> dropped
//! ```
//!
//! # Progress
//!
//! Progress reports are calls of a Python function, if there is one.

use std::cell::Cell;
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ktour::Control;
use ktour::control::ProgressSnapshot;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::allocator::run_allocator_command;
use super::arguments::Threads;
use super::errors::failure;
use super::fork::ProcessOwned;
use super::panics::{self, JobPanic};

/// Time between two checks of signals.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(25);

/// Minimum number of squares in the input of a job for the job to run on a thread of its own.
const MIN_WORKER_SQUARES: usize = 1 << 12;

/// Number of steps of a loop between two checks of signals.
const STEPS_PER_SIGNAL_CHECK: usize = 1 << 12;

/// Time for which a loop over Python values keeps the interpreter lock. A thread that waits for the lock asks for it
/// after 5 ms, and only if nobody released it meanwhile: a loop that released it more often would keep it forever.
const LOCK_INTERVAL: Duration = Duration::from_millis(10);

/// Time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// A runner of jobs: the pool of threads on which they run, and the function that receives their progress.
pub struct JobRunner {
    pool: Arc<JobPool>,
    progress: Option<Py<PyAny>>,
}

/// Checks for Ctrl-C in a long loop over Python values, and lets other Python threads run. Called
/// with the number of every step; does this only every `STEPS_PER_SIGNAL_CHECK` steps.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn check_signals(py: Python<'_>, step: usize) -> PyResult<()> {
    if !step.is_multiple_of(STEPS_PER_SIGNAL_CHECK) {
        return Ok(());
    }
    LAST_RELEASE.with(|last| {
        if last.get().elapsed() >= LOCK_INTERVAL {
            py.detach(|| ());
            last.set(Instant::now());
        }
    });
    py.check_signals()
}

thread_local! {
    /// When this thread last released the interpreter lock in a loop.
    static LAST_RELEASE: Cell<Instant> = Cell::new(Instant::now());
}

/// Collects the items of a long iterator, and meanwhile checks for Ctrl-C.
///
/// # Errors
/// The first error of an item, or the exception of a signal handler.
pub fn collect_checked<T>(py: Python<'_>, items: impl Iterator<Item = PyResult<T>>) -> PyResult<Vec<T>> {
    let mut all = Vec::with_capacity(items.size_hint().0);
    for (step, item) in items.enumerate() {
        check_signals(py, step)?;
        all.push(item?);
    }
    Ok(all)
}

/// Runs a job that has nothing to save, without progress reports. `squares` is the total number of
/// squares of its input: a small job runs on this thread, a large one on a worker thread. Ctrl-C
/// abandons a large job.
pub fn run_quiet<T: Send + 'static>(
    py: Python<'_>,
    squares: usize,
    job: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    if squares < MIN_WORKER_SQUARES {
        return Ok(py.detach(|| panics::catch(|| job(&Control::new())))?);
    }
    JobRunner::without_progress()?.run_abandonable(py, job)
}

fn cannot_start_thread(error: impl fmt::Display) -> PyErr {
    failure(format!("cannot start a thread: {error}; reduce threads="))
}

/// A pool of threads for all cores, which no job uses now. Threads lock it without the interpreter
/// lock, so a forked process may find it locked for ever. No code waits for this lock.
static IDLE_POOL: Mutex<Option<ProcessOwned<ThreadPool>>> = Mutex::new(None);

/// The pool of threads of one job.
struct JobPool {
    /// The threads. `None` only while the pool is dropped.
    pool: Option<ProcessOwned<ThreadPool>>,
    /// True if a later job may use the pool.
    is_reusable: bool,
}

impl JobPool {
    /// Returns a pool of `threads` threads, or of one thread for each core.
    ///
    /// # Errors
    /// A `KtourError` if the system refuses threads.
    fn new(threads: Option<usize>) -> PyResult<Self> {
        if threads.is_none() {
            let idle = IDLE_POOL.try_lock().ok().and_then(|mut idle| idle.take());
            if let Some(pool) = idle.filter(ProcessOwned::is_own) {
                return Ok(Self { pool: Some(pool), is_reusable: true });
            }
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
        let pool = pool.map_err(cannot_start_thread)?;
        Ok(Self { pool: Some(ProcessOwned::new(pool)), is_reusable: threads.is_none() })
    }

    fn threads(&self) -> &ThreadPool {
        self.pool.as_ref().and_then(ProcessOwned::get).expect("a job runs in the process that started it")
    }

    /// Runs a job on the threads of the pool.
    ///
    /// # Errors
    /// The panic of the job.
    fn run<T: Send>(&self, job: impl FnOnce() -> T + Send) -> Result<T, JobPanic> {
        panics::catch(|| self.threads().install(job))
    }
}

impl Drop for JobPool {
    fn drop(&mut self) {
        if !self.is_reusable {
            return;
        }
        if let Ok(mut idle) = IDLE_POOL.try_lock()
            && !idle.as_ref().is_some_and(ProcessOwned::is_own)
        {
            *idle = self.pool.take();
        }
    }
}

/// Returns the number of threads of a job: `threads` if given, otherwise the number of cores.
///
/// # Errors
/// A `KtourError` if the system refuses threads.
pub fn thread_count(threads: Option<usize>) -> PyResult<usize> {
    match threads {
        Some(threads) => Ok(threads),
        None => Ok(JobPool::new(None)?.threads().current_num_threads()),
    }
}

impl JobRunner {
    /// Creates a runner with `threads` threads, or with one thread for each core. `progress` is a
    /// function that takes a `Reading`.
    pub fn new(threads: Option<Threads>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        Ok(Self { pool: Arc::new(JobPool::new(threads.map(|threads| threads.0))?), progress })
    }

    /// Creates a runner with one thread for each core, without progress reports.
    pub fn without_progress() -> PyResult<Self> {
        Self::new(None, None)
    }

    /// Creates the control of a job.
    fn control(&self) -> Control {
        let control = Control::new().with_allocator_hook(run_allocator_command);
        if self.progress.is_some() { control.with_progress_reader() } else { control }
    }

    /// Passes a progress reading to the progress function, if there is one.
    ///
    /// # Errors
    /// The exception that the function raised.
    fn report(&self, py: Python<'_>, reading: &ProgressSnapshot) -> PyResult<()> {
        let Some(function) = &self.progress else { return Ok(()) };
        let sweep = reading.sweep.unwrap_or_default();
        let fields = (
            reading.fraction,
            reading.seconds,
            reading.seconds_left(),
            reading.units_done,
            reading.units,
            reading.nodes,
            sweep.states,
            sweep.bytes,
        );
        let class = py.import("ktour._progress")?.getattr("Reading")?;
        function.call1(py, (class.call1(fields)?,)).map(|_| ())
    }

    /// Runs a job that has nothing to save. If the job is cancelled, returns without waiting for
    /// it: the job ends later, and frees its data then.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function, and a `KtourError` if the job
    /// panics.
    pub fn run_abandonable<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        let control = self.control();
        let (pool, job_control) = (self.pool.clone(), control.clone());
        let (sender, mut receiver) = sync_channel(1);
        let worker = std::thread::Builder::new().spawn(move || {
            // The receiver is gone if the job was abandoned.
            let _ = sender.send(pool.run(|| job(&job_control)));
        });
        let worker = worker.map_err(cannot_start_thread)?;
        let found = self.wait_for_message(py, &control, &mut receiver)?;
        // The thread ends at once; its pool is idle then.
        let _ = py.detach(move || worker.join());
        let found = found.expect("a job sends its result or its panic")?;
        self.report(py, &control.progress())?;
        Ok(found)
    }

    /// Waits for a message of the job. Meanwhile checks signals and reports progress. Returns
    /// `None` if the job drops its sender without a message.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function. The control is then
    /// cancelled.
    fn wait_for_message<T: Send>(
        &self,
        py: Python<'_>,
        control: &Control,
        messages: &mut Receiver<T>,
    ) -> PyResult<Option<T>> {
        let mut last_report = Instant::now();
        loop {
            // A `Receiver` may move between threads but not be shared, so each wait borrows it mutably.
            let received = {
                let messages = &mut *messages;
                py.detach(move || messages.recv_timeout(SIGNAL_CHECK_INTERVAL))
            };
            match received {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let mut outcome = py.check_signals();
            if outcome.is_ok() && self.progress.is_some() && last_report.elapsed() >= PROGRESS_INTERVAL {
                last_report = Instant::now();
                outcome = self.report(py, &control.progress());
            }
            if let Err(error) = outcome {
                control.cancel();
                return Err(error);
            }
        }
    }

    /// Runs a job and waits until it ends. Ctrl-C, or an exception of the progress function,
    /// cancels the job.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function, and a `KtourError` if the job
    /// panics.
    pub fn run<T: Send>(&self, py: Python<'_>, job: impl FnOnce(&Control) -> T + Send) -> PyResult<T> {
        let (control, pool) = (&self.control(), &self.pool);
        std::thread::scope(|scope| {
            let (sender, mut receiver) = sync_channel::<()>(1);
            let worker = std::thread::Builder::new().spawn_scoped(scope, move || {
                let found = pool.run(|| job(control));
                drop(sender);
                found
            });
            let worker = worker.map_err(cannot_start_thread)?;
            let ended = self.wait_for_message(py, control, &mut receiver);
            let found = py.detach(move || worker.join()).expect("a panic of the job is caught in the thread");
            ended?;
            let found = found?;
            self.report(py, &control.progress())?;
            Ok(found)
        })
    }
}

/// A text buffer in which writing fails once the control is cancelled, so that the writer ends.
pub struct CancellableString<'a> {
    into_text: String,
    control: &'a Control,
}

impl<'a> CancellableString<'a> {
    /// Creates an empty buffer. `control` cancels the writing.
    pub const fn new(control: &'a Control) -> Self {
        Self { into_text: String::new(), control }
    }

    /// Returns the written text.
    pub fn into_text(self) -> String {
        self.into_text
    }
}

impl fmt::Write for CancellableString<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.control.is_cancelled() {
            return Err(fmt::Error);
        }
        self.into_text.push_str(text);
        Ok(())
    }
}

/// Panics in a job, on all threads, for the tests of the module.
#[pyfunction]
pub fn _panic(py: Python<'_>, message: String) -> PyResult<()> {
    JobRunner::without_progress()?.run(py, |_| rayon::broadcast(|_| panic!("{message}"))).map(|_| ())
}
