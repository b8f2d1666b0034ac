//! Python exceptions for the errors of the library. Each message is one line, and names keywords
//! such as `memory=` instead of the options of the command line.
//!
//! ```text
//! error of the library -> JobError: a class and a message, on any thread -> exception
//! ```
//!
//! The classes are defined in Python, in `lib/ktour/_errors.py`, because they can have two parents
//! there.

use std::io;
use std::path::{Path, PathBuf};

use ktour::count::CountError;
use ktour::count::job_spec::JobConflict;
use ktour::frontier::{self, IndexLayersError};
use ktour::heuristic::FindOutcome;
use ktour::index::IndexError;
use ktour::search::list::ListError;
use ktour::search::problem::ProblemError;
use ktour::text_format::escape_control;
use ktour::tour::TourSpecError;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arguments::argument_name;

pyo3::import_exception!(ktour._errors, FileError);
pyo3::import_exception!(ktour._errors, GaveUpError);
pyo3::import_exception!(ktour._errors, InvalidInputError);
pyo3::import_exception!(ktour._errors, KtourError);
pyo3::import_exception!(ktour._errors, NoTourError);
pyo3::import_exception!(ktour._errors, OutOfMemoryError);
pyo3::import_exception!(ktour._errors, StoppedError);
pyo3::import_exception!(ktour._errors, TooLongError);

/// The class of an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// `KtourError`: a failure without a class of its own.
    Failure,
    InvalidInput,
    OutOfMemory,
    TooLong,
    NoTour,
    GaveUp,
    Stopped,
    File,
    /// The `IndexError` of Python: no tour has this number.
    NoSuchNumber,
}

/// An exception that is yet to be raised. A worker thread cannot create Python exceptions.
#[derive(Debug)]
pub struct JobError {
    pub class: ErrorClass,
    pub message: String,
    /// For an error of a file: its path, and the error number of the system if there is one.
    file: Option<(PathBuf, Option<i32>)>,
}

impl JobError {
    /// Creates the error of a class with a message.
    pub fn new(class: ErrorClass, message: impl std::fmt::Display) -> Self {
        Self { class, message: escape_control(&message.to_string()), file: None }
    }

    /// Creates the error of a file. `kind` is the reason, if the system has an error number for it.
    pub fn file(path: &Path, kind: Option<io::ErrorKind>, message: impl std::fmt::Display) -> Self {
        let number = kind.and_then(error_number);
        Self { file: Some((path.to_owned(), number)), ..Self::new(ErrorClass::File, message) }
    }

    /// Creates the error of a run that ended before it was complete.
    pub fn stopped() -> Self {
        Self::new(ErrorClass::Stopped, "stopped before the end")
    }
}

impl From<JobError> for PyErr {
    fn from(JobError { class, message, file }: JobError) -> Self {
        let raise = match class {
            ErrorClass::Failure => KtourError::new_err::<(String,)>,
            ErrorClass::InvalidInput => InvalidInputError::new_err,
            ErrorClass::OutOfMemory => OutOfMemoryError::new_err,
            ErrorClass::TooLong => TooLongError::new_err,
            ErrorClass::NoTour => NoTourError::new_err,
            ErrorClass::GaveUp => GaveUpError::new_err,
            ErrorClass::Stopped => StoppedError::new_err,
            ErrorClass::File => FileError::new_err,
            ErrorClass::NoSuchNumber => PyIndexError::new_err,
        };
        let error = raise((message,));
        if let Some((path, number)) = file {
            // An error without the attributes is still an error.
            let _ = Python::attach(|py| {
                error.value(py).setattr("filename", path.as_os_str())?;
                error.value(py).setattr("errno", number)
            });
        }
        error
    }
}

/// Returns the number of an error of the system, which is the same on Unix and in the C library of Windows.
const fn error_number(kind: io::ErrorKind) -> Option<i32> {
    match kind {
        io::ErrorKind::NotFound => Some(2),
        io::ErrorKind::PermissionDenied => Some(13),
        io::ErrorKind::AlreadyExists => Some(17),
        io::ErrorKind::NotADirectory => Some(20),
        io::ErrorKind::IsADirectory => Some(21),
        io::ErrorKind::StorageFull => Some(28),
        io::ErrorKind::ReadOnlyFilesystem => Some(30),
        _ => None,
    }
}

/// Creates an `InvalidInputError`.
pub fn invalid_input(why: impl std::fmt::Display) -> PyErr {
    JobError::new(ErrorClass::InvalidInput, why).into()
}

/// Creates a `KtourError` for a failure at run time.
pub fn failure(why: impl std::fmt::Display) -> PyErr {
    JobError::new(ErrorClass::Failure, why).into()
}

/// Creates an `OutOfMemoryError` for a lack of memory.
pub fn out_of_memory(why: impl std::fmt::Display) -> PyErr {
    JobError::new(ErrorClass::OutOfMemory, why).into()
}

/// Defines the conversion of an error type of the library to a [`JobError`]. Each line has patterns, a class, and the
/// remedy in words of Python that is added to the message, if there is one.
macro_rules! job_errors {
    ($type:ty, $prefix:literal: $($pattern:pat => $class:ident $(; $remedy:literal)?,)+) => {
        impl From<$type> for JobError {
            fn from(error: $type) -> Self {
                match &error {
                    $($pattern => {
                        Self::new(ErrorClass::$class, format!(concat!($prefix, "{}" $(, "; ", $remedy)?), error))
                    })+
                }
            }
        }
    };
}

job_errors! { ProblemError, "":
    ProblemError::TooLarge(_) => InvalidInput; "use a smaller board, or remove squares with remove=",
    _ => InvalidInput,
}

