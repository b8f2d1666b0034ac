//! Checkpoints: what a run has done, in a file that survives anything.
//!
//! ```text
//! ktour checkpoint 2
//! job board=6x8 remove=- leaper=1,2 kind=closed ... shard=0/1
//! saved 2026-01-31T23:59:59Z, 1234 of 40052 units, 12.3 s
//! sha256 5f3c...                       of the lines above and below
//! {"done":"ff03...","sums":{...},"at_rest":null,...}
//! ```
//!
//! There are two generations of it ([`CheckpointFile`](super::CheckpointFile)); loading falls back to the
//! previous one if the newest is not whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::checkpoint_file::with_suffix;
use super::{Folder, Job, now};
use crate::count::{Part, Sums};
use crate::digest;
use crate::frontier::Snapshot;

/// Version of the form.
const HEAD: &str = "ktour checkpoint 2";

/// What a run has done so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What it does.
    pub job: Job,
    /// The units done, by number.
    pub done: Vec<bool>,
    /// Their sums.
    pub sums: Sums,
    /// The sweep that had begun.
    pub at_rest: Option<AtRest>,
    /// Units that have been begun, by number.
    pub parts: BTreeMap<usize, Part>,
    /// Seconds worked so far.
    pub seconds: f64,
    /// When the run first began, UTC.
    pub started: String,
    /// How the user wanted the result: the caller's own words.
    pub output: serde_json::Value,
}

/// A unit that had begun, if it is a sweep: its layers are in the [`Folder`](super::Folder) beside the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AtRest {
    /// The unit.
    pub unit: usize,
    /// Where it was left.
    pub snapshot: Snapshot,
}

#[derive(Serialize, Deserialize)]
struct Body {
    done: String,
    sums: Sums,
    at_rest: Option<AtRest>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    parts: BTreeMap<usize, Part>,
    seconds: f64,
    started: String,
    output: serde_json::Value,
}

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}", .path.display(), .source)]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another version of the form.
    #[error("{0} has another format: it begins `{1}`, not `{HEAD}`", .path.display(), .head)]
    Format {
        /// The file.
        path: PathBuf,
        /// Its first line, as far as it is text.
        head: String,
    },
    /// Cut, changed or not a checkpoint.
    #[error("{0} is damaged: {1}", .path.display(), .what)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Somebody else writes it.
    #[error("{0} is in use by another run", .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The lock cannot be made.
    #[error("cannot lock {0}: {1}", .path.display(), .source)]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// A checkpoint read from a file, and why it is not the newest generation, if so.
#[derive(Debug)]
pub struct Loaded {
    /// What had been done.
    pub checkpoint: Checkpoint,
    /// What is wrong with the newest generation.
    pub fallback: Option<CheckpointError>,
}

impl Checkpoint {
    /// How many units are done.
    #[must_use]
    pub fn units_done(&self) -> usize {
        self.done.iter().filter(|&&done| done).count()
    }

    /// Units of the job's shard.
    #[must_use]
    pub fn units(&self) -> usize {
        (0..self.job.units).filter(|&unit| self.job.shard.contains(unit)).count()
    }

