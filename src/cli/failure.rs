//! How a command ends when it does not end well.

use std::process::ExitCode;

use crate::report::{OutputError, is_closed_pipe, say, tell};
use ktour::batch::CheckpointError;
use ktour::count::CountError;
use ktour::frontier;
use ktour::search::problem::ProblemError;
use ktour::search::width::MAX_SQUARES;

/// EX_TEMPFAIL: try again later.
const STOPPED: u8 = 75;

/// A line for the user and an exit status.
#[derive(Debug)]
pub struct Failure {
    message: Option<String>,
    status: u8,
}

impl Failure {
    /// The command line asks for something that cannot be: exit status 2.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: 2 }
    }

    /// Something went wrong on the way: exit status 1.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: 1 }
    }

    /// The run was stopped and its checkpoint is saved: exit status 75.
    pub fn stopped(message: impl Into<String>) -> Self {
        Self { message: Some(message.into()), status: STOPPED }
    }

    /// The same when all has been said.
    pub const fn saved() -> Self {
        Self::silent(STOPPED)
    }

    /// A failure that another rank has told of.
    pub fn with_status(message: String, status: u8) -> Self {
        Self { message: Some(message), status }
    }

    /// Nothing more to say.
    pub const fn silent(status: u8) -> Self {
        Self { message: None, status }
    }

    /// The exit status.
    pub const fn status(&self) -> u8 {
        self.status
    }

    /// The reader of standard output has gone: nothing to say, and no failure.
    pub const fn closed_pipe() -> Self {
        Self { message: None, status: 0 }
    }

    /// Prints the line and gives the status.
    pub fn report(self) -> ExitCode {
        if let Some(message) = self.message {
            // If standard error is closed too, the status must do.
            let prefix = if self.status == STOPPED { "ktour:" } else { "ktour: error:" };
            say(&format!("{prefix} {}\n", shown(&message)));
        }
        ExitCode::from(self.status)
    }

    /// A failed write to `path`.
    pub fn write(path: &str, error: &std::io::Error) -> Self {
        if is_closed_pipe(error) {
            return Self::closed_pipe();
        }
        Self::failed(format!("cannot write {path}: {error}"))
    }

    /// Tells of one that is not the first.
    pub fn tell(&self) {
        tell(format_args!("error: {}", shown(&self.to_string())));
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message.as_deref().unwrap_or_default())
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::write(&error.path, &error.source)
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<ProblemError> for Failure {
    fn from(error: ProblemError) -> Self {
        Self::usage(match &error {
            ProblemError::TooLarge(_) => format!("{error}: take a smaller BOARD or --remove squares"),
            ProblemError::NoVertex(_) => error.to_string(),
            ProblemError::SameEnds(_) => format!("{error}: change --start or --end"),
            ProblemError::ClosedEnd => format!("{error}: drop --end, or ask for --kind paths or open"),
            ProblemError::TooManyUnits(_) => format!("{error}: take a smaller --split-depth"),
            _ => error.to_string(),
        })
    }
}

impl From<CountError> for Failure {
    fn from(error: CountError) -> Self {
        match error {
            CountError::Problem(error) => error.into(),
            CountError::Frontier(error @ frontier::Error::Memory { .. }) => Self::failed(format!(
                "{error}; a larger --memory, fewer --threads, a smaller BOARD, or --engine multipath helps; so does \
                 --spill DIR where nothing was stored"
            )),
            CountError::TooMuchMemory { .. } => {
                Self::failed(format!("{error}: raise --memory, name a --spill DIR, or take a smaller BOARD"))
            }
            CountError::TooMuchDisk { .. } => {
                Self::failed(format!("{error}: raise --memory, or name a --spill DIR with more room"))
            }
            CountError::Frontier(error @ frontier::Error::Width { width }) => {
                // A frontier is no wider than the board is large.
                let search = if width <= MAX_SQUARES {
                    format!(", or --engine multipath for up to {MAX_SQUARES} squares")
                } else {
                    String::new()
                };
                Self::usage(format!("{error}: take a narrower BOARD or graph{search}"))
            }
            CountError::Frontier(error @ frontier::Error::Shared { .. }) => {
                Self::usage(format!("{error}: leave out --mpi"))
            }
            CountError::Frontier(error) => Self::failed(error.to_string()),
            CountError::TooManyOrbits { .. } => Self::usage(format!("{error}: take a smaller BOARD")),
            CountError::TooManySymmetric(_) => Self::failed(format!("{error}: take a smaller BOARD")),
            CountError::NoThread(_) => Self::failed(format!(
                "{error}: fewer --threads, or higher limits (ulimit -u, ulimit -v) help"
            )),
            CountError::NoNames(_) => Self::usage(format!(
                "{error}: --symmetry is for boards, --distinct and --classes for all that can be counted"
            )),
            CountError::TooManyToSee(_)
            | CountError::TooLargeToSee(_)
            | CountError::TooManyByEstimate { .. } => Self::failed(format!(
                "{error}: leave out --distinct or --classes, or take a smaller BOARD; --force looks all the same"
            )),
            error => Self::failed(error.to_string()),
        }
    }
}

/// A message as it is shown: names of files in it cannot break or colour it.
fn shown(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for c in without_codes(message).chars() {
        if c.is_control() { line.extend(c.escape_default()) } else { line.push(c) }
    }
    line
}

/// A message without the system's numbers of errors, whose words say the same.
fn without_codes(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((code, rest)) if code.bytes().all(|digit| digit.is_ascii_digit()) => told += rest,
            _ => told = format!("{told} (os error {part}"),
        }
    }
    told
}
