//! Work on other threads while this one listens: for Ctrl-C, and for whoever wants to know how far it is.
//!
//! ```text
//! caller's thread   |..25 ms..|..25 ms..|   signals? progress   -> cancel, or the result
//! worker            job(&control), in a pool of so many threads
//! ```
//!
//! The interpreter is free all the while: other threads of Python run, and may count as well. What has nothing to save
//! and does not look at its control often is left behind when it is cancelled, and ends by itself.

use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ktour::Control;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::failed;
use crate::progress::Progress;

/// Between two looks at signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Squares that take longer to look at than it takes to begin a thread.
const MANY: usize = 1 << 12;

/// Steps of a loop between two looks at signals.
const TOGETHER: usize = 1 << 12;

/// Between two tellings of progress.
const TELL: Duration = Duration::from_millis(100);

/// On which threads, and who is told.
pub struct How {
    pool: Option<Arc<ThreadPool>>,
    progress: Progress,
}

/// Looks whether somebody wants a long loop over Python's values to end, now and then, and lets other threads of Python
/// run.
pub fn listen(py: Python<'_>, step: usize) -> PyResult<()> {
    if !step.is_multiple_of(TOGETHER) {
        return Ok(());
    }
    py.detach(|| ());
    py.check_signals()
}

/// Does what has nothing to save, of so many squares in all: here where they are few, else while this thread listens.
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

/// The process that imported the module: one forked from it has none of the threads of the common pool.
static IMPORTED: OnceLock<u32> = OnceLock::new();

/// The pool of a forked process.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

fn pool(threads: usize) -> PyResult<Arc<ThreadPool>> {
    let made = ThreadPoolBuilder::new().num_threads(threads).build();
    made.map(Arc::new)
        .map_err(|error| failed(format!("no thread can be started: {error}: fewer threads= help")))
}

/// The pool of this process, if it is not that of all.
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
            // Threads of the one before are in another process: nobody can wait for them.
            std::mem::forget(forked.replace((this, Arc::clone(&made))));
            Ok(Some(made))
        }
    }
}

impl How {
    /// On so many threads, or on all cores.
    pub fn new(threads: Option<usize>, progress: Option<&Bound<'_, PyAny>>, title: &str) -> PyResult<Self> {
        let pool = match threads {
            Some(threads) => Some(pool(threads)?),
            None => own()?,
        };
        Ok(Self { pool, progress: Progress::of(progress, title)? })
    }

    /// On all cores, and nobody is told.
    pub fn quiet() -> PyResult<Self> {
        Self::new(None, None, "")
    }

    /// Does something on these threads.
    pub fn install<T: Send>(&self, job: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(job),
            None => job(),
        }
    }

    /// Does a job that has nothing to save. It is not waited for when it is cancelled: it ends by itself, with all that
    /// it holds.
    pub fn attend_or_leave<T: Send + 'static>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&Control) -> T + Send + 'static,
    ) -> PyResult<T> {
        self.told(py, |control| self.attend_left(py, control, job))
    }

    /// What is done under a new control. Whoever is told of it is told when it is over, too.
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
            // Whoever asked may have gone.
            let _ = over.send(found);
        });
        let found = self.listen(py, control, &mut is_over)?;
        let found = match (found, py.detach(move || worker.join())) {
            (Some(found), _) => found,
            (None, Err(panic)) => std::panic::resume_unwind(panic),
            (None, Ok(())) => unreachable!("a job that ends has a result"),
        };
        self.progress.tell(py, &control.reading())?;
        Ok(found)
    }

    /// Waits for a message, and listens meanwhile; nothing if the sender is gone. What is cancelled is an error.
    fn listen<T: Send>(
        &self,
        py: Python<'_>,
        control: &Control,
        messages: &mut Receiver<T>,
    ) -> PyResult<Option<T>> {
        let mut told = Instant::now();
        loop {
            // A receiver belongs to one thread at a time, which this one is all the while.
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

    /// Does a job while this thread listens. Ctrl-C, or an exception of whoever is told, cancels it; it is waited for.
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
