//! Runs jobs on worker threads, while the calling thread handles Ctrl-C and reports progress.
//!
//! ```text
//! caller's thread   |..25 ms..|..25 ms..|   signals? progress   -> cancel, or the result
//! worker            job(&control), in a pool of threads
//! ```
//!
//! The interpreter lock is free during a job, so other Python threads run and may start jobs too. A job with
//! nothing to save that checks its control rarely is abandoned when it is cancelled: the call returns at
//! once, and the job ends later.
//!
//! Receivers of progress reports: none, a bar of tqdm, or a function of the caller.
//!
//! A text buffer that stops its writer after a cancellation.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ktour::Control;
use ktour::control::ProgressSnapshot;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::errors::{failure, usage_error};

/// Time between two checks of signals.
const SIGNAL_CHECK_INTERVAL: Duration = Duration::from_millis(25);

/// Number of squares from which a job is worth a thread of its own.
const MIN_WORKER_SQUARES: usize = 1 << 12;

/// Steps of a loop between two checks of signals.
const STEPS_PER_SIGNAL_CHECK: usize = 1 << 12;

/// Time between two progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Runs jobs on a pool of threads and reports their progress.
pub struct JobRunner {
    pool: Option<Arc<ThreadPool>>,
    progress: ProgressReceiver,
}

/// Checks for Ctrl-C in a long loop over Python values, and lets other Python threads run. Does so every
/// `STEPS_PER_SIGNAL_CHECK` steps.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn check_signals(py: Python<'_>, step: usize) -> PyResult<()> {
    if !step.is_multiple_of(STEPS_PER_SIGNAL_CHECK) {
        return Ok(());
    }
    py.detach(|| ());
    py.check_signals()
}

/// Runs a job with nothing to save. `squares` is the total size of its input: a small job runs on this
/// thread, a large one on a worker that Ctrl-C abandons.
pub fn run_quiet<T: Send + 'static>(
    py: Python<'_>,
    squares: usize,
    job: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    if squares < MIN_WORKER_SQUARES {
        return Ok(py.detach(|| job(&Control::new())));
    }
    JobRunner::without_progress()?.run_abandonable(py, job)
}

/// Id of the process that imported the module. A process forked from it lacks the threads of the global pool.
static IMPORTING_PROCESS: OnceLock<u32> = OnceLock::new();

/// The pool of a forked process, with the id of that process.
static FORKED_POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn build_pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let made = ThreadPoolBuilder::new().num_threads(threads).build();
    made.map(Arc::new).map_err(|error| failure(format!("cannot start a thread: {error}; reduce threads=")))
}

/// Returns the pool of a forked process, or `None` if the global pool can be used.
fn forked_pool() -> PyResult<Option<Arc<ThreadPool>>> {
    let this = std::process::id();
    if *IMPORTING_PROCESS.get_or_init(|| this) == this {
        return Ok(None);
    }
    let mut forked = FORKED_POOL.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match forked.as_ref() {
        Some((process, pool)) if *process == this => Ok(Some(Arc::clone(pool))),
        _ => {
            let made = build_pool(0)?;
            // The old pool belongs to the parent process: dropping it would wait for threads that do not
            // exist here.
            std::mem::forget(forked.replace((this, Arc::clone(&made))));
            Ok(Some(made))
        }
    }
}

impl JobRunner {
    /// Creates a runner on `threads` threads, or on all cores. `title` is the label of a progress bar.
    pub fn new(threads: Option<usize>, progress: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let pool = match threads {
            Some(threads) => Some(build_pool(threads)?),
            None => forked_pool()?,
        };
        Ok(Self { pool, progress: ProgressReceiver::parse(progress, title)? })
    }

    /// Creates a runner on all cores without progress reports.
    pub fn without_progress() -> PyResult<Self> {
        Self::new(None, None, "")
    }

