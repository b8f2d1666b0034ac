//! Python exceptions for the errors of the library. Each message is one line, and names keywords
//! such as `memory=` instead of the options of the command line.
//!
//! ```text
//! UsageError (a ValueError)              invalid arguments        exit status 2 of the program
//! Error                                  failure at run time      exit status 1
//! NoTour, GaveUp, OutOfMemory, TooLong   failures with a class of their own
//! KeyboardInterrupt                      Ctrl-C
//! ```
//!
//! The classes are defined in Python, in `ktour/_errors.py`, because they can have two parents
//! there.

use std::ffi::CString;

use ktour::count::CountError;
use ktour::frontier::{self, IndexLayersError};
use ktour::heuristic::FindOutcome;
use ktour::index::IndexError;
use ktour::search::list::ListError;
use ktour::search::problem::ProblemError;
use ktour::tour::TourSpecError;
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;

pyo3::import_exception!(ktour._errors, Error);
pyo3::import_exception!(ktour._errors, GaveUp);
pyo3::import_exception!(ktour._errors, NoTour);
pyo3::import_exception!(ktour._errors, OutOfMemory);
pyo3::import_exception!(ktour._errors, Stopped);
pyo3::import_exception!(ktour._errors, TooLong);
pyo3::import_exception!(ktour._errors, UsageError);

/// The error of a job on a worker thread. A worker thread cannot create Python exceptions.
#[derive(Debug)]
pub enum JobError {
    Count(CountError),
    Failed(String),
    TooLong(String),
    OutOfMemory(String),
}

impl From<CountError> for JobError {
    fn from(error: CountError) -> Self {
        Self::Count(error)
    }
}

impl From<JobError> for PyErr {
    fn from(why: JobError) -> Self {
        match why {
            JobError::Count(error) => from_count_error(error),
            JobError::Failed(line) => failure(line),
            JobError::TooLong(line) => TooLong::new_err(line),
            JobError::OutOfMemory(line) => out_of_memory(line),
        }
    }
}

/// Creates a `UsageError` for invalid arguments.
pub fn usage_error(why: impl std::fmt::Display) -> PyErr {
    UsageError::new_err(why.to_string())
}

/// Creates an `Error` for a failure at run time.
pub fn failure(why: impl std::fmt::Display) -> PyErr {
    Error::new_err(why.to_string())
}

/// Creates a `Stopped` for a run that ended before it was complete.
pub fn stopped_error() -> PyErr {
    Stopped::new_err("stopped before the end")
}

/// Issues a `UserWarning`.
///
/// # Errors
/// The exception into which a filter turns the warning.
pub fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', " ")).expect("zero bytes were replaced");
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

/// Creates an `OutOfMemory` for a lack of memory or disk space.
pub fn out_of_memory(why: impl std::fmt::Display) -> PyErr {
    OutOfMemory::new_err(why.to_string())
}

/// Converts the error of a problem that cannot be searched to an exception.
pub fn from_problem_error(error: &ProblemError) -> PyErr {
    usage_error(match error {
        ProblemError::TooLarge(_) => format!("{error}; use a smaller board, or remove squares with remove="),
        _ => error.to_string(),
    })
}

/// Converts the error of impossible ends to an exception.
pub fn from_tour_spec_error(error: &TourSpecError) -> PyErr {
    usage_error(match error {
        TourSpecError::SameEnds(_) => format!("{error}; change start= or end="),
        TourSpecError::ClosedEnd => format!("{error}; omit end=, or use kind=\"paths\" or \"open\""),
        _ => error.to_string(),
    })
}

