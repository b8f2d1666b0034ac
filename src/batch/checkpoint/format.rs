//! The formats of checkpoint files, and the errors of checkpoints.
//!
//! All checkpoint files have five lines. The fourth is a digest of the others:
//!
//! ```text
//! ktour checkpoint 3                   type of the file, and version of its format
//! job ...                              the job
//! saved ...                            time, and progress
//! sha256 5f3c...                       digest of the lines above and below
//! {...}                                the state, as JSON
//! ```
//!
//! The checkpoint of a count:
//!
//! ```text
//! ktour checkpoint 3
//! job board=6x8 piece=1,2 remove=- kind=closed ... shard=0/1
//! saved 2026-01-31T23:59:59Z, 1234 of 40052 units, 12.3 s
//! sha256 5f3c...                       digest of the lines above and below
//! {"state":{"done":"40052:ff03...","sums":{...},...},"output":{...}}
//! ```
//!
//! Two generations of the file exist ([`CheckpointFile`](crate::batch::CheckpointFile)). If the newest is
//! damaged, the previous one is loaded.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::batch::job::{Job, ParseJobError};
use crate::batch::record::now_utc;
use crate::batch::run_state::RunState;
use crate::digest;
use crate::frontier::Snapshot;

/// First line of the checkpoint of a count. The number is the version of the format.
pub const COUNT_HEADER: &str = "ktour checkpoint 3";

/// First line of the checkpoint of a series. The number is the version of the format.
pub const SERIES_HEADER: &str = "ktour family 1";

