//! The checkpoint of a series, and the checkpointer that saves it.
//!
//! A checkpoint holds the finished rows, and the progress of the sweeps for the boards of one width:
//!
//! ```text
//! ktour family 1
//! job boards=5x2..60 piece=1,2 remove=- kind=closed
//! saved 2026-01-31T23:59:59Z, 12 of 59 boards, 3.1 s
//! sha256 5f3c...                       digest of the lines above and below
//! {"command":["series","5x2..60",...],"rows":[...],"swept":{"line":"5x2..60","numbers":[["0",...]],...},...}
//! ```
//!
//! The checkpointer of a series receives rows as they are computed, and the states of sweeps that are to be
//! saved:
//!
//! ```text
//! rows, numbers of a sweep -> SeriesCheckpointer -> SeriesCheckpoint -> file
//! suspended sweep -> SpillDir ------------------------^
//! ```

use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::checkpoint::CheckpointFile;
use super::checkpoint::file::{Loaded, load};
use super::checkpoint::format::{CheckpointError, CheckpointFormat, Envelope, SERIES_HEADER};
use super::checkpointer::CheckpointSchedule;
use super::filesystem::{read_bounded, resolve_links, with_suffix};
use super::record::now_utc;
use super::spill_dir::SpillDir;
use crate::count::SnapshotSaver;
use crate::frontier::{Snapshot, Store};
use crate::lock::lock;
use crate::series::{SavedSweeps, SweepSaver};

/// The progress of a series of boards, as saved in its checkpoint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesCheckpoint {
    /// The text form of the job. The caller chooses it, and compares it when the series is resumed.
    #[serde(skip)]
    pub job: String,
    /// The arguments of the command line that started the run.
    pub command: Vec<String>,
    /// The finished rows, one for each board, in a JSON form that the caller chooses.
    pub rows: Vec<serde_json::Value>,
    /// Number of rows that the finished series will have.
    pub boards: usize,
    /// The progress of the sweeps that count the boards of the current
    /// [`BoardLine`](crate::series::BoardLine), the boards that share a sweep. `None` if no sweep
    /// has begun.
    pub swept: Option<SavedSweeps>,
    /// Running time in seconds, in all sessions together.
    pub seconds: f64,
    /// Time when the run first started, UTC.
    pub started: String,
}

impl SeriesCheckpoint {
    /// Loads the newest intact generation of the checkpoint at `path`, and checks the layers of its
    /// suspended sweep.
    ///
    /// # Errors
    /// The reason why the newest generation cannot be used, if the previous one cannot be used
    /// either.
    pub fn load(path: &Path) -> Result<Loaded<Self>, CheckpointError> {
        load(path)
    }

    /// Returns true if the file at `path`, or its previous generation, is the checkpoint of a series. The
    /// checkpoint may be damaged.
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

/// Saves the progress of a series in a checkpoint file.
pub struct SeriesCheckpointer {
    file: CheckpointFile,
    spill_dir: SpillDir,
    state: Mutex<SeriesCheckpoint>,
    earlier_seconds: f64,
    start_time: Instant,
    schedule: Mutex<CheckpointSchedule>,
    /// Function that is called with the reason if a checkpoint cannot be saved.
    on_failure: fn(&str),
}

impl SeriesCheckpointer {
    /// Creates a checkpointer that continues from `state`. Sweeps are saved every `interval`. If
    /// `limits_overhead`, they are saved less often where saving takes long. `failed` is called
    /// with the reason if a checkpoint cannot be saved.
    #[must_use]
    pub fn new(
        file: CheckpointFile,
        state: SeriesCheckpoint,
        (interval, limits_overhead): (Duration, bool),
        failed: fn(&str),
    ) -> Self {
        Self {
            spill_dir: file.spill_dir_of::<SeriesCheckpoint>(),
            file,
            earlier_seconds: state.seconds,
            start_time: Instant::now(),
            state: Mutex::new(state),
            schedule: Mutex::new(CheckpointSchedule::new(interval, limits_overhead)),
            on_failure: failed,
        }
    }

    /// Returns the checkpoint file.
    #[must_use]
    pub const fn file(&self) -> &CheckpointFile {
        &self.file
    }

    /// Returns the number of bytes that layers of sweeps may still take on the disk, if it is
    /// known.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        self.spill_dir.free_bytes().ok()
    }

    /// Returns the state from which this session continues. Its time is that of earlier sessions
    /// only.
    #[must_use]
    pub fn resumed_state(&self) -> SeriesCheckpoint {
        self.lock_state().clone()
    }

    /// Returns the present state, with the time of all sessions.
    #[must_use]
    pub fn current_state(&self) -> SeriesCheckpoint {
        let state = self.lock_state();
        SeriesCheckpoint {
            seconds: self.earlier_seconds + self.start_time.elapsed().as_secs_f64(),
            ..state.clone()
        }
    }

