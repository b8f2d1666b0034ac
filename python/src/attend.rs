//! Work on other threads while this one listens: for Ctrl-C, and for whoever wants to know how far it is.
//!
//! ```text
//! caller's thread   |..25 ms..|..25 ms..|   signals? progress   -> cancel, or the result
//! worker            job(&control), in a pool of so many threads
//! ```
//!
//! The interpreter is free all the while: other threads of Python run, and may count as well.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use ktour::Control;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::{failed, usage};
use crate::progress::Progress;

/// Most threads that can be asked for, as on the command line.
const MOST_THREADS: usize = 1024;

/// Between two looks at signals.
const LISTEN: Duration = Duration::from_millis(25);

/// Between two tellings of progress.
const TELL: Duration = Duration::from_millis(100);

/// On which threads, and who is told.
pub struct How {
    pool: Option<Arc<ThreadPool>>,
    progress: Progress,
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
            Some(0) => return Err(usage("threads=0 would do nothing: take 1 or more, or leave it out")),
            Some(threads) if threads > MOST_THREADS => {
                return Err(usage(format!("threads={threads} is not in 1..={MOST_THREADS}")));
            }
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

    /// Does a job while this thread listens. Ctrl-C, or an exception of whoever is told, cancels it; it is waited for.
    pub fn attend<T: Send>(&self, py: Python<'_>, job: impl FnOnce(&Control) -> T + Send) -> PyResult<T> {
        let control = if self.progress.is_watched() { Control::new().watched() } else { Control::new() };
        let attended = self.attend_under(py, &control, job);
        let closed = self.progress.close(py);
        let found = attended?;
        closed?;
        Ok(found)
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
            let mut told = Instant::now();
            let ended = loop {
                let (back, waited) = py.detach(move || {
                    let waited = is_over.recv_timeout(LISTEN);
                    (is_over, waited)
                });
                is_over = back;
                if waited != Err(RecvTimeoutError::Timeout) {
                    break Ok(());
                }
                let mut listened = py.check_signals();
                if listened.is_ok() && self.progress.is_watched() && told.elapsed() >= TELL {
                    told = Instant::now();
                    listened = self.progress.tell(py, &control.reading());
                }
                if listened.is_err() {
                    control.cancel();
                    break listened;
                }
            };
            let found = py.detach(move || worker.join());
            let found = found.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            ended?;
            self.progress.tell(py, &control.reading())?;
            Ok(found)
        })
    }
}