    /// Runs a job in the pool, on the calling thread's behalf and without checks of signals.
    pub fn install<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(job),
            None => job(),
        }
    }

    /// Runs a job with nothing to save, and abandons it when it is cancelled: it ends by itself later, and
    /// frees its data then.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function.
    pub fn run_abandonable<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.with_control(py, |control| self.run_abandonable_under(py, control, job))
    }

    /// Calls `run` with a new control, and closes the progress bar afterwards, also after an error.
    fn with_control<T>(&self, py: Python<'_>, job: impl FnOnce(&Control) -> PyResult<T>) -> PyResult<T> {
        let control =
            if self.progress.has_receiver() { Control::new().with_progress_reader() } else { Control::new() };
        let run = job(&control);
        let closed = self.progress.close(py);
        let result = run?;
        closed?;
        Ok(result)
    }

    fn run_abandonable_under<T: Send + 'static>(
        &self,
        py: Python<'_>,
        control: &Control,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (pool, job_control) = (self.pool.clone(), control.clone());
        let (sender, mut receiver) = sync_channel::<T>(1);
        let worker = std::thread::spawn(move || {
            let found = match pool {
                Some(pool) => pool.install(|| job(&job_control)),
                None => job(&job_control),
            };
            // The receiver is gone if the job was abandoned.
            let _ = sender.send(found);
        });
        let found = self.wait_for_message(py, control, &mut receiver)?;
        let found = match (found, py.detach(move || worker.join())) {
            (Some(found), _) => found,
            (None, Err(panic)) => std::panic::resume_unwind(panic),
            (None, Ok(())) => unreachable!("a finished job sends a result"),
        };
        self.progress.report(py, &control.progress())?;
        Ok(found)
    }

    /// Waits for a message. Meanwhile checks signals and reports progress. Returns `None` if the sender is
    /// dropped.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function. The control is then cancelled.
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
            if outcome.is_ok() && self.progress.has_receiver() && last_report.elapsed() >= PROGRESS_INTERVAL {
                last_report = Instant::now();
                outcome = self.progress.report(py, &control.progress());
            }
            if let Err(error) = outcome {
                control.cancel();
                return Err(error);
            }
        }
    }

    /// Runs a job. Ctrl-C, or an exception of the progress function, cancels it; this function then waits
    /// until it ends.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function.
    pub fn run<T: Send>(&self, py: Python<'_>, job: impl FnOnce(&Control) -> T + Send) -> PyResult<T> {
        self.with_control(py, |control| self.run_under(py, control, job))
    }

    fn run_under<T: Send>(
        &self,
        py: Python<'_>,
        control: &Control,
        job: impl FnOnce(&Control) -> T + Send,
    ) -> PyResult<T> {
        let pool = self.pool.clone();
        std::thread::scope(|scope| {
            let (sender, mut receiver) = sync_channel::<()>(1);
            let worker = scope.spawn(move || {
                let found = match pool {
                    Some(pool) => pool.install(|| job(control)),
                    None => job(control),
                };
                drop(sender);
                found
            });
            let ended = self.wait_for_message(py, control, &mut receiver);
            let found = py.detach(move || worker.join());
            let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended?;
            self.progress.report(py, &control.progress())?;
            Ok(found)
        })
    }
}

/// The receiver of the progress reports of a run.
pub enum ProgressReceiver {
    None,
    /// A bar of tqdm that belongs to this run, and is closed at its end.
    Bar(Py<PyAny>),
    /// A function of the caller. It is never closed, because the caller may use it for other runs.
    Function(Py<PyAny>),
}

impl ProgressReceiver {
    /// Parses `progress=`: `None` or `False`, `True`, or a callable. `title` is the label of a bar.
    ///
    /// # Errors
    /// A `UsageError` for any other value, and the error of the import if tqdm is missing.
    pub fn parse(argument: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let Some(asked) = argument.filter(|asked| !asked.is_none()) else { return Ok(Self::None) };
        if let Ok(flag) = asked.cast::<PyBool>() {
            if !flag.is_true() {
                return Ok(Self::None);
            }
            let bar = asked.py().import("ktour._progress")?.getattr("Bar")?.call1((title,))?;
            return Ok(Self::Bar(bar.unbind()));
        }
        if !asked.is_callable() {
            return Err(usage_error(
                "progress= is not callable; use True, or a function that takes a Reading",
            ));
        }
        Ok(Self::Function(asked.clone().unbind()))
    }

    /// Returns true if anything receives the reports.
    pub const fn has_receiver(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Reports a reading.
    ///
    /// # Errors
    /// The exception that the function of the caller raised.
    pub fn report(&self, py: Python<'_>, reading: &ProgressSnapshot) -> PyResult<()> {
        let (Self::Bar(receiver) | Self::Function(receiver)) = self else { return Ok(()) };
        let class = py.import("ktour._progress")?.getattr("Reading")?;
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
        receiver.call1(py, (class.call1(fields)?,)).map(|_| ())
    }

    /// Closes the bar, if there is one. Called at the end of a run, whether it succeeded or not.
    pub fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Self::Bar(bar) = self else { return Ok(()) };
        bar.call_method0(py, "close").map(|_| ())
    }
}

/// A text buffer. Writes fail once the control is cancelled, which ends the writer.
pub struct CancellableString<'a> {
    into_text: String,
    control: &'a Control,
}

impl<'a> CancellableString<'a> {
    /// Creates an empty buffer under a control.
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
