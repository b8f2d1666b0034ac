//! The error type of commands: what failed, as data. Its line of text is made when it is printed.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use super::args::choices::option_name;
use super::refusal::RemedyWords;
use crate::report::{BfileError, OutputError, is_closed_pipe, print_notice, write_stderr};
use ktour::batch::{
    CheckpointError, CheckpointFile, MergeError, ReadShardsError, RecordError, SaveError, ShardFileFault,
};
use ktour::count::CountError;
use ktour::count::job_spec::JobConflict;
use ktour::frontier;
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::search::problem::ProblemError;
use ktour::text_format::{describe_io_error, escape_control};
use ktour::tour::TourSpecError;

/// Exit status of a failure at run time.
const EXIT_FAILED: u8 = 1;
/// Exit status of wrong arguments.
const EXIT_USAGE: u8 = 2;
/// Exit status of a stopped run with a checkpoint: `EX_TEMPFAIL` of sysexits.h, "try again later".
const EXIT_STOPPED: u8 = 75;

/// An error of a command.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// An error of the program itself, or of another MPI rank.
    #[error("{text}")]
    Message {
        /// The message; empty if it has been printed already.
        text: String,
        /// The exit status.
        status: u8,
    },
    /// The reader of standard output has closed it. This is no failure.
    #[error("")]
    ClosedPipe,
    /// An output that cannot be written.
    #[error("cannot write {path}: {}", describe_io_error(error))]
    Write {
        /// The file, or `standard output`.
        path: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The system cannot start the threads of the pool.
    #[error("cannot start {}: {error}; reduce --threads", describe_threads(*.threads))]
    ThreadPool {
        /// The number of threads, if it is given.
        threads: Option<usize>,
        /// The error of the pool.
        error: rayon::ThreadPoolBuildError,
    },
    /// A checkpoint that cannot be used.
    #[error("{}", .0.with_remedy())]
    Checkpoint(#[from] CheckpointError),
    /// A file whose shards cannot be merged.
    #[error("{}", describe_shards_error(.0))]
    ReadShards(#[from] ReadShardsError),
    /// Shards or residues that cannot be merged.
    #[error("{}", describe_merge_error(.0))]
    Merge(#[from] MergeError),
    /// Rows of a series that have no b-file.
    #[error("--bfile: {0}")]
    Bfile(#[from] BfileError),
    /// A count that is impossible or fails.
    #[error("{}", describe_count_error(.0))]
    Count(CountError),
    /// A count of symmetric tours that is impossible or fails.
    #[error("{}", describe_symmetric_error(.0))]
    SymmetricCount(CountError),
    /// An error in a context: the words before and after its message.
    #[error("{before}{error}{after}")]
    InContext {
        /// Words before the message.
        before: String,
        /// The error, which determines the exit status.
        error: Box<CliError>,
        /// Words after the message.
        after: String,
    },
}

impl CliError {
    /// Creates the error of wrong arguments: exit status 2.
    pub fn usage(message: impl ToString) -> Self {
        Self::Message { text: message.to_string(), status: EXIT_USAGE }
    }

    /// Creates the error of a failure at run time: exit status 1.
    pub fn failed(message: impl ToString) -> Self {
        Self::Message { text: message.to_string(), status: EXIT_FAILED }
    }

    /// Creates the error of a stopped run whose checkpoint is saved: exit status 75.
    pub fn stopped(message: impl ToString) -> Self {
        Self::Message { text: message.to_string(), status: EXIT_STOPPED }
    }

    /// Creates an error without a message, because it has been printed already.
    pub const fn silent(status: u8) -> Self {
        Self::Message { text: String::new(), status }
    }

    /// Creates the error of a stopped run whose checkpoint is saved, and whose message has been printed already.
    pub const fn stopped_silently() -> Self {
        Self::silent(EXIT_STOPPED)
    }

    /// Returns the error with words before its message.
    pub fn with_prefix(self, before: impl Into<String>) -> Self {
        Self::InContext { before: before.into(), error: Box::new(self), after: String::new() }
    }

    /// Returns the error with words after its message.
    pub fn with_suffix(self, after: impl Into<String>) -> Self {
        Self::InContext { before: String::new(), error: Box::new(self), after: after.into() }
    }

    /// Returns the exit status.
    pub fn status(&self) -> u8 {
        match self {
            Self::Message { status, .. } => *status,
            Self::ClosedPipe => 0,
            Self::Count(error) | Self::SymmetricCount(error) if is_usage_error(error) => EXIT_USAGE,
            Self::InContext { error, .. } => error.status(),
            _ => EXIT_FAILED,
        }
    }

    /// Returns true if the run was stopped and its checkpoint is saved.
    pub fn is_stopped(&self) -> bool {
        self.status() == EXIT_STOPPED
    }

    /// Returns true if the reader of standard output has closed it.
    pub const fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::ClosedPipe)
    }

    /// Returns true if both errors have the same cause: an output that cannot be written.
    pub fn has_same_cause(&self, other: &Self) -> bool {
        match (self.cause(), other.cause()) {
            (Self::Write { path, error }, Self::Write { path: other_path, error: other_error }) => {
                (path, error.kind()) == (other_path, other_error.kind())
            }
            _ => false,
        }
    }

    /// Returns the error without its context.
    fn cause(&self) -> &Self {
        match self {
            Self::InContext { error, .. } => error.cause(),
            error => error,
        }
    }

    /// Prints the message of the error, and returns the exit status.
    pub fn print(self) -> ExitCode {
        let (message, status) = (self.to_string(), self.status());
        if !message.is_empty() {
            // If standard error is closed too, only the exit status remains.
            let prefix = if status == EXIT_STOPPED { "ktour:" } else { "ktour: error:" };
            write_stderr(&format!("{prefix} {}\n", escape_control(&message)));
        }
        ExitCode::from(status)
    }

    /// Creates the error of an input that cannot be read. `option` is the option that names it, or empty for an
    /// argument.
    pub fn read_error(option: &str, path: &Path, error: &io::Error) -> Self {
        let option = if option.is_empty() { String::new() } else { format!("{option}: ") };
        let remedy = if error.kind() == io::ErrorKind::NotFound { "; name an existing file" } else { "" };
        Self::failed(format!("{option}cannot read {}: {}{remedy}", path.display(), describe_io_error(error)))
    }

    /// Creates the error of a stopped run whose checkpoint cannot be saved.
    pub fn unsaved_stop(file: &CheckpointFile, error: &SaveError) -> Self {
        Self::failed(format!("stopped, and cannot save {}: {error}", file.path().display()))
    }

    /// Converts the error of a failed write to `path`. A closed pipe is not a failure.
    pub fn write_error(path: &str, error: io::Error) -> Self {
        if is_closed_pipe(&error) { Self::ClosedPipe } else { Self::Write { path: path.to_owned(), error } }
    }

    /// Prints the message of an error that does not decide the exit status.
    pub fn print_as_notice(&self) {
        print_notice(format_args!("error: {}", escape_control(&self.to_string())));
    }
}

impl From<OutputError> for CliError {
    fn from(error: OutputError) -> Self {
        Self::write_error(&error.path, error.source)
    }
}

impl From<ProblemError> for CliError {
    fn from(error: ProblemError) -> Self {
        Self::Count(error.into())
    }
}

impl From<TourSpecError> for CliError {
    fn from(error: TourSpecError) -> Self {
        Self::Count(error.into())
    }
}

impl From<JobConflict> for CliError {
    fn from(conflict: JobConflict) -> Self {
        Self::Count(conflict.into())
    }
}

impl From<CountError> for CliError {
    fn from(error: CountError) -> Self {
        Self::Count(error)
    }
}

fn describe_threads(threads: Option<usize>) -> String {
    threads.map_or_else(|| "a thread for each core".to_owned(), |threads| format!("{threads} threads"))
}

/// Returns true if other arguments avoid the error.
const fn is_usage_error(error: &CountError) -> bool {
    matches!(
        error,
        CountError::Tours(_)
            | CountError::Beginning(_)
            | CountError::Problem(_)
            | CountError::Frontier(frontier::Error::TooWide { .. } | frontier::Error::NeedsHashTable { .. })
            | CountError::TooManyOrbits { .. }
            | CountError::Conflict(_)
            | CountError::OpenResiduesWithForbiddenMoves
            | CountError::UnnamedSymmetries(_)
    )
}

/// Returns the message of a count error, with the options that are its remedy.
fn describe_count_error(error: &CountError) -> String {
    let remedy = match error {
        CountError::Conflict(conflict) => return conflict.describe(option_name),
        CountError::Refused(refusal) => {
            return RemedyWords::new("--spill DIR").describe_without_force("the sweep", refusal);
        }
        CountError::Frontier(frontier::Error::TooWide { width }) => {
            // The frontier is at most as wide as the board has squares.
            let search = if *width <= MAX_SQUARES {
                format!(", or --engine multipath for up to {MAX_SQUARES} squares")
            } else {
                String::new()
            };
            return format!("{error}; use a narrower BOARD or graph{search}");
        }
        CountError::Tours(TourSpecError::SameEnds(_)) => "change --start or --end",
        CountError::Tours(TourSpecError::ClosedEnd) => "omit --end, or add --kind paths or open",
        CountError::Problem(ProblemError::TooLarge(_)) => {
            "use a smaller BOARD or graph, or remove squares with --remove"
        }
        CountError::Problem(ProblemError::TooManyUnits(_)) => "use a smaller --split-depth",
        CountError::Frontier(frontier::Error::Memory { .. }) => {
            "raise --memory, reduce --threads, or use a smaller BOARD or graph or --engine multipath"
        }
        CountError::Frontier(frontier::Error::NeedsHashTable { .. }) => "omit --mpi",
        CountError::TooManyOrbits { .. } | CountError::TooManySymmetric(_) => "use a smaller BOARD or graph",
        CountError::ThreadStart(_) => "reduce --threads, or raise the limits (ulimit -u, ulimit -v)",
        CountError::UnnamedSymmetries(_) => {
            "use --distinct or --classes instead of --symmetry, which is for boards"
        }
        CountError::TooManyTours(_)
        | CountError::TooLargeToEnumerate(_)
        | CountError::TooManyByEstimate { .. } => {
            "omit --distinct or --classes, or use a smaller BOARD or graph; --force starts anyway"
        }
        _ => return error.to_string(),
    };
    format!("{error}; {remedy}")
}

/// Returns the message of a file whose shards cannot be merged, with the options that are its remedy.
fn describe_shards_error(error: &ReadShardsError) -> String {
    match error {
        ReadShardsError::Checkpoint(error) => error.with_remedy(),
        ReadShardsError::Unfinished { path, .. } => {
            format!("{error}; finish it with: ktour resume {}", path.display())
        }
        ReadShardsError::File { fault: ShardFileFault::Record(RecordError::OtherResult(_)), .. } => {
            format!("{error}; give files of ktour count --json or --record")
        }
        error => error.to_string(),
    }
}

/// Returns the message of shards that cannot be merged, with the options that are its remedy.
fn describe_merge_error(error: &MergeError) -> String {
    let remedy = match error {
        MergeError::Missing(_) => ", or add up the others with --partial",
        MergeError::TooFewResidues { .. } => ", or print a residue with --partial",
        _ => "",
    };
    format!("{error}{remedy}")
}

/// Returns the message of the error of a count of symmetric tours. Its remedies omit a spill folder, which such
/// counts do not use.
fn describe_symmetric_error(error: &CountError) -> String {
    match error {
        CountError::Frontier(frontier::Error::Memory { .. }) => {
            format!(
                "symmetric tours: {error}; use a larger --memory, a smaller BOARD or graph, or --engine multipath"
            )
        }
        CountError::Refused(refusal) => {
            format!("symmetric tours: {}", RemedyWords::new("").describe_without_force("the sweep", refusal))
        }
        error => describe_count_error(error),
    }
}
