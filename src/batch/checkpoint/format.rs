//! The format of checkpoint files, and the errors of checkpoints.
//!
//! A checkpoint file has five lines. The first word of the second line is the kind of job, which determines
//! the type of the state. The fourth line is a digest of the others:
//!
//! ```text
//! ktour checkpoint 5                   type of the file, and version of its format
//! count board=6x8 piece=1,2 remove=- kind=closed ... shard=0/1
//! saved 2026-01-31T23:59:59Z, 1234 of 40052 units, 12.3 s
//! sha256 5f3c...                       digest of the lines above and below
//! {"command":["count","6x8",..],"part":"","state":{"done":"40052:ff03...","sums":{...},...}}
//! ```
//!
//! The second and the last line of the checkpoint of a series:
//!
//! ```text
//! series boards=5x2..60 piece=1,2 remove=- kind=closed
//! {"command":["series","5x2..60",..],"part":"","state":{"rows":[...],"swept":{"line":"5x2..60",...},...}}
//! ```
//!
//! Two generations of the file exist ([`CheckpointFile`](crate::batch::CheckpointFile)). If the newest is
//! damaged, the previous one is loaded.

use std::fmt::{Debug, Display};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::digest;
use crate::frontier::Snapshot;
use crate::text_format::{describe_io_error, now_utc};

/// First line of a checkpoint file. The number is the version of the format.
const HEADER: &str = "ktour checkpoint 5";

/// Beginning of the first line of a checkpoint file in every version of the format.
const FILE_TYPE: &str = "ktour checkpoint ";

/// The reason why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}", .path.display(), describe_io_error(.source))]
    Read {
        /// The checkpoint file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is of another type, such as a text or a picture.
    #[error("{0} is not a checkpoint of ktour", .path.display())]
    NotACheckpoint {
        /// The file.
        path: PathBuf,
    },
    /// The file has another version of the format.
    #[error("{0} was written by {1} version of ktour (it begins with `{2}`)", .path.display(), describe_age(.header), .header)]
    OtherVersion {
        /// The checkpoint file.
        path: PathBuf,
        /// The first line of the file.
        header: String,
    },
    /// The checkpoint belongs to another job.
    #[error("{0} belongs to another job ({1})", .path.display(), .job)]
    OtherJob {
        /// The checkpoint file.
        path: PathBuf,
        /// The job line of the checkpoint.
        job: String,
    },
    /// The file is truncated or edited, or layers of its sweep are missing or damaged.
    #[error("{0} is damaged: {1}", .path.display(), .reason)]
    Damaged {
        /// The checkpoint file.
        path: PathBuf,
        /// A description of the damage.
        reason: String,
    },
    /// Another process holds the lock of the file.
    #[error("{0} is in use by another run; wait until it ends, or give another file", .path.display())]
    InUse {
        /// The checkpoint file.
        path: PathBuf,
    },
    /// The path is a folder, a device or a pipe.
    #[error("{0} is not a regular file; give another path for the checkpoint", .path.display())]
    NotAFile {
        /// The path of the folder, device or pipe.
        path: PathBuf,
    },
    /// The folder in which the checkpoint is to be saved does not exist.
    #[error("cannot write {0}: there is no folder {1}; create it first", .path.display(), .folder.display())]
    MissingFolder {
        /// The checkpoint file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The lock file cannot be created or locked.
    #[error("cannot lock {0}: {1}", .path.display(), describe_io_error(.source))]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl CheckpointError {
    /// Returns the error with a remedy. No remedy removes or overwrites a file.
    #[must_use]
    pub fn with_remedy(&self) -> String {
        let remedy = match self {
            Self::NotACheckpoint { .. } | Self::OtherJob { .. } | Self::Damaged { .. } => {
                "; name another file"
            }
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                "; name an existing file"
            }
            Self::OtherVersion { .. } => "; resume it with that version, or name another file",
            _ => "",
        };
        format!("{self}{remedy}")
    }

    fn damaged(path: &Path, reason: impl Display) -> Self {
        Self::Damaged { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// Returns `an older` or `a newer`: the age of the version of ktour that writes the first line `header`.
fn describe_age(header: &str) -> &'static str {
    let version = |header: &str| header.strip_prefix(FILE_TYPE)?.parse::<u32>().ok();
    if version(header) > version(HEADER) { "a newer" } else { "an older" }
}

/// The command line of a run, which a checkpoint stores for `ktour resume`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedCommand {
    /// The arguments of the command line, without the name of the program.
    pub arguments: Vec<String>,
    /// If the command counts several jobs, each with a checkpoint file of its own: the suffix of the file,
    /// such as `.5x17`. Otherwise empty.
    pub part: String,
}

/// The state of a job, which a checkpoint stores.
pub trait JobState: Clone + Send + Serialize + DeserializeOwned {
    /// The type of the job. Its text form is one line.
    type Job: Clone + Debug + PartialEq + Sync + Display + FromStr<Err: Display>;

    /// The kind of job, the first word of the second line of the file.
    const KIND: &'static str;

    /// Returns the progress in words, such as `3 of 12 units`.
    fn describe_progress(&self, job: &Self::Job) -> String;

    /// Returns the running time in seconds, in all sessions together.
    fn seconds(&self) -> f64;

    /// Returns the state with another running time.
    #[must_use]
    fn with_seconds(self, seconds: f64) -> Self;

    /// Returns the saved state of the unfinished sweep, if there is one. The layers of the sweep are in a
    /// folder next to the file.
    fn snapshot(&self) -> Option<&Snapshot>;

    /// Replaces the saved state of the unfinished sweep, which has the number `sweep`, and returns the
    /// former state.
    fn replace_snapshot(&mut self, sweep: usize, snapshot: Option<Snapshot>) -> Option<Snapshot>;

    /// Checks that the state can be one of the job.
    ///
    /// # Errors
    /// A description of the contradiction.
    fn check(&self, job: &Self::Job) -> Result<(), &'static str>;
}

/// A checkpoint: a job with its state, and the command line that resumes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint<S: JobState> {
    /// The command line of the run.
    pub command: SavedCommand,
    /// The job.
    pub job: S::Job,
    /// The progress of the job.
    pub state: S,
}

