//! Python exceptions for the errors of the library: one line each, with keywords such as `memory=` instead of
//! the options of the command line.
//!
//! ```text
//! UsageError (a ValueError)              invalid arguments        exit status 2 of the program
//! Error                                  failure at run time      exit status 1
//! NoTour, GaveUp, OutOfMemory, TooLong   failures with a class of their own
//! KeyboardInterrupt                      Ctrl-C
//! ```
//!
//! The classes are defined in Python, in `ktour/_errors.py`, because they can have two parents there.

use ktour::count::CountError;
use ktour::frontier::{self, TrailError};
use ktour::heuristic::Outcome;
use ktour::index::IndexError;
use ktour::search::list::ListError;
use ktour::search::problem::ProblemError;
use pyo3::PyErr;

pyo3::import_exception!(ktour._errors, Error);
pyo3::import_exception!(ktour._errors, GaveUp);
pyo3::import_exception!(ktour._errors, NoTour);
pyo3::import_exception!(ktour._errors, OutOfMemory);
pyo3::import_exception!(ktour._errors, Stopped);
pyo3::import_exception!(ktour._errors, TooLong);
pyo3::import_exception!(ktour._errors, UsageError);

/// An error of a job on a worker thread, which cannot create Python exceptions.
#[derive(Debug)]
pub enum Why {
    Count(CountError),
    Failed(String),
    TooLong(String),
    NoRoom(String),
}

impl From<CountError> for Why {
    fn from(error: CountError) -> Self {
        Self::Count(error)
    }
}

impl From<Why> for PyErr {
    fn from(why: Why) -> Self {
        match why {
            Why::Count(error) => count(error),
            Why::Failed(line) => failed(line),
            Why::TooLong(line) => TooLong::new_err(line),
            Why::NoRoom(line) => no_room(line),
        }
    }
}

/// Returns a `UsageError`: the arguments are invalid.
pub fn usage(why: impl std::fmt::Display) -> PyErr {
    UsageError::new_err(why.to_string())
}

/// Returns an `Error`: a failure at run time.
pub fn failed(why: impl std::fmt::Display) -> PyErr {
    Error::new_err(why.to_string())
}

/// Returns a `Stopped`: the run ended before it was complete.
pub fn stopped() -> PyErr {
    Stopped::new_err("stopped before the end")
}

/// Returns an `OutOfMemory`: memory or disk do not suffice.
pub fn no_room(why: impl std::fmt::Display) -> PyErr {
    OutOfMemory::new_err(why.to_string())
}

/// Converts the error of a problem that cannot be searched.
pub fn problem(error: &ProblemError) -> PyErr {
    usage(match error {
        ProblemError::TooLarge(_) => format!("{error}; use a smaller board, or remove squares with remove="),
        ProblemError::SameEnds(_) => format!("{error}; change start= or end="),
        ProblemError::ClosedEnd => format!("{error}; omit end=, or use kind=\"paths\" or \"open\""),
        _ => error.to_string(),
    })
}

/// Converts the error of a count.
pub fn count(error: CountError) -> PyErr {
    match error {
        CountError::Stopped(_) => stopped(),
        CountError::Problem(error) => problem(&error),
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => {
            no_room(format!("{error}; raise memory=, or use a smaller board or engine=\"multipath\""))
        }
        error @ CountError::TooMuchMemory { .. } => {
            no_room(format!("{error}; raise memory=, or use a smaller board"))
        }
        error @ CountError::TooMuchDisk { .. } => no_room(format!("{error}; raise memory=")),
        CountError::Frontier(error @ frontier::Error::Width { .. }) => {
            usage(format!("{error}; use a narrower board, or engine=\"multipath\" for up to 128 squares"))
        }
        error @ CountError::TooManyOrbits { .. } => usage(format!("{error}; use a smaller board")),
        error @ CountError::TooManySymmetric(_) => failed(format!("{error}; use a smaller board")),
        error @ CountError::NoThread(_) => {
            failed(format!("{error}; reduce threads=, or raise the limits (ulimit -u, ulimit -v)"))
        }
        error @ CountError::NoNames(_) => {
            usage(format!("{error}; use distinct=True instead of symmetry=, which is for boards"))
        }
        error @ (CountError::TooManyToSee(_)
        | CountError::TooLargeToSee(_)
        | CountError::TooManyByEstimate { .. }) => {
            failed(format!("{error}; omit distinct=, or use a smaller board"))
        }
        error => failed(error),
    }
}

/// Converts the error of a list of tours that ended early.
pub fn list(error: ListError) -> PyErr {
    match error {
        ListError::Problem(error) => problem(&error),
        ListError::Stopped(_) => stopped(),
        error => failed(error),
    }
}

/// Converts the error of a tour index.
pub fn index(error: IndexError) -> PyErr {
    match error {
        IndexError::Stopped(_) => stopped(),
        IndexError::Trail(TrailError::Sweep(error @ frontier::Error::Memory { .. })) => {
            no_room(format!("{error}; raise memory=, store the index in a folder, or use a smaller board"))
        }
        IndexError::Trail(TrailError::Refused(line)) if line.contains("would take about") => {
            TooLong::new_err(line)
        }
        IndexError::Trail(TrailError::Refused(line)) => no_room(line),
        IndexError::Trail(error @ TrailError::Memory { .. }) => no_room(format!("{error}; raise memory=")),
        IndexError::Trail(error @ TrailError::File { .. }) => {
            failed(format!("index: {error}; use a writable folder on a disk with free space"))
        }
        IndexError::Trail(error @ (TrailError::Width { .. } | TrailError::Large { .. })) => {
            usage(format!("{error}; use a smaller board"))
        }
        IndexError::Trail(error @ TrailError::Other { .. }) => {
            failed(format!("index: {error}; use another folder"))
        }
        IndexError::Trail(error @ TrailError::Busy(_)) => {
            failed(format!("index: {error}, or use another folder"))
        }
        IndexError::Trail(error @ TrailError::Damaged { .. }) => {
            failed(format!("{error}; delete the folder to build the index again"))
        }
        error @ IndexError::Range { .. } => pyo3::exceptions::PyIndexError::new_err(error.to_string()),
        error @ IndexError::Nothing { .. } => NoTour::new_err(error.to_string()),
        error @ IndexError::Open => usage(format!("{error}; use kind=\"paths\", or sample open tours")),
        error @ IndexError::OpenEnds => usage(format!("{error}; omit start= and end=")),
        error @ IndexError::ClosedEnd => {
            usage(format!("{error}; omit end=, or use kind=\"paths\" or \"open\""))
        }
        error @ (IndexError::Ends | IndexError::SameEnds { .. }) => {
            usage(format!("{error}; change start= or end="))
        }
        error => failed(error),
    }
}

/// Converts the outcome of `find` without a tour. `is_auto` is true if no walking rule was given.
pub fn not_found(outcome: &Outcome, is_auto: bool) -> PyErr {
    match outcome {
        Outcome::Impossible(reason) => NoTour::new_err(format!("no tour exists: {reason}")),
        Outcome::GaveUp { attempts } if is_auto => GaveUp::new_err(format!(
            "found no tour in {attempts} attempts, though there may be one; raise attempts=, or use another seed="
        )),
        Outcome::GaveUp { attempts } => GaveUp::new_err(format!(
            "found no tour in {attempts} attempts by this rule, though there may be one; use \
             rule=\"auto\", or raise attempts="
        )),
        Outcome::Found { .. } | Outcome::Stopped => stopped(),
    }
}
