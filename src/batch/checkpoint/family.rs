//! What a run of a whole family has done: the rows so far, and the line that had begun.
//!
//! ```text
//! ktour family 1
//! job boards=5x2..60 piece=1,2 remove=- kind=closed
//! saved 2026-01-31T23:59:59Z, 12 of 59 boards, 3.1 s
//! sha256 5f3c...                       of the lines above and below
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

/// What a run of a family has done so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FamilyCheckpoint {
    /// What it does, in the caller's words.
    #[serde(skip)]
    pub job: String,
    /// How it was asked for: the caller's own words.
    pub command: Vec<String>,
    /// The rows, as the caller has them.
    pub rows: Vec<serde_json::Value>,
    /// How many there will be.
    pub boards: usize,
    /// The line whose sweeps have begun.
    pub swept: Option<Swept>,
    /// Seconds worked.
    pub seconds: f64,
    /// When the run first began, UTC.
    pub started: String,
}

impl FamilyCheckpoint {
    /// Reads the newest whole generation at `path`, layers of a sweep at rest included.
    ///
    /// # Errors
    /// What is wrong with the newest generation, if the previous one cannot be used either.
    pub fn load(path: &Path) -> Result<Loaded<Self>, CheckpointError> {
        load(path)
    }

    /// Whether a file, or the generation before it, is one of a family, whole or not.
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
        let body = serde_json::to_string(self).expect("a checkpoint can be written");
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
        let other = Checkpoint::load(&path).unwrap_err().to_string();
        assert!(
            other.ends_with("not `ktour checkpoint 3`; it is that of a range of boards: go on with that"),
            "{other}"
        );
        std::fs::write(&path, "damaged").unwrap();
        assert!(FamilyCheckpoint::is_at(&path));
        assert!(FamilyCheckpoint::load(&path).unwrap().fallback.is_some());
        file.remove();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