/// The content of the last line of a checkpoint file. Borrows its content for writing.
#[derive(Serialize, Deserialize)]
struct Body<A, T, S> {
    command: A,
    part: T,
    state: S,
}

impl<S: JobState> Checkpoint<S> {
    /// Parses the text that [`Self::to_text`] has written. `path` is used in errors.
    ///
    /// # Errors
    /// The text is damaged, has another version of the format, or belongs to another kind of job.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let envelope = Envelope::parse(bytes, path)?;
        if envelope.kind != S::KIND {
            return Err(CheckpointError::OtherJob { path: path.to_owned(), job: envelope.job });
        }
        let parse_job = || {
            let job: S::Job =
                envelope.job.parse().map_err(|error: <S::Job as FromStr>::Err| error.to_string())?;
            let (command, state) = parse_body::<S>(&envelope.body)?;
            state.check(&job)?;
            Ok::<_, String>(Self { command, job, state })
        };
        parse_job().map_err(|reason| CheckpointError::damaged(path, reason))
    }

    /// Returns the text of the checkpoint file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Self { command: SavedCommand { arguments, part }, job, state } = self;
        let body = serde_json::to_string(&Body { command: arguments, part, state });
        let envelope = Envelope {
            kind: S::KIND.to_owned(),
            job: job.to_string(),
            saved: format!("{}, {}, {:.1} s", now_utc(), state.describe_progress(job), state.seconds()),
            body: body.expect("a checkpoint can be serialised"),
        };
        envelope.to_text()
    }
}