job_errors! { TourSpecError, "":
    TourSpecError::SameEnds(_) => InvalidInput; "change start= or end=",
    TourSpecError::ClosedEnd => InvalidInput; "omit end=, use kind=\"paths\" or \"open\", or require a move by Board.restrict",
    _ => InvalidInput,
}

job_errors! { frontier::Error, "":
    frontier::Error::Memory { .. } =>
        OutOfMemory; "raise memory=, or use a smaller board or engine=\"multipath\"",
    frontier::Error::TooWide { .. } =>
        TooLong; "use a narrower board, or at most 128 squares with engine=\"multipath\"",
    frontier::Error::Store { .. } => File,
    _ => Failure,
}

/// An error of a count that does not come from another error type.
struct PlainCountError(CountError);

impl std::fmt::Display for PlainCountError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

job_errors! { PlainCountError, "":
    PlainCountError(CountError::TooManyOrbits { .. }) => InvalidInput; "use a smaller board",
    PlainCountError(CountError::Beginning(_)) => InvalidInput,
    PlainCountError(CountError::OpenResiduesWithForbiddenMoves) => InvalidInput,
    PlainCountError(CountError::TooManySymmetric(_)) => Failure; "use a smaller board",
    PlainCountError(CountError::ThreadStart(_)) =>
        Failure; "reduce threads=, or raise the limits (ulimit -u, ulimit -v)",
    PlainCountError(CountError::UnnamedSymmetries(_)) =>
        InvalidInput; "use distinct=True instead of symmetry=, which is for boards",
    PlainCountError(
        CountError::TooManyTours(_) | CountError::TooLargeToEnumerate(_) | CountError::TooManyByEstimate { .. }
    ) => Failure; "omit distinct=, or use a smaller board",
    _ => Failure,
}

impl From<JobConflict> for JobError {
    fn from(conflict: JobConflict) -> Self {
        Self::new(ErrorClass::InvalidInput, conflict.describe(argument_name))
    }
}

impl From<CountError> for JobError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Conflict(conflict) => conflict.into(),
            CountError::Stopped(_) => Self::stopped(),
            CountError::Problem(error) => error.into(),
            CountError::Tours(error) => error.into(),
            CountError::Frontier(error) => error.into(),
            CountError::Refused(refusal) => {
                let line = format!("the sweep {}; raise memory=, or use a smaller board", refusal.shortage);
                Self::new(ErrorClass::OutOfMemory, line)
            }
            error => PlainCountError(error).into(),
        }
    }
}

impl From<ListError> for JobError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Problem(error) => error.into(),
            ListError::Stopped(_) => Self::stopped(),
            error => Self::new(ErrorClass::Failure, error),
        }
    }
}

/// Remedy for a folder that the system refuses.
const FOLDER_REMEDY: &str = "use a writable folder on a disk with free space";

job_errors! { IndexLayersError, "index: ":
    IndexLayersError::Sweep(frontier::Error::Memory { .. }) =>
        OutOfMemory; "raise memory=, store the index in a folder, or use a smaller board",
    IndexLayersError::Memory { .. } => OutOfMemory; "raise memory=",
    IndexLayersError::ForeignFolder { .. } | IndexLayersError::OtherTours { .. } | IndexLayersError::Locked(_) =>
        File; "use another folder",
    IndexLayersError::Damaged { .. } => File; "delete the folder to build the index again",
    IndexLayersError::Width { .. } | IndexLayersError::TooManySquares { .. } =>
        InvalidInput; "use a smaller board",
    _ => Failure,
}

job_errors! { PlainIndexError, "":
    PlainIndexError(IndexError::OutOfRange { .. }) => NoSuchNumber,
    PlainIndexError(IndexError::NoTours { .. }) => NoTour,
    PlainIndexError(IndexError::OpenTours) => InvalidInput; "use kind=\"paths\", or sample open tours",
    PlainIndexError(IndexError::OpenWithFixedEnds) => InvalidInput; "omit start= and end=",
    PlainIndexError(IndexError::DifferentTour { .. }) => InvalidInput,
    PlainIndexError(IndexError::OpenWithRestrictions) => InvalidInput; "use kind=\"paths\"",
    _ => Failure,
}

/// An error of an index that does not come from another error type.
struct PlainIndexError(IndexError);

impl std::fmt::Display for PlainIndexError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<IndexError> for JobError {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Stopped(_) => Self::stopped(),
            IndexError::Layers(IndexLayersError::File { path, source }) => {
                let line = format!("index: {}: {source}; {FOLDER_REMEDY}", path.display());
                Self::file(&path, Some(source.kind()), line)
            }
            IndexError::Layers(error) => error.into(),
            error => PlainIndexError(error).into(),
        }
    }
}

/// Returns the error of a search that found no tour. `is_auto` is true if the rule was `auto`, so
/// that the library chose the methods.
pub fn from_find_outcome(outcome: &FindOutcome, is_auto: bool) -> JobError {
    let (attempts, by_rule, remedy) = match outcome {
        FindOutcome::Impossible(reason) => {
            return JobError::new(ErrorClass::NoTour, format!("no tour exists: {reason}"));
        }
        FindOutcome::GaveUp { attempts } if is_auto => {
            (attempts, "", "raise attempts=, or use another seed=")
        }
        FindOutcome::GaveUp { attempts } => {
            (attempts, " by this rule", "use rule=\"auto\", or raise attempts=")
        }
        FindOutcome::Found { .. } | FindOutcome::Stopped => return JobError::stopped(),
    };
    let line = format!("found no tour in {attempts} attempts{by_rule}, though there may be one; {remedy}");
    JobError::new(ErrorClass::GaveUp, line)
}
