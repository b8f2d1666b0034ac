//! Python exceptions for the errors of the library. Each message is one line, and names keywords
//! such as `memory=` instead of the options of the command line.
//!
//! ```text
//! error of the library -> JobError: a class and a message, on any thread -> exception
//! ```
//!
//! The classes are defined in Python, in `lib/ktour/_errors.py`, because they can have two parents
//! there.

use ktour::count::CountError;
use ktour::frontier::{self, IndexLayersError};
use ktour::heuristic::FindOutcome;
use ktour::index::IndexError;
use ktour::search::list::ListError;
use ktour::search::problem::ProblemError;
use ktour::text_format::with_remedy;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

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
}

impl JobError {
    /// Creates the error of a class with a message.
    pub fn new(class: ErrorClass, message: impl std::fmt::Display) -> Self {
        Self { class, message: message.to_string() }
    }

    /// Creates the error of a run that ended before it was complete.
    pub fn stopped() -> Self {
        Self::new(ErrorClass::Stopped, "stopped before the end")
    }
}

impl From<JobError> for PyErr {
    fn from(JobError { class, message }: JobError) -> Self {
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
        raise((message,))
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
/// remedy in Python's words: `or "..."` replaces the remedy of the library, `and "..."` is added to the message.
macro_rules! job_errors {
    ($type:ty, $prefix:literal: $($pattern:pat => $class:ident $($how:ident $remedy:literal)?;)+) => {
        impl From<$type> for JobError {
            fn from(error: $type) -> Self {
                match &error {
                    $($pattern => {
                        let message = job_errors!(@message &error, $($how $remedy)?);
                        Self::new(ErrorClass::$class, format!(concat!($prefix, "{}"), message))
                    })+
                }
            }
        }
    };
    (@message $error:expr,) => { $error };
    (@message $error:expr, replace $remedy:literal) => { with_remedy($error, $remedy) };
    (@message $error:expr, add $remedy:literal) => { format!("{}; {}", $error, $remedy) };
}

job_errors! { ProblemError, "":
    ProblemError::TooLarge(_) => InvalidInput add "use a smaller board, or remove squares with remove=";
    ProblemError::SameEnds(_) => InvalidInput replace "change start= or end=";
    ProblemError::ClosedEnd => InvalidInput replace "omit end=, or use kind=\"paths\" or \"open\"";
    _ => InvalidInput;
}

job_errors! { frontier::Error, "":
    frontier::Error::Memory { .. } =>
        OutOfMemory replace "raise memory=, or use a smaller board or engine=\"multipath\"";
    frontier::Error::TooWide { .. } =>
        InvalidInput add "use a narrower board, or engine=\"multipath\" for up to 128 squares";
    frontier::Error::Store { .. } => File;
    _ => Failure;
}

/// Errors of counts that have no exception of another error type inside.
struct PlainCountError(CountError);

impl std::fmt::Display for PlainCountError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

job_errors! { PlainCountError, "":
    PlainCountError(CountError::TooMuchMemory { .. }) => OutOfMemory add "raise memory=, or use a smaller board";
    PlainCountError(CountError::TooMuchDisk { .. }) => OutOfMemory add "raise memory=";
    PlainCountError(CountError::TooManyOrbits { .. }) => InvalidInput;
    PlainCountError(CountError::TooManySymmetric(_)) => Failure add "use a smaller board";
    PlainCountError(CountError::ThreadStart(_)) =>
        Failure add "reduce threads=, or raise the limits (ulimit -u, ulimit -v)";
    PlainCountError(CountError::UnnamedSymmetries(_)) =>
        InvalidInput add "use distinct=True instead of symmetry=, which is for boards";
    PlainCountError(
        CountError::TooManyTours(_) | CountError::TooLargeToEnumerate(_) | CountError::TooManyByEstimate { .. }
    ) => Failure add "omit distinct=, or use a smaller board";
    _ => Failure;
}

impl From<CountError> for JobError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Stopped(_) => Self::stopped(),
            CountError::Problem(error) => error.into(),
            CountError::Frontier(error) => error.into(),
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

job_errors! { IndexLayersError, "index: ":
    IndexLayersError::Sweep(frontier::Error::Memory { .. }) =>
        OutOfMemory replace "raise memory=, store the index in a folder, or use a smaller board";
    IndexLayersError::Memory { .. } => OutOfMemory replace "raise memory=";
    IndexLayersError::File { .. } => File add "use a writable folder on a disk with free space";
    IndexLayersError::ForeignFolder { .. } => File add "use another folder";
    IndexLayersError::Locked(_) => File add "or use another folder";
    IndexLayersError::Damaged { .. } => File replace "delete the folder to build the index again";
    IndexLayersError::Width { .. } | IndexLayersError::TooManySquares { .. } => InvalidInput;
    _ => Failure;
}

impl From<IndexError> for JobError {
    fn from(error: IndexError) -> Self {
        use ErrorClass::{Failure, InvalidInput, NoSuchNumber, NoTour, OutOfMemory, TooLong};
        let (class, remedy) = match error {
            IndexError::Stopped(_) => return Self::stopped(),
            IndexError::Layers(IndexLayersError::Refused(line)) => {
                let class = if line.contains("would take about") { TooLong } else { OutOfMemory };
                return Self::new(class, line);
            }
            IndexError::Layers(error) => return error.into(),
            IndexError::OutOfRange { .. } => return Self::new(NoSuchNumber, error),
            IndexError::NoTours { .. } => return Self::new(NoTour, error),
            IndexError::OpenTours => (InvalidInput, "use kind=\"paths\", or sample open tours"),
            IndexError::OpenWithFixedEnds => (InvalidInput, "omit start= and end="),
            IndexError::ClosedEnd => (InvalidInput, "omit end=, or use kind=\"paths\" or \"open\""),
            IndexError::InvalidEnds | IndexError::SameEnds { .. } => (InvalidInput, "change start= or end="),
            error => return Self::new(Failure, error),
        };
        Self::new(class, with_remedy(&error, remedy))
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