fn parse_body<S: DeserializeOwned>(body: &str) -> Result<(SavedCommand, S), String> {
    let body: Body<Vec<String>, String, S> = serde_json::from_str(body).map_err(|error| error.to_string())?;
    Ok((SavedCommand { arguments: body.command, part: body.part }, body.state))
}

/// Parses the command line and the job line of a checkpoint of any kind. `path` is used in errors.
///
/// # Errors
/// The text is damaged, or has another version of the format.
pub fn parse_command(bytes: &[u8], path: &Path) -> Result<(SavedCommand, String), CheckpointError> {
    let Envelope { job, body, .. } = Envelope::parse(bytes, path)?;
    let (command, _) =
        parse_body::<IgnoredAny>(&body).map_err(|reason| CheckpointError::damaged(path, reason))?;
    Ok((command, job))
}

/// Returns true if `bytes` begin with the first line of a checkpoint, in any version of the format.
#[must_use]
pub fn has_checkpoint_header(bytes: &[u8]) -> bool {
    bytes.starts_with(FILE_TYPE.as_bytes())
}

/// The lines of a checkpoint file. The first line and the digest are not stored.
pub struct Envelope {
    /// The kind of job.
    kind: String,
    /// The job in text form.
    job: String,
    /// The time of saving, and the progress at that time.
    saved: String,
    /// The command line and the state, as JSON.
    body: String,
}

impl Envelope {
    /// Parses the text of a file, and checks its digest. Errors name the file `path`.
    ///
    /// # Errors
    /// The text is damaged, has another version of the format, or is no checkpoint.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged = |what: &str| CheckpointError::damaged(path, what);
        let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        if !has_checkpoint_header(first) {
            return Err(CheckpointError::NotACheckpoint { path: path.to_owned() });
        }
        if first.strip_suffix(b"\r") == Some(HEADER.as_bytes()) {
            return Err(damaged("its lines end in CR LF instead of LF"));
        }
        if first != HEADER.as_bytes() {
            let header = String::from_utf8_lossy(first);
            let is_version = header.rsplit(' ').next().is_some_and(|word| word.parse::<u32>().is_ok());
            return Err(match is_version {
                true => CheckpointError::OtherVersion { path: path.to_owned(), header: header.into_owned() },
                false => damaged("its first line has no version"),
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let mut lines = text.splitn(5, '\n');
        let mut line = || lines.next().ok_or_else(|| damaged("it is truncated"));
        let (head, job, saved, digest, body) = (line()?, line()?, line()?, line()?, line()?);
        let digest = digest.strip_prefix("sha256 ").ok_or_else(|| damaged("its digest is missing"))?;
        if digest != digest_lines([head, job, saved, body]) {
            return Err(damaged("its digest does not match"));
        }
        let (kind, job) = job.split_once(' ').ok_or_else(|| damaged("its job is missing"))?;
        let saved = saved.strip_prefix("saved ").ok_or_else(|| damaged("its time is missing"))?;
        let [kind, job, saved, body] = [kind, job, saved, body].map(str::to_owned);
        Ok(Self { kind, job, saved, body })
    }

    /// Returns the text of the file.
    fn to_text(&self) -> String {
        let job = format!("{} {}", self.kind, self.job);
        let (saved, body) = (format!("saved {}", self.saved), format!("{}\n", self.body));
        let digest = digest_lines([HEADER, &job, &saved, &body]);
        format!("{HEADER}\n{job}\n{saved}\nsha256 {digest}\n{body}")
    }
}

fn digest_lines(parts: [&str; 4]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update("\n");
    }
    digest::to_hex(hash)
}

#[cfg(test)]
pub mod samples {
    //! Checkpoints for unit tests.

    use super::*;
    use crate::batch::{Job, RunState, Shard};
    use crate::board::Board;
    use crate::count::{Request, UnitProgress, WorkPlan};
    use crate::frontier::{Snapshot, StepTally, SweepTotals};

