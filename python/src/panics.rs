//! Conversion of panics in the library to Python exceptions. A panic is a bug in ktour, and the
//! message requests a report.
//!
//! Jobs run under [`catch`]. The panic hook prints nothing, unless `RUST_BACKTRACE` is set: then
//! the message and the backtrace appear on standard error, as in any Rust program.

use std::any::Any;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

use ktour::threads::ThreadStartPanic;
use pyo3::PyErr;

use super::errors::failure;

/// The panic of a job.
#[derive(Debug)]
pub enum JobPanic {
    /// The system cannot start another thread.
    ThreadStart,
    /// A bug: the message of the panic, and its place in the source if that is known.
    Bug(String),
}

/// The message and the place in the source of the last panic of any thread. A forked process may
/// find it locked for ever, so no code waits for this lock.
static LAST_PANIC: Mutex<Option<(String, String)>> = Mutex::new(None);

fn message(payload: &(dyn Any + Send)) -> String {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    owned.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

fn record_panic(panic: &PanicHookInfo<'_>) {
    if let (Some(place), Ok(mut last)) = (panic.location(), LAST_PANIC.try_lock()) {
        *last = Some((message(panic.payload()), format!("{}:{}", place.file(), place.line())));
    }
}

/// Installs the panic hook, which records the message and the place of a panic.
pub fn install_hook() {
    let default_hook = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        record_panic(panic);
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
            default_hook(panic);
        }
    }));
}

/// Runs a job and returns its result, or its panic as an error.
///
/// # Errors
/// The panic of the job.
pub fn catch<T>(job: impl FnOnce() -> T) -> Result<T, JobPanic> {
    // What a panicking job leaves behind is dropped with it; shared data is under locks that ignore poisoning.
    panic::catch_unwind(AssertUnwindSafe(job)).map_err(|payload| {
        if payload.is::<ThreadStartPanic>() {
            return JobPanic::ThreadStart;
        }
        let message = message(&*payload);
        let last = LAST_PANIC.try_lock().ok().and_then(|mut last| last.take());
        match last.filter(|(last, _)| *last == message) {
            Some((message, place)) => JobPanic::Bug(format!("{message} ({place})")),
            None => JobPanic::Bug(message),
        }
    })
}

impl From<JobPanic> for PyErr {
    fn from(panic: JobPanic) -> Self {
        match panic {
            JobPanic::ThreadStart => {
                failure("cannot start a thread; reduce threads=, or raise the limits (ulimit -u, ulimit -v)")
            }
            JobPanic::Bug(message) => {
                let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
                failure(format!("internal error: {line}; this is a bug in ktour, please report it"))
            }
        }
    }
}