    /// Whether all units of the shard are done.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.units_done() == self.units()
    }

    /// Reads the newest whole generation at `path`, layers of a sweep at rest included.
    ///
    /// # Errors
    /// What is wrong with the newest generation, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded, CheckpointError> {
        let previous = with_suffix(path, ".previous");
        let (newest, before) = (Self::load_one(path), Self::load_one(&previous));
        let folder = Self::folder(path, &newest, &before);
        let error = match Self::whole(&folder, newest, path) {
            Ok(checkpoint) => return Ok(Loaded { checkpoint, fallback: None }),
            Err(error) => error,
        };
        match Self::whole(&folder, before, &previous) {
            Ok(checkpoint) => Ok(Loaded { checkpoint, fallback: Some(error) }),
            Err(_) => Err(error),
        }
    }

    fn whole(
        folder: &Folder,
        loaded: Result<Self, CheckpointError>,
        path: &Path,
    ) -> Result<Self, CheckpointError> {
        let checkpoint = loaded?;
        match checkpoint.snapshot().map_or(Ok(()), |snapshot| folder.check(snapshot)) {
            Ok(()) => Ok(checkpoint),
            Err(error) => Err(CheckpointError::Damaged {
                path: path.to_owned(),
                what: format!("its layers in {}: {error}", folder.path().display()),
            }),
        }
    }

    pub(super) fn folder(
        path: &Path,
        newest: &Result<Self, CheckpointError>,
        before: &Result<Self, CheckpointError>,
    ) -> Folder {
        let snapshots: Vec<&Snapshot> =
            [newest, before].into_iter().flatten().filter_map(Self::snapshot).collect();
        Folder::beside(path, &snapshots)
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.at_rest.as_ref().map(|rest| &rest.snapshot)
    }

    /// Reads the generation before the newest, layers included.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn load_before(path: &Path) -> Result<Self, CheckpointError> {
        let previous = with_suffix(path, ".previous");
        let (newest, before) = (Self::load_one(path), Self::load_one(&previous));
        Self::whole(&Self::folder(path, &newest, &before), before, &previous)
    }

    pub(super) fn load_one(path: &Path) -> Result<Self, CheckpointError> {
        let bytes =
            fs::read(path).map_err(|source| CheckpointError::Read { path: path.to_owned(), source })?;
        Self::parse(&bytes, path)
    }

    /// Reads what [`Self::to_text`] has written, at `path` or where it came from.
    ///
    /// # Errors
    /// It is damaged, or of another version.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let damaged = |what: &str| CheckpointError::Damaged { path: path.to_owned(), what: what.to_owned() };
        let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
        if first != HEAD.as_bytes() {
            // A first line that is nearly ours is damage, one of another version or program is not.
            if !first.starts_with(b"ktour checkpoint ") {
                return Err(damaged("it does not begin as a checkpoint does"));
            }
            let head = String::from_utf8_lossy(&first[..first.len().min(80)]).into_owned();
            return Err(CheckpointError::Format { path: path.to_owned(), head });
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is not text"))?;
        let mut lines = text.splitn(5, '\n');
        let mut line = || lines.next().ok_or_else(|| damaged("it is cut short"));
        let (head, job, saved, digest, body) = (line()?, line()?, line()?, line()?, line()?);
        let digest = digest.strip_prefix("sha256 ").ok_or_else(|| damaged("its digest is missing"))?;
        if digest != digest_of([head, job, saved, body]) {
            return Err(damaged("its digest does not match"));
        }
        let job: Job = job
            .strip_prefix("job ")
            .ok_or_else(|| damaged("its job is missing"))?
            .parse()
            .map_err(|error: super::ParseJobError| damaged(&error.to_string()))?;
        let body: Body = serde_json::from_str(body).map_err(|error| damaged(&error.to_string()))?;
        let done = from_hex(&body.done, job.units).ok_or_else(|| damaged("its list of units is wrong"))?;
        if (0..job.units).any(|unit| done[unit] && !job.shard.contains(unit)) {
            return Err(damaged("it has units of another shard"));
        }
        let Body { sums, at_rest, parts, seconds, started, output, .. } = body;
        if at_rest.as_ref().is_some_and(|rest| done.get(rest.unit) != Some(&false)) {
            return Err(damaged("the unit that had begun is done or not there"));
        }
        if parts.keys().any(|&unit| unit >= job.units || done[unit] || !job.shard.contains(unit)) {
            return Err(damaged("it has parts of units that are not to be done"));
        }
        Ok(Self { job, done, sums, at_rest, parts, seconds, started, output })
    }

    /// The form in which it is saved.
    #[must_use]
    pub fn to_text(&self) -> String {
        let job = format!("job {}", self.job);
        let (done, units) = (self.units_done(), self.units());
        let saved = format!("saved {}, {done} of {units} units, {:.1} s", now(), self.seconds);
        let body = Body {
            done: to_hex(&self.done),
            sums: self.sums.clone(),
            at_rest: self.at_rest.clone(),
            parts: self.parts.clone(),
            seconds: self.seconds,
            started: self.started.clone(),
            output: self.output.clone(),
        };
        let mut body = serde_json::to_string(&body).expect("a checkpoint can be written");
        body.push('\n');
        let digest = digest_of([HEAD, &job, &saved, &body]);
        format!("{HEAD}\n{job}\n{saved}\nsha256 {digest}\n{body}")
    }
}