    /// Returns a checkpoint of the 5x5 board whose first `done` units are finished.
    pub fn checkpoint(done: usize) -> Checkpoint<RunState> {
        let request = Request::new("5x5".parse::<Board>().unwrap());
        let work_plan = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let mut state = RunState { started: "2026-01-31T23:59:59Z".to_owned(), ..RunState::new(&work_plan) };
        state.done[..done].fill(true);
        state.parts.insert(job.units - 1, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        let arguments = ["count", "5x5", "--checkpoint", "run"].map(str::to_owned).to_vec();
        Checkpoint { command: SavedCommand { arguments, part: ".5x5".to_owned() }, job, state }
    }

    /// Returns a suspended sweep whose layer does not exist.
    pub fn snapshot(step: usize) -> Snapshot {
        serde_json::from_value(serde_json::json!({
            "order": [0, 1], "fold": false, "plan": 1, "cut": null, "rank": [0, 1], "spread": 0,
            "phase": "whole", "step": step, "done": [], "next": [],
            "layer": [[0, { "number": 7, "stored": 9, "bytes": 9, "digest": 1 }]],
            "tally": StepTally::default(), "totals": SweepTotals::default(),
        }))
        .unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::samples::checkpoint;
    use super::*;
    use crate::batch::{RunState, SeriesState};

    fn parse(text: &[u8]) -> Result<Checkpoint<RunState>, CheckpointError> {
        Checkpoint::parse(text, Path::new("run"))
    }

    #[test]
    fn parse_rejects_every_changed_byte() {
        let text = checkpoint(7).to_text().into_bytes();
        for at in 0..text.len() {
            let mut bytes = text.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(parse(&bytes).is_err(), "byte {at}");
        }
        for len in 0..text.len() {
            assert!(parse(&text[..len]).is_err(), "truncated to {len}");
        }
        let back = parse(&text).unwrap();
        assert_eq!((back.state.units_done(), back), (7, checkpoint(7)));
    }

    #[test]
    fn command_of_any_kind_is_parsed() {
        let expected = checkpoint(7);
        let (command, job) = parse_command(expected.to_text().as_bytes(), Path::new("run")).unwrap();
        assert_eq!((command, job), (expected.command, expected.job.to_string()));
        let command = SavedCommand { arguments: vec!["series".to_owned()], part: String::new() };
        let (job, state) = ("boards=5x2..60".to_owned(), SeriesState::default());
        let text = Checkpoint { command: command.clone(), job: job.clone(), state }.to_text();
        assert_eq!(parse_command(text.as_bytes(), Path::new("run")).unwrap(), (command, job.clone()));
        let error = parse(text.as_bytes()).unwrap_err();
        assert!(matches!(&error, CheckpointError::OtherJob { job: other, .. } if *other == job), "{error}");
    }

    #[test]
    fn other_versions_and_other_files_are_named() {
        let text = checkpoint(1).to_text();
        let error = |header: &str| {
            let error = parse(text.replace(HEADER, header).as_bytes()).unwrap_err();
            (error.with_remedy(), error)
        };
        for (header, age) in [
            ("ktour checkpoint 4", "an older version"),
            ("ktour checkpoint 1", "an older version"),
            ("ktour checkpoint 6", "a newer version"),
        ] {
            let (line, error) = error(header);
            assert!(
                matches!(&error, CheckpointError::OtherVersion { path, header: found }
                    if path == Path::new("run") && found == header),
                "{error}"
            );
            assert!(
                [header, age, "resume it with that version"].iter().all(|part| line.contains(part)),
                "{line}"
            );
        }
        for header in ["", "one,two", "\u{89}PNG", "ktour: done"] {
            let (line, error) = error(header);
            assert!(matches!(error, CheckpointError::NotACheckpoint { .. }), "{header}: {error}");
            assert!(line.ends_with("; name another file") && !line.contains("damaged"), "{line}");
        }
        let (line, error) = error(&format!("{HEADER}x"));
        assert!(matches!(error, CheckpointError::Damaged { .. }) && line.contains("damaged"), "{line}");
    }
}