    /// Adds the finished row of a board. It is saved with the next checkpoint.
    pub fn add_row(&self, row: serde_json::Value) {
        self.lock_state().rows.push(row);
    }

    /// Removes the progress of the sweeps, because all boards of their
    /// [`BoardLine`](crate::series::BoardLine) are counted.
    pub fn finish_line(&self) {
        self.lock_state().swept = None;
    }

    /// Saves the present state.
    ///
    /// # Errors
    /// The reason why the state was not saved. The older generations of the checkpoint are
    /// unchanged then.
    pub fn save(&self) -> Result<(), String> {
        let state = self.current_state();
        let saved = self.spill_dir.sync().and_then(|()| self.file.save(&state));
        saved.map_err(|error| error.to_string())?;
        self.spill_dir
            .pin(state.snapshot().map_or_else(Vec::new, |snapshot| snapshot.store_numbers().collect()));
        Ok(())
    }

    /// Saves the state at the end of the run, and releases the lock of the checkpoint file.
    ///
    /// # Errors
    /// The errors of [`SeriesCheckpointer::save`].
    pub fn finish(self) -> Result<(), String> {
        self.save()?;
        if self.lock_state().swept.is_none() {
            self.spill_dir.remove_all();
        }
        Ok(())
    }

    /// Removes the checkpoint file, the spill folder and the other files that belong to it.
    pub fn discard(self) {
        let Self { file, spill_dir: folder, .. } = self;
        drop(folder);
        file.remove();
    }

    fn lock_state(&self) -> MutexGuard<'_, SeriesCheckpoint> {
        lock(&self.state)
    }
}

impl SweepSaver for SeriesCheckpointer {
    fn begin_line(&self, line: &str, sweeps: usize) -> SavedSweeps {
        let mut state = self.lock_state();
        if state.swept.as_ref().is_none_or(|swept| swept.line != line || swept.numbers.len() != sweeps) {
            state.swept = Some(SavedSweeps::new(line, sweeps));
        }
        state.swept.clone().expect("it was just set")
    }

    fn store(&self) -> &dyn Store {
        &self.spill_dir
    }

    fn add_number(&self, sweep: usize, number: &BigUint) {
        if let Some(swept) = &mut self.lock_state().swept {
            swept.numbers[sweep].push(number.clone());
        }
    }

    fn finish_sweep(&self) {
        if let Some(swept) = &mut self.lock_state().swept {
            swept.suspended = None;
        }
    }
}

impl SnapshotSaver for SeriesCheckpointer {
    fn is_due(&self) -> bool {
        lock(&self.schedule).is_due()
    }

    fn begin_save(&self) {
        lock(&self.schedule).begin_save();
    }

    fn save_snapshot(&self, snapshot: &Snapshot) {
        let set = |at_rest| {
            self.lock_state()
                .swept
                .as_mut()
                .and_then(|swept| std::mem::replace(&mut swept.suspended, at_rest))
        };
        let before = set(Some(snapshot.clone()));
        if let Err(error) = self.save() {
            // The items of the new snapshot are not pinned and will be removed.
            set(before);
            (self.on_failure)(&error);
        }
        lock(&self.schedule).end_save();
    }

    fn report_failure(&self, why: &str) {
        (self.on_failure)(why);
        lock(&self.schedule).end_save();
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Checkpoint, CheckpointFile};
    use super::*;

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

#[cfg(test)]
mod series_checkpointer_tests {
    use super::*;

    #[test]
    fn begin_line_resumes_same_line_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let open = || {
            let state = SeriesCheckpoint::load(&path).map_or_else(
                |_| SeriesCheckpoint { boards: 9, ..SeriesCheckpoint::default() },
                |loaded| loaded.checkpoint,
            );
            let file = CheckpointFile::lock(&path).unwrap();
            SeriesCheckpointer::new(file, state, (Duration::MAX, true), |why| panic!("{why}"))
        };
        let checkpointer = open();
        assert_eq!(checkpointer.begin_line("5x2..6", 2), SavedSweeps::new("5x2..6", 2));
        checkpointer.add_number(1, &7u32.into());
        checkpointer.add_row(serde_json::json!("a row"));
        checkpointer.finish().unwrap();
        let checkpointer = open();
        assert_eq!(checkpointer.current_state().rows.len(), 1);
        let swept = checkpointer.begin_line("5x2..6", 2);
        assert_eq!(swept.numbers, [vec![], vec![7u32.into()]]);
        assert_eq!(checkpointer.begin_line("6x2..6", 1), SavedSweeps::new("6x2..6", 1));
        checkpointer.finish_line();
        checkpointer.finish().unwrap();
        assert_eq!(open().current_state().swept, None);
    }
}