/// Converts the error of a count to an exception.
pub fn from_count_error(error: CountError) -> PyErr {
    match error {
        CountError::Stopped(_) => stopped_error(),
        CountError::Problem(error) => from_problem_error(&error),
        CountError::Tours(error) => from_tour_spec_error(&error),
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => {
            out_of_memory(format!("{error}; raise memory=, or use a smaller board or engine=\"multipath\""))
        }
        CountError::Refused(refusal) => {
            out_of_memory(format!("the sweep {}; raise memory=, or use a smaller board", refusal.shortage))
        }
        CountError::Frontier(error @ frontier::Error::TooWide { .. }) => usage_error(format!(
            "{error}; use a narrower board, or engine=\"multipath\" for up to 128 squares"
        )),
        error @ CountError::TooManyOrbits { .. } => usage_error(format!("{error}; use a smaller board")),
        error @ CountError::TooManySymmetric(_) => failure(format!("{error}; use a smaller board")),
        error @ CountError::ThreadStart(_) => {
            failure(format!("{error}; reduce threads=, or raise the limits (ulimit -u, ulimit -v)"))
        }
        error @ CountError::UnnamedSymmetries(_) => {
            usage_error(format!("{error}; use distinct=True instead of symmetry=, which is for boards"))
        }
        error @ (CountError::TooManyTours(_)
        | CountError::TooLargeToEnumerate(_)
        | CountError::TooManyByEstimate { .. }) => {
            failure(format!("{error}; omit distinct=, or use a smaller board"))
        }
        error => failure(error),
    }
}

/// Converts the error of a list of tours that ended early to an exception.
pub fn from_list_error(error: ListError) -> PyErr {
    match error {
        ListError::Problem(error) => from_problem_error(&error),
        ListError::Stopped(_) => stopped_error(),
        error => failure(error),
    }
}

/// Converts the error of a tour index to an exception.
pub fn from_index_error(error: IndexError) -> PyErr {
    match error {
        IndexError::Stopped(_) => stopped_error(),
        IndexError::Layers(IndexLayersError::Sweep(error @ frontier::Error::Memory { .. })) => out_of_memory(
            format!("{error}; raise memory=, store the index in a folder, or use a smaller board"),
        ),
        IndexError::Layers(error @ IndexLayersError::Memory { .. }) => {
            out_of_memory(format!("{error}; raise memory="))
        }
        IndexError::Layers(error @ IndexLayersError::File { .. }) => {
            failure(format!("index: {error}; use a writable folder on a disk with free space"))
        }
        IndexError::Layers(
            error @ (IndexLayersError::Width { .. } | IndexLayersError::TooManySquares { .. }),
        ) => usage_error(format!("{error}; use a smaller board")),
        IndexError::Layers(error @ IndexLayersError::ForeignFolder { .. }) => {
            failure(format!("index: {error}; use another folder"))
        }
        IndexError::Layers(error @ IndexLayersError::Locked(_)) => {
            failure(format!("index: {error}, or use another folder"))
        }
        IndexError::Layers(error @ IndexLayersError::Damaged { .. }) => {
            failure(format!("{error}; delete the folder to build the index again"))
        }
        error @ IndexError::OutOfRange { .. } => pyo3::exceptions::PyIndexError::new_err(error.to_string()),
        error @ IndexError::NoTours { .. } => NoTour::new_err(error.to_string()),
        error @ IndexError::OpenTours => {
            usage_error(format!("{error}; use kind=\"paths\", or sample open tours"))
        }
        error @ IndexError::OpenWithFixedEnds => usage_error(format!("{error}; omit start= and end=")),
        error => failure(error),
    }
}

/// Converts the outcome of a search that found no tour to an exception. `is_auto` is true if the
/// rule was `auto`, so that the library chose the methods.
pub fn from_find_outcome(outcome: &FindOutcome, is_auto: bool) -> PyErr {
    match outcome {
        FindOutcome::Impossible(reason) => NoTour::new_err(format!("no tour exists: {reason}")),
        FindOutcome::GaveUp { attempts } if is_auto => GaveUp::new_err(format!(
            "found no tour in {attempts} attempts, though there may be one; raise attempts=, or use another seed="
        )),
        FindOutcome::GaveUp { attempts } => GaveUp::new_err(format!(
            "found no tour in {attempts} attempts by this rule, though there may be one; use \
             rule=\"auto\", or raise attempts="
        )),
        FindOutcome::Found { .. } | FindOutcome::Stopped => stopped_error(),
    }
}
