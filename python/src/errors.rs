//! Exceptions: one line each, the program's own, with keywords in the place of its options.
//!
//! ```text
//! UsageError, a ValueError     what was asked for cannot be          exit status 2 of the program
//! Error                        something went wrong on the way       exit status 1
//! NoTour, GaveUp, OutOfMemory, TooLong   errors that one may want to catch
//! KeyboardInterrupt            Ctrl-C
//! ```
//!
//! The classes themselves are Python, in `ktour/_errors.py`, where they can have two parents.

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

/// Why a job on another thread has no result: an exception cannot be made there.
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

/// What was asked for cannot be.
pub fn usage(why: impl std::fmt::Display) -> PyErr {
    UsageError::new_err(why.to_string())
}

/// Something went wrong on the way.
pub fn failed(why: impl std::fmt::Display) -> PyErr {
    Error::new_err(why.to_string())
}

/// The run was ended before its end.
pub fn stopped() -> PyErr {
    Stopped::new_err("stopped before the end")
}

/// It does not fit.
pub fn no_room(why: impl std::fmt::Display) -> PyErr {
    OutOfMemory::new_err(why.to_string())
}

/// A problem that cannot be searched.
pub fn problem(error: &ProblemError) -> PyErr {
    usage(match error {
        ProblemError::TooLarge(_) => format!("{error}: take a smaller board or remove= squares"),
        ProblemError::SameEnds(_) => format!("{error}: change start= or end="),
        ProblemError::ClosedEnd => format!("{error}: drop end=, or ask for kind=\"paths\" or \"open\""),
        _ => error.to_string(),
    })
}

/// A count that is none.
pub fn count(error: CountError) -> PyErr {
    match error {
        CountError::Stopped(_) => stopped(),
        CountError::Problem(error) => problem(&error),
        CountError::Frontier(error @ frontier::Error::Memory { .. }) => {
            no_room(format!("{error}; a larger memory=, a smaller board, or engine=\"multipath\" helps"))
        }
        error @ CountError::TooMuchMemory { .. } => {
            no_room(format!("{error}: raise memory=, or take a smaller board"))
        }
        error @ CountError::TooMuchDisk { .. } => no_room(format!("{error}: raise memory=")),
        CountError::Frontier(error @ frontier::Error::Width { .. }) => {
            usage(format!("{error}: take a narrower board, or engine=\"multipath\" for up to 128 squares"))
        }
        error @ CountError::TooManyOrbits { .. } => usage(format!("{error}: take a smaller board")),
        error @ CountError::TooManySymmetric(_) => failed(format!("{error}: take a smaller board")),
        error @ CountError::NoThread(_) => {
            failed(format!("{error}: fewer threads=, or higher limits (ulimit -u, ulimit -v) help"))
        }
        error @ CountError::NoNames(_) => {
            usage(format!("{error}: symmetry= is for boards, distinct=True for all that can be counted"))
        }
        error @ (CountError::TooManyToSee(_)
        | CountError::TooLargeToSee(_)
        | CountError::TooManyByEstimate { .. }) => {
            failed(format!("{error}: leave out distinct=, or take a smaller board"))
        }
        error => failed(error),
    }
}

/// A list that ended too early.
pub fn list(error: ListError) -> PyErr {
    match error {
        ListError::Problem(error) => problem(&error),
        ListError::Stopped(_) => stopped(),
        error => failed(error),
    }
}

/// An index without an answer.
pub fn index(error: IndexError) -> PyErr {
    match error {
        IndexError::Stopped(_) => stopped(),
        IndexError::Trail(TrailError::Sweep(error @ frontier::Error::Memory { .. })) => {
            no_room(format!("{error}: raise memory=, keep the index in a folder, or take a smaller board"))
        }
        IndexError::Trail(TrailError::Refused(line)) if line.contains("would take about") => {
            TooLong::new_err(line)
        }
        IndexError::Trail(TrailError::Refused(line)) => no_room(line),
        IndexError::Trail(error @ TrailError::Memory { .. }) => no_room(format!("{error}: raise memory=")),
        IndexError::Trail(error @ TrailError::File { .. }) => {
            failed(format!("index: {error}: a folder that can be written to, on a disk with room, helps"))
        }
        IndexError::Trail(error @ (TrailError::Width { .. } | TrailError::Large { .. })) => {
            usage(format!("{error}: take a smaller board"))
        }
        IndexError::Trail(error @ TrailError::Other { .. }) => {
            failed(format!("index: {error}; name another folder"))
        }
        IndexError::Trail(error @ TrailError::Busy(_)) => {
            failed(format!("index: {error}, or name another folder"))
        }
        IndexError::Trail(error @ TrailError::Damaged { .. }) => {
            failed(format!("{error}: remove the folder, and the index is made anew"))
        }
        error @ IndexError::Range { .. } => pyo3::exceptions::PyIndexError::new_err(error.to_string()),
        error @ IndexError::Nothing { .. } => NoTour::new_err(error.to_string()),
        error @ IndexError::Open => usage(format!("{error}: ask for kind=\"paths\", or sample open tours")),
        error @ IndexError::OpenEnds => usage(format!("{error}: drop start= and end=")),
        error @ IndexError::ClosedEnd => {
            usage(format!("{error}: drop end=, or ask for kind=\"paths\" or \"open\""))
        }
        error @ (IndexError::Ends | IndexError::SameEnds { .. }) => {
            usage(format!("{error}: change start= or end="))
        }
        error => failed(error),
    }
}

/// A search for one tour that found none.
pub fn not_found(outcome: &Outcome, is_auto: bool) -> PyErr {
    match outcome {
        Outcome::Impossible(reason) => NoTour::new_err(format!("no tour exists: {reason}")),
        Outcome::GaveUp { attempts } if is_auto => GaveUp::new_err(format!(
            "gave up after {attempts} attempts, there may be a tour: try more attempts= or another seed="
        )),
        Outcome::GaveUp { attempts } => GaveUp::new_err(format!(
            "gave up after {attempts} attempts by this rule, there may be a tour: try rule=\"auto\", or more attempts="
        )),
        Outcome::Found { .. } | Outcome::Stopped => stopped(),
    }
}
