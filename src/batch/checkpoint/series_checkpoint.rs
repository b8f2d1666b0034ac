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

use super::envelope::{CheckpointError, SERIES_HEADER};
use super::envelope::{CheckpointFormat, Envelope};
use super::load::{Loaded, load};
use crate::batch::filesystem::with_suffix;
use crate::batch::filesystem::{read_bounded, resolve_links};
use crate::batch::record::now_utc;
use crate::frontier::Snapshot;
use crate::series::SavedSweeps;

/// The progress of a run of a series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesCheckpoint {
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
    pub swept: Option<SavedSweeps>,
    /// Seconds of work, in all sessions.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

impl SeriesCheckpoint {
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
    pub fn exists_at(path: &Path) -> bool {
        let path = &resolve_links(path);
        let begins = |path: &Path| {
            let bytes = read_bounded(path, |_| false).unwrap_or_default();
            Envelope::is_type_of(&bytes, Self::HEADER)
        };
        begins(path) || begins(&with_suffix(path, ".previous"))
    }
}

impl CheckpointFormat for SeriesCheckpoint {
    const HEADER: &'static str = SERIES_HEADER;

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, CheckpointError> {
        let Envelope { job, body, .. } = Envelope::parse(bytes, Self::HEADER, path)?;
        let damaged = |what: String| CheckpointError::Damaged { path: path.to_owned(), reason: what };
        let checkpoint: Self = serde_json::from_str(&body).map_err(|error| damaged(error.to_string()))?;
        if checkpoint.rows.len() > checkpoint.boards {
            return Err(damaged("it has more rows than boards".to_owned()));
        }
        Ok(Self { job, ..checkpoint })
    }

    fn to_text(&self) -> String {
        let saved =
            format!("{}, {} of {} boards, {:.1} s", now_utc(), self.rows.len(), self.boards, self.seconds);
        let body = serde_json::to_string(self).expect("a checkpoint can be serialised");
        Envelope { job: self.job.clone(), saved, body }.to_text(Self::HEADER)
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.swept.as_ref()?.suspended.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Checkpoint, CheckpointFile};

    #[test]
    fn series_checkpoint_round_trips_and_is_not_a_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let numbers = vec![vec![0u32.into(), (1u128 << 100).into()]];
        let swept = SavedSweeps { line: "5x2..60".to_owned(), numbers, suspended: None };
        let family = SeriesCheckpoint {
            job: "boards=5x2..60".to_owned(),
            command: vec!["series".to_owned(), "5x2..60".to_owned()],
            rows: vec![serde_json::json!({"board": "5x2"})],
            boards: 59,
            swept: Some(swept),
            seconds: 1.5,
            started: now_utc(),
        };
        assert!(!SeriesCheckpoint::exists_at(&path));
        for _ in 0..2 {
            file.save(&family).unwrap();
        }
        assert!(SeriesCheckpoint::exists_at(&path));
        assert_eq!(SeriesCheckpoint::load(&path).unwrap().checkpoint, family);
        let other = Checkpoint::load(&path).unwrap_err();
        assert!(
            matches!(&other, CheckpointError::Format { header, .. } if header == SERIES_HEADER),
            "{other}"
        );
        let other = other.to_string();
        assert!(other.contains("`ktour checkpoint 3`") && other.contains("series"), "{other}");
        std::fs::write(&path, "damaged").unwrap();
        assert!(SeriesCheckpoint::exists_at(&path));
        assert!(SeriesCheckpoint::load(&path).unwrap().fallback.is_some());
        file.remove();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