/// The reason why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}", .path.display(), .source)]
    Read {
        /// The checkpoint file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file has another version of the format. Or a count was resumed from the checkpoint of a
    /// series, or a series from the checkpoint of a count.
    #[error("{0} has another format: it begins with `{1}`, not with {2}", .path.display(), .header, describe_expected(.header))]
    Format {
        /// The checkpoint file.
        path: PathBuf,
        /// The first line of the file, where invalid UTF-8 is replaced.
        header: String,
    },
    /// The file is truncated, edited, or not a checkpoint.
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
    #[error("cannot lock {0}: {1}", .path.display(), .source)]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Returns the second half of the error about a checkpoint file whose first line is `head`: the
/// expected first line, and a remedy.
fn describe_expected(head: &str) -> String {
    match head {
        COUNT_HEADER => {
            format!("`{SERIES_HEADER}`; it is the checkpoint of one board, resume that count with it")
        }
        SERIES_HEADER => {
            format!("`{COUNT_HEADER}`; it is the checkpoint of a series, resume that series with it")
        }
        head => {
            let expected = if head.starts_with("ktour family ") { SERIES_HEADER } else { COUNT_HEADER };
            format!("`{expected}`; resume it with the version of ktour that saved it")
        }
    }
}

/// The first lines of all types of checkpoint files.
const ALL_HEADERS: [&str; 2] = [COUNT_HEADER, SERIES_HEADER];

/// A type of checkpoint, with its conversion to and from the text of a file.
pub trait CheckpointFormat: Sized {
    /// The first line of the checkpoint file.
    const HEADER: &'static str;

    /// Parses the text that [`CheckpointFormat::to_text`] has returned. Errors name the file
    /// `path`.
    ///
    /// # Errors
    /// The text is damaged, or has another version of the format.
    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError>;

    /// Returns the text of the checkpoint file.
    fn to_text(&self) -> String;

    /// Returns the suspended sweep of the checkpoint, if there is one. The layers of the sweep are
    /// in a folder next to the file.
    fn snapshot(&self) -> Option<&Snapshot>;
}

/// The lines that every checkpoint file has, each without its first word. The first line and the
/// digest are not stored.
pub struct Envelope {
    /// The job in text form.
    pub job: String,
    /// The time of saving, and the progress at that time.
    pub saved: String,
    /// The state, as JSON.
    pub body: String,
}

impl Envelope {
    /// Parses a file whose first line must be `head`, and checks its digest. Errors name the file
    /// `path`.
    ///
    /// # Errors
    /// The text is damaged, or has another version of the format.
    pub fn parse(bytes: &[u8], head: &str, path: &Path) -> Result<Self, CheckpointError> {
        let damaged =
            |what: &str| CheckpointError::Damaged { path: path.to_owned(), reason: what.to_owned() };
        let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        if first.strip_suffix(b"\r") == Some(head.as_bytes()) {
            return Err(damaged("its lines end in CR LF instead of LF"));
        }
        if first != head.as_bytes() {
            // A first line that is almost ours is damaged. The first line of another version or type is
            // intact.
            if !ALL_HEADERS.iter().any(|head| Self::is_type_of(first, head)) {
                return Err(damaged("its first line is not that of a checkpoint"));
            }
            let found = String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned();
            return Err(CheckpointError::Format { path: path.to_owned(), header: found });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let mut lines = text.splitn(5, '\n');
        let mut line = || lines.next().ok_or_else(|| damaged("it is truncated"));
        let (head, job, saved, digest, body) = (line()?, line()?, line()?, line()?, line()?);
        let digest = digest.strip_prefix("sha256 ").ok_or_else(|| damaged("its digest is missing"))?;
        if digest != digest_lines([head, job, saved, body]) {
            return Err(damaged("its digest does not match"));
        }
        let job = job.strip_prefix("job ").ok_or_else(|| damaged("its job is missing"))?;
        let saved = saved.strip_prefix("saved ").ok_or_else(|| damaged("its time is missing"))?;
        Ok(Self { job: job.to_owned(), saved: saved.to_owned(), body: body.to_owned() })
    }

    /// Returns the text of the checkpoint file, with the first line `head`.
    pub fn to_text(&self, head: &str) -> String {
        let (job, saved, body) =
            (format!("job {}", self.job), format!("saved {}", self.saved), format!("{}\n", self.body));
        let digest = digest_lines([head, &job, &saved, &body]);
        format!("{head}\n{job}\n{saved}\nsha256 {digest}\n{body}")
    }

    /// Returns true if `bytes` begin with the file type that `header` names, in any version of the
    /// format.
    pub fn is_type_of(bytes: &[u8], header: &str) -> bool {
        let version = header.rfind(' ').map_or(header.len(), |at| at + 1);
        bytes.starts_with(&header.as_bytes()[..version])
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

/// The checkpoint of a count: its job and the progress so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The job.
    pub job: Job,
    /// The progress of the job.
    pub state: RunState,
    /// Output options, which the caller reads again when it resumes the run.
    pub output: serde_json::Value,
}

/// The content of the last line of a checkpoint file.
#[derive(Serialize, Deserialize)]
struct CheckpointBody<S, V> {
    state: S,
    output: V,
}

impl Checkpoint {
    /// Returns the number of finished units.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.state.units_done()
    }

    /// Returns the number of units of the job's shard.
    #[must_use]
    pub fn units(&self) -> usize {
        (0..self.job.units).filter(|&unit| self.job.shard.contains(unit)).count()
    }

    /// Returns true if all units of the job's shard are finished.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.units_done() == self.units()
    }

    /// Parses the text that [`Self::to_text`] has written. `path` is used in errors.
    ///
    /// # Errors
    /// The text is damaged, or has another version of the format.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged =
            |what: &str| CheckpointError::Damaged { path: path.to_owned(), reason: what.to_owned() };
        let Envelope { job, body, .. } = Envelope::parse(bytes, COUNT_HEADER, path)?;
        let job: Job = job.parse().map_err(|error: ParseJobError| damaged(&error.to_string()))?;
        let body: CheckpointBody<RunState, serde_json::Value> =
            serde_json::from_str(&body).map_err(|error| damaged(&error.to_string()))?;
        let CheckpointBody { state, output } = body;
        let RunState { done, suspended: suspended_unit, parts, .. } = &state;
        if done.len() != job.units {
            return Err(damaged("its list of units does not fit its job"));
        }
        if (0..job.units).any(|unit| done[unit] && !job.shard.contains(unit)) {
            return Err(damaged("it has finished units of another shard"));
        }
        if suspended_unit.as_ref().is_some_and(|suspended| done.get(suspended.unit) != Some(&false)) {
            return Err(damaged("the suspended unit is already finished or not in the job"));
        }
        if parts.keys().any(|&unit| unit >= job.units || done[unit] || !job.shard.contains(unit)) {
            return Err(damaged("it has partial work on units that are finished or of another shard"));
        }
        Ok(Self { job, state, output })
    }

    /// Returns true if `bytes` begin with the first line of a count's checkpoint, in any version of
    /// the format.
    #[must_use]
    pub fn has_header(bytes: &[u8]) -> bool {
        Envelope::is_type_of(bytes, COUNT_HEADER)
    }

    /// Returns the text of the checkpoint file.
    #[must_use]
    pub fn to_text(&self) -> String {
        let (done, units) = (self.units_done(), self.units());
        let saved = format!("{}, {done} of {units} units, {:.1} s", now_utc(), self.state.seconds);
        let body = CheckpointBody { state: &self.state, output: &self.output };
        let body = serde_json::to_string(&body).expect("a checkpoint can be serialised");
        Envelope { job: self.job.to_string(), saved, body }.to_text(COUNT_HEADER)
    }
}

