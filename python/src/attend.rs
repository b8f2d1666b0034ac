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

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ktour::Control;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::failed;
use crate::progress::Progress;

/// Time between two checks of signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Number of squares from which a job is worth a thread of its own.
const MANY: usize = 1 << 12;

/// Steps of a loop between two checks of signals.
const TOGETHER: usize = 1 << 12;

/// Time between two progress reports.
const TELL: Duration = Duration::from_millis(100);

/// Runs jobs on a pool of threads and reports their progress.
pub struct How {
    pool: Option<Arc<ThreadPool>>,
    progress: Progress,
}

/// Checks for Ctrl-C in a long loop over Python values, and lets other Python threads run. Does so every
/// `STEPS_PER_SIGNAL_CHECK` steps.
///
/// # Errors
/// The exception of a signal handler, such as `KeyboardInterrupt`.
pub fn listen(py: Python<'_>, step: usize) -> PyResult<()> {
    if !step.is_multiple_of(TOGETHER) {
        return Ok(());
    }
    py.detach(|| ());
    py.check_signals()
}

/// Runs a job with nothing to save. `squares` is the total size of its input: a small job runs on this
/// thread, a large one on a worker that Ctrl-C abandons.
pub fn soon<T: Send + 'static>(
    py: Python<'_>,
    squares: usize,
    job: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    if squares < MANY {
        return Ok(py.detach(|| job(&Control::new())));
    }
    How::quiet()?.attend_or_leave(py, job)
}

/// Id of the process that imported the module. A process forked from it lacks the threads of the global pool.
static IMPORTED: OnceLock<u32> = OnceLock::new();

/// The pool of a forked process, with the id of that process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let made = ThreadPoolBuilder::new().num_threads(threads).build();
    made.map(Arc::new).map_err(|error| failed(format!("cannot start a thread: {error}; reduce threads=")))
}

/// Returns the pool of a forked process, or `None` if the global pool can be used.
fn own() -> PyResult<Option<Arc<ThreadPool>>> {
    let this = std::process::id();
    if *IMPORTED.get_or_init(|| this) == this {
        return Ok(None);
    }
    let mut forked = FORKED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match forked.as_ref() {
        Some((process, pool)) if *process == this => Ok(Some(Arc::clone(pool))),
        _ => {
            let made = pool(0)?;
            // The old pool belongs to the parent process: dropping it would wait for threads that do not
            // exist here.
            std::mem::forget(forked.replace((this, Arc::clone(&made))));
            Ok(Some(made))
        }
    }
}

impl How {
    /// Creates a runner on `threads` threads, or on all cores. `title` is the label of a progress bar.
    pub fn new(threads: Option<usize>, progress: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let pool = match threads {
            Some(threads) => Some(pool(threads)?),
            None => own()?,
        };
        Ok(Self { pool, progress: Progress::of(progress, title)? })
    }

    /// Creates a runner on all cores without progress reports.
    pub fn quiet() -> PyResult<Self> {
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
    pub fn attend_or_leave<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.told(py, |control| self.attend_left(py, control, job))
    }

    /// Calls `run` with a new control, and closes the progress bar afterwards, also after an error.
    fn told<T>(&self, py: Python<'_>, run: impl FnOnce(&Control) -> PyResult<T>) -> PyResult<T> {
        let control = if self.progress.is_watched() { Control::new().watched() } else { Control::new() };
        let run = run(&control);
        let closed = self.progress.close(py);
        let found = run?;
        closed?;
        Ok(found)
    }

    fn attend_left<T: Send + 'static>(
        &self,
        py: Python<'_>,
        control: &Control,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        let (pool, own) = (self.pool.clone(), control.clone());
        let (over, mut is_over) = sync_channel::<T>(1);
        let worker = std::thread::spawn(move || {
            let found = match pool {
                Some(pool) => pool.install(|| job(&own)),
                None => job(&own),
            };
            // The receiver is gone if the job was abandoned.
            let _ = over.send(found);
        });
        let found = self.listen(py, control, &mut is_over)?;
        let found = match (found, py.detach(move || worker.join())) {
            (Some(found), _) => found,
            (None, Err(panic)) => std::panic::resume_unwind(panic),
            (None, Ok(())) => unreachable!("a finished job sends a result"),
        };
        self.progress.tell(py, &control.reading())?;
        Ok(found)
    }

    /// Waits for a message. Meanwhile checks signals and reports progress. Returns `None` if the sender is
    /// dropped.
    ///
    /// # Errors
    /// The exception of a signal handler or of the progress function. The control is then cancelled.
    fn listen<T: Send>(
        &self,
        py: Python<'_>,
        control: &Control,
        messages: &mut Receiver<T>,
    ) -> PyResult<Option<T>> {
        let mut told = Instant::now();
        loop {
            // A `Receiver` may move between threads but not be shared, so each wait borrows it mutably.
            let waited = {
                let messages = &mut *messages;
                py.detach(move || messages.recv_timeout(LISTEN))
            };
            match waited {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let mut listened = py.check_signals();
            if listened.is_ok() && self.progress.is_watched() && told.elapsed() >= TELL {
                told = Instant::now();
                listened = self.progress.tell(py, &control.reading());
            }
            if let Err(error) = listened {
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
    pub fn attend<T: Send>(&self, py: Python<'_>, job: impl FnOnce(&Control) -> T + Send) -> PyResult<T> {
        self.told(py, |control| self.attend_under(py, control, job))
    }

    fn attend_under<T: Send>(
        &self,
        py: Python<'_>,
        control: &Control,
        job: impl FnOnce(&Control) -> T + Send,
    ) -> PyResult<T> {
        let pool = self.pool.clone();
        std::thread::scope(|scope| {
            let (over, mut is_over) = sync_channel::<()>(1);
            let worker = scope.spawn(move || {
                let found = match pool {
                    Some(pool) => pool.install(|| job(control)),
                    None => job(control),
                };
                drop(over);
                found
            });
            let ended = self.listen(py, control, &mut is_over);
            let found = py.detach(move || worker.join());
            let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended?;
            self.progress.tell(py, &control.reading())?;
            Ok(found)
        })
    }
}
