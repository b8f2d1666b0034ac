//! The checkpoint of a series: the rows so far, and the progress on the current line of boards.
//!
//! ```text
//! ktour family 1
//! job boards=5x2..60 piece=1,2 remove=- kind=closed
//! saved 2026-01-31T23:59:59Z, 12 of 59 boards, 3.1 s
//! sha256 5f3c...                       digest of the lines above and below
//! {"command":["series","5x2..60",...],"rows":[...],"swept":{"line":"5x2..60","numbers":[["0",...]],...},...}
//! ```

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::{CheckpointError, FAMILY};
use super::frame::{Frame, Saved};
use super::generations::{Loaded, load};
use crate::batch::disk::{behind_links, read_bounded};
use crate::batch::machine::now;
use crate::batch::suffix::with_suffix;
use crate::frontier::Snapshot;
use crate::series::Swept;

/// The progress of a run of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FamilyCheckpoint {
    /// The job, in a form that the caller chooses.
    #[serde(skip)]
    pub job: String,
    /// The command line that started the run.
    pub command: Vec<String>,
    /// The rows so far, in a form that the caller chooses.
    pub rows: Vec<serde_json::Value>,
    /// Number of rows of the finished series.
    pub boards: usize,
    /// Progress on the line of boards whose sweeps have begun.
    pub swept: Option<Swept>,
    /// Seconds of work, in all sessions.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

impl FamilyCheckpoint {
    /// Loads the newest intact generation at `path`, and checks the layers of a suspended sweep.
    ///
    /// # Errors
    /// The reason why the newest generation cannot be used, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded<Self>, CheckpointError> {
        load(path)
    }

    /// Returns true if the file at `path`, or its previous generation, is the checkpoint of a series. It may
    /// be damaged.
    #[must_use]
    pub fn is_at(path: &Path) -> bool {
        let path = &behind_links(path);
        let begins = |path: &Path| {
            let bytes = read_bounded(path, |_| false).unwrap_or_default();
            Frame::begins_in(&bytes, Self::HEAD)
        };
        begins(path) || begins(&with_suffix(path, ".previous"))
    }
}

impl Saved for FamilyCheckpoint {
    const HEAD: &'static str = FAMILY;

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let Frame { job, body, .. } = Frame::parse(bytes, Self::HEAD, path)?;
        let damaged = |what: String| CheckpointError::Damaged { path: path.to_owned(), what };
        let family: Self = serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?;
        if family.rows.len() > family.boards {
            return Err(damaged("it has more rows than boards".to_owned()));
        }
        Ok(Self { job, ..family })
    }

    fn to_text(&self) -> String {
        let saved =
            format!("{}, {} of {} boards, {:.1} s", now(), self.rows.len(), self.boards, self.seconds);
        let body = serde_json::to_string(self).expect("a checkpoint can be serialised");
        Frame { job: self.job.clone(), saved, body }.to_text(Self::HEAD)
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.swept.as_ref()?.at_rest.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile};

    #[test]
    fn a_family_is_read_back_and_is_no_job_of_one_board() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let numbers = vec![vec![0u32.into(), (1u128 << 100).into()]];
        let swept = Swept { line: "5x2..60".to_owned(), numbers, at_rest: None };
        let family = FamilyCheckpoint {
            job: "boards=5x2..60".to_owned(),
            command: vec!["series".to_owned(), "5x2..60".to_owned()],
            rows: vec![serde_json::json!({"board": "5x2"})],
            boards: 59,
            swept: Some(swept),
            seconds: 1.5,
            started: now(),
        };
        assert!(!FamilyCheckpoint::is_at(&path));
        for _ in 0..2 {
            file.save(&family).unwrap();
        }
        assert!(FamilyCheckpoint::is_at(&path));
        assert_eq!(FamilyCheckpoint::load(&path).unwrap().checkpoint, family);
        let other = Checkpoint::load(&path).unwrap_err();
        assert!(matches!(&other, CheckpointError::Format { head, .. } if head == FAMILY), "{other}");
        let other = other.to_string();
        assert!(other.contains("`ktour checkpoint 3`") && other.contains("series"), "{other}");
        std::fs::write(&path, "damaged").unwrap();
        assert!(FamilyCheckpoint::is_at(&path));
        assert!(FamilyCheckpoint::load(&path).unwrap().fallback.is_some());
        file.remove();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
