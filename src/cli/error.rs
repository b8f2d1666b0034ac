//! The error type of commands: a message for the user and an exit status.

use std::process::ExitCode;

use super::refusal::RemedyWords;
use crate::report::{OutputError, is_closed_pipe, print_notice, write_stderr};
use ktour::batch::CheckpointError;
use ktour::count::CountError;
use ktour::frontier;
use ktour::search::bitboard_graph::MAX_SQUARES;
use ktour::search::problem::ProblemError;
use ktour::tour::TourSpecError;

/// Exit status of a stopped run with a checkpoint: `EX_TEMPFAIL` of sysexits.h, "try again later".
const EXIT_STOPPED: u8 = 75;

/// An error of a command: one line for the user, and an exit status.
#[derive(Debug)]
pub struct CliError {
    message: Option<String>,
    status: u8,
}

impl CliError {
    /// Creates the error of wrong arguments: exit status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: 2 }
    }

    /// Creates the error of a failure at run time: exit status 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: 1 }
    }

    /// Creates the error of a stopped run whose checkpoint is saved: exit status 75.
    pub fn stopped(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: EXIT_STOPPED }
    }

    /// Creates the error of a stopped run whose message has already been printed: exit status 75
    /// without a message.
    pub const fn stopped_silently() -> Self {
        Self::silent(EXIT_STOPPED)
    }

    /// Creates an error with a given exit status, such as one received from another MPI rank.
    pub fn with_status(message: String, status: u8) -> Self {
        Self { message: Some(message), status }
    }

    /// Creates an error without a message, with a given exit status.
    pub const fn silent(status: u8) -> Self {
        Self { message: None, status }
    }

    /// Returns the exit status.
    pub const fn status(&self) -> u8 {
        self.status
    }

    /// Creates the error of a closed standard output: no message, exit status 0.
    pub const fn closed_pipe() -> Self {
        Self { message: None, status: 0 }
    }

    /// Prints the message of the error, and returns the exit status.
    pub fn print(self) -> ExitCode {
        if let Some(message) = self.message {
            // If standard error is closed too, only the exit status remains.
            let prefix = if self.status == EXIT_STOPPED { "ktour:" } else { "ktour: error:" };
            write_stderr(&format!("{prefix} {}\n", printable(&message)));
        }
        ExitCode::from(self.status)
    }

    /// Converts the error of a failed write to `path`. A closed pipe is not a failure: exit status
    /// 0.
    pub fn write_error(path: &str, error: &std::io::Error) -> Self {
        if is_closed_pipe(error) {
            return Self::closed_pipe();
        }
        Self::failed(format!("cannot write {path}: {error}"))
    }

    /// Prints the message of an error that does not decide the exit status.
    pub fn print_as_notice(&self) {
        print_notice(format_args!("error: {}", printable(&self.to_string())));
    }
}

impl std::fmt::Display for CliError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl From<OutputError> for CliError {
    fn from(error: OutputError) -> Self {
        Self::write_error(&error.path, &error.source)
    }
}

impl From<CheckpointError> for CliError {
    fn from(error: CheckpointError) -> Self {
        Self::failed(error.with_remedy())
    }
}

impl From<ProblemError> for CliError {
    fn from(error: ProblemError) -> Self {
        Self::usage(match &error {
            ProblemError::TooLarge(_) => {
                format!("{error}; use a smaller BOARD, or remove squares with --remove")
            }
            ProblemError::TooManyUnits(_) => format!("{error}; use a smaller --split-depth"),
            _ => error.to_string(),
        })
    }
}

impl From<TourSpecError> for CliError {
    fn from(error: TourSpecError) -> Self {
        Self::usage(match &error {
            TourSpecError::SameEnds(_) => format!("{error}; change --start or --end"),
            TourSpecError::ClosedEnd => format!("{error}; omit --end, or add --kind paths or open"),
            _ => error.to_string(),
        })
    }
}

impl From<CountError> for CliError {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Tours(error) => error.into(),
            CountError::Problem(error) => error.into(),
            CountError::Frontier(error @ frontier::Error::Memory { .. }) => Self::failed(format!(
                "{error}; raise --memory, reduce --threads, use a smaller BOARD or --engine multipath, or add --spill DIR if \
                 it is missing"
            )),
            CountError::Refused(refusal) => {
                let words = RemedyWords::new("--spill DIR");
                Self::failed(refusal.describe("the sweep", |remedy| words.phrase(remedy)))
            }
            CountError::Frontier(error @ frontier::Error::TooWide { width }) => {
                // The frontier is at most as wide as the board has squares.
                let search = if width <= MAX_SQUARES {
                    format!(", or --engine multipath for up to {MAX_SQUARES} squares")
                } else {
                    String::new()
                };
                Self::usage(format!("{error}; use a narrower BOARD or graph{search}"))
            }
            CountError::Frontier(error @ frontier::Error::NeedsHashTable { .. }) => {
                Self::usage(format!("{error}; omit --mpi"))
            }
            CountError::Frontier(error) => Self::failed(error.to_string()),
            CountError::TooManyOrbits { .. } => Self::usage(format!("{error}; use a smaller BOARD")),
            CountError::TooManySymmetric(_) => Self::failed(format!("{error}; use a smaller BOARD")),
            CountError::ThreadStart(_) => {
                Self::failed(format!("{error}; reduce --threads, or raise the limits (ulimit -u, ulimit -v)"))
            }
            CountError::UnnamedSymmetries(_) => Self::usage(format!(
                "{error}; use --distinct or --classes instead of --symmetry, which is for boards"
            )),
            CountError::TooManyTours(_)
            | CountError::TooLargeToEnumerate(_)
            | CountError::TooManyByEstimate { .. } => Self::failed(format!(
                "{error}; omit --distinct or --classes, or use a smaller BOARD; --force starts anyway"
            )),
            error => Self::failed(error.to_string()),
        }
    }
}

/// Returns a message in printable form: control characters, such as those in file names, are
/// escaped.
fn printable(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for c in without_os_codes(message).chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// Returns a message without the error numbers of the system, which only repeat the words of the
/// message.
fn without_os_codes(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.bytes().all(|digit| digit.is_ascii_digit()) => text += rest,
            _ => text = format!("{text} (os error {part}"),
        }
    }
    text
}