fn digest_of(parts: [&str; 4]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
        hash.update("\n");
    }
    digest::hex(hash)
}

/// Four units a digit, the lowest unit in the lowest bit.
fn to_hex(done: &[bool]) -> String {
    let digit = |units: &[bool]| units.iter().rev().fold(0, |digit, &done| digit << 1 | u32::from(done));
    done.chunks(4).filter_map(|units| char::from_digit(digit(units), 16)).collect()
}

fn from_hex(text: &str, units: usize) -> Option<Vec<bool>> {
    if text.len() != units.div_ceil(4) {
        return None;
    }
    let mut done = Vec::with_capacity(units + 3);
    for digit in text.chars() {
        let digit = digit.to_digit(16)?;
        done.extend((0..4).map(|bit| digit >> bit & 1 == 1));
    }
    let rest = done.split_off(units);
    (!rest.contains(&true)).then_some(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{CheckpointFile, Shard};
    use crate::board::Leaper;
    use crate::count::{Request, Work};

    fn checkpoint(done: usize) -> Checkpoint {
        let request = Request::new("5x5".parse().unwrap(), Leaper::KNIGHT);
        let work = Work::new(&request).unwrap();
        let job = Job::new(&work, Shard::WHOLE);
        let done = (0..job.units).map(|unit| unit < done).collect();
        let sums = work.question().no_sums();
        let part = Part { path: vec![1, 2], tours: vec![0, 3], nodes: 4 };
        let parts = BTreeMap::from([(job.units - 1, part)]);
        let output = serde_json::json!({"a": 1});
        Checkpoint { job, done, sums, at_rest: None, parts, seconds: 1.5, started: now(), output }
    }

    #[test]
    fn generations_are_kept_and_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.units_done(), 5);
        assert!(loaded.fallback.is_none());
        fs::remove_file(&path).unwrap();
        let loaded = Checkpoint::load(&path).unwrap();
        assert_eq!(loaded.checkpoint.units_done(), 3);
        assert!(matches!(loaded.fallback, Some(CheckpointError::Read { .. })));
    }

    #[test]
    fn a_damaged_file_takes_no_generations_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        for done in [3, 5] {
            file.save(&checkpoint(done)).unwrap();
        }
        fs::write(&path, "damaged").unwrap();
        file.save(&checkpoint(6)).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint.units_done(), 6);
        fs::remove_file(&path).unwrap();
        assert!(CheckpointFile::exists(&path));
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint.units_done(), 3);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let text = checkpoint(7).to_text().into_bytes();
        for at in 0..text.len() {
            let mut bytes = text.clone();
            bytes[at] ^= 1 << (at % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(Checkpoint::load(&path).is_err(), "byte {at}");
        }
        for len in 0..text.len() {
            fs::write(&path, &text[..len]).unwrap();
            assert!(Checkpoint::load(&path).is_err(), "cut to {len}");
        }
        fs::write(&path, &text).unwrap();
        assert_eq!(Checkpoint::load(&path).unwrap().checkpoint.units_done(), 7);
    }

    #[test]
    fn another_version_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        fs::write(&path, checkpoint(1).to_text().replace("checkpoint 2\n", "checkpoint 3\n")).unwrap();
        let error = Checkpoint::load(&path).unwrap_err();
        assert!(error.to_string().contains("begins `ktour checkpoint 3`"), "{error}");
    }

    #[test]
    fn one_writer_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        assert!(matches!(CheckpointFile::lock(&path), Err(CheckpointError::InUse { .. })));
        drop(file);
        assert!(CheckpointFile::lock(&path).is_ok());
    }

    #[test]
    fn units_are_packed_four_a_digit() {
        let done: Vec<bool> = (0..10).map(|i| i % 3 == 0).collect();
        let text = to_hex(&done);
        assert_eq!(text, "942");
        assert_eq!(from_hex(&text, 10).unwrap(), done);
        assert!(
            from_hex("94f", 10).is_none() && from_hex("94", 10).is_none() && from_hex("9g2", 10).is_none()
        );
    }
}