impl CheckpointFormat for Checkpoint {
    const HEADER: &'static str = COUNT_HEADER;

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        Self::parse(bytes, path)
    }

    fn to_text(&self) -> String {
        self.to_text()
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.state.snapshot()
    }
}

#[cfg(test)]
pub mod samples {
    //! Checkpoints for unit tests.

    use super::*;
    use crate::batch::Shard;
    use crate::board::Board;
    use crate::count::{Request, UnitProgress, WorkPlan};

    /// Returns a checkpoint of the 5x5 board whose first `done` units are finished.
    pub fn checkpoint(done: usize) -> Checkpoint {
        let request = Request::new("5x5".parse::<Board>().unwrap());
        let work_plan = WorkPlan::new(&request).unwrap();
        let job = Job::new(&work_plan, Shard::WHOLE);
        let mut state = RunState { started: "2026-01-31T23:59:59Z".to_owned(), ..RunState::new(&work_plan) };
        state.done[..done].fill(true);
        state.parts.insert(job.units - 1, UnitProgress { path: vec![1, 2], tours: vec![0, 3], nodes: 4 });
        Checkpoint { job, state, output: serde_json::json!({"a": 1}) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_error_names_both_headers() {
        let head = "ktour checkpoint 2".to_owned();
        let error = CheckpointError::Format { path: "run".into(), header: head };
        let line = error.to_string();
        for named in ["run ", "`ktour checkpoint 2`", "`ktour checkpoint 3`", "version of ktour"] {
            assert!(line.contains(named), "{line}");
        }
    }
}

#[cfg(test)]
mod frame_tests {
    use super::*;

    #[test]
    fn envelope_round_trips_and_rejects_other_headers() {
        let frame = Envelope { job: "a=1".into(), saved: "now".into(), body: "{}".into() };
        let text = frame.to_text("ktour family 2");
        let back = Envelope::parse(text.as_bytes(), "ktour family 2", Path::new("f")).unwrap();
        assert_eq!((back.job.as_str(), back.saved.as_str(), back.body.as_str()), ("a=1", "now", "{}\n"));
        let read = |head| Envelope::parse(text.as_bytes(), head, Path::new("f")).err();
        assert!(matches!(read("ktour family 3"), Some(CheckpointError::Format { .. })));
        assert!(matches!(read("ktour checkpoint 3"), Some(CheckpointError::Format { .. })));
    }
}

#[cfg(test)]
mod count_checkpoint_tests {
    use super::samples::checkpoint;
    use super::*;

    #[test]
    fn parse_rejects_every_changed_byte() {
        let path = Path::new("run");
        let text = checkpoint(7).to_text().into_bytes();
        for at in 0..text.len() {
            let mut bytes = text.clone();
            bytes[at] ^= 1 << (at % 8);
            assert!(Checkpoint::parse(&bytes, path).is_err(), "byte {at}");
        }
        for len in 0..text.len() {
            assert!(Checkpoint::parse(&text[..len], path).is_err(), "truncated to {len}");
        }
        let back = Checkpoint::parse(&text, path).unwrap();
        assert_eq!((back.units_done(), back), (7, checkpoint(7)));
    }

    #[test]
    fn parse_names_other_version() {
        for (version, head) in
            [("checkpoint 2\n", "ktour checkpoint 2"), ("checkpoint 4\n", "ktour checkpoint 4")]
        {
            let text = checkpoint(1).to_text().replace("checkpoint 3\n", version);
            let error = Checkpoint::parse(text.as_bytes(), Path::new("run")).unwrap_err();
            assert!(
                matches!(&error, CheckpointError::Format { path, header: found }
                    if path == Path::new("run") && found == head),
                "{error}"
            );
            let line = error.to_string();
            assert!(
                line.contains(&format!("`{head}`")) && line.contains(&format!("`{COUNT_HEADER}`")),
                "{line}"
            );
        }
    }
}
