//! The checkpointer of a series receives rows as they are computed, and the state of sweeps that are to be
//! saved.
//!
//! ```text
//! rows, numbers of a sweep -> SeriesCheckpointer -> SeriesCheckpoint -> file
//! suspended sweep -> SpillDir ------------------------^
//! ```

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use num_bigint::BigUint;

use super::checkpoint::{CheckpointFile, FamilyCheckpoint, Saved};
use super::folder::Folder;
use super::pace::Pace;
use crate::frontier::{Snapshot, Store};
use crate::lock::lock;
use crate::series::{Rest, Swept};

/// Saves the progress of a series in a checkpoint file.
pub struct FamilyKeeper {
    file: CheckpointFile,
    folder: Folder,
    state: Mutex<FamilyCheckpoint>,
    before: f64,
    began: Instant,
    pace: Mutex<Pace>,
    /// Called with the reason if a checkpoint cannot be saved.
    failed: fn(&str),
}

impl FamilyKeeper {
    /// Creates a checkpointer that continues from `state`. Sweeps are saved every `interval`. If
    /// `limits_overhead`, they are saved less often where saving takes much of the time.
    #[must_use]
    pub fn new(
        file: CheckpointFile,
        state: FamilyCheckpoint,
        (interval, spares): (Duration, bool),
        failed: fn(&str),
    ) -> Self {
        Self {
            folder: file.folder_of::<FamilyCheckpoint>(),
            file,
            before: state.seconds,
            began: Instant::now(),
            state: Mutex::new(state),
            pace: Mutex::new(Pace::new(interval, spares)),
            failed,
        }
    }

    /// Returns the checkpoint file.
    #[must_use]
    pub const fn file(&self) -> &CheckpointFile {
        &self.file
    }

    /// Returns the number of bytes that layers may take on the disk, if it is known.
    #[must_use]
    pub fn free(&self) -> Option<u64> {
        self.folder.free().ok()
    }

    /// Returns the saved state, with the seconds of the earlier sessions only.
    #[must_use]
    pub fn begun(&self) -> FamilyCheckpoint {
        self.held().clone()
    }

    /// Returns the present state.
    #[must_use]
    pub fn state(&self) -> FamilyCheckpoint {
        let state = self.held();
        FamilyCheckpoint { seconds: self.before + self.began.elapsed().as_secs_f64(), ..state.clone() }
    }

    /// Adds a row. It is saved with the next checkpoint.
    pub fn add(&self, row: serde_json::Value) {
        self.held().rows.push(row);
    }

    /// Removes the state of the line whose sweeps have ended.
    pub fn line_is_done(&self) {
        self.held().swept = None;
    }

    /// Saves the present state.
    ///
    /// # Errors
    /// The reason why the state is not saved. The older generations are unchanged then.
    pub fn save(&self) -> Result<(), String> {
        let state = self.state();
        let saved = self.folder.sync().and_then(|()| self.file.save(&state));
        saved.map_err(|error| error.to_string())?;
        self.folder.pin(state.snapshot().map_or_else(Vec::new, |snapshot| snapshot.numbers().collect()));
        Ok(())
    }

    /// Saves the last state, and releases the file.
    ///
    /// # Errors
    /// The errors of [`SeriesCheckpointer::save`].
    pub fn end(self) -> Result<(), String> {
        self.save()?;
        if self.held().swept.is_none() {
            self.folder.clear();
        }
        Ok(())
    }

    /// Removes the file and its sidecar files.
    pub fn discard(self) {
        let Self { file, folder, .. } = self;
        drop(folder);
        file.remove();
    }

    fn held(&self) -> MutexGuard<'_, FamilyCheckpoint> {
        lock(&self.state)
    }
}

impl Rest for FamilyKeeper {
    fn begin(&self, line: &str, sweeps: usize) -> Swept {
        let mut state = self.held();
        if state.swept.as_ref().is_none_or(|swept| swept.line != line || swept.numbers.len() != sweeps) {
            state.swept = Some(Swept::new(line, sweeps));
        }
        state.swept.clone().expect("it was just set")
    }

    fn store(&self) -> &dyn Store {
        &self.folder
    }

    fn known(&self, sweep: usize, number: &BigUint) {
        if let Some(swept) = &mut self.held().swept {
            swept.numbers[sweep].push(number.clone());
        }
    }

    fn done(&self) {
        if let Some(swept) = &mut self.held().swept {
            swept.at_rest = None;
        }
    }

    fn is_due(&self) -> bool {
        lock(&self.pace).is_due()
    }

    fn resting(&self) {
        lock(&self.pace).resting();
    }

    fn rest(&self, snapshot: &Snapshot) {
        let set = |at_rest| {
            self.held().swept.as_mut().and_then(|swept| std::mem::replace(&mut swept.at_rest, at_rest))
        };
        let before = set(Some(snapshot.clone()));
        if let Err(error) = self.save() {
            // The items of the new snapshot are not pinned and will be removed.
            set(before);
            (self.failed)(&error);
        }
        lock(&self.pace).rested();
    }

    fn not_saved(&self, why: &str) {
        (self.failed)(why);
        lock(&self.pace).rested();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_had_begun_goes_on_and_another_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let open = || {
            let state = FamilyCheckpoint::load(&path).map_or_else(
                |_| FamilyCheckpoint { boards: 9, ..FamilyCheckpoint::default() },
                |loaded| loaded.checkpoint,
            );
            let file = CheckpointFile::lock(&path).unwrap();
            FamilyKeeper::new(file, state, (Duration::MAX, true), |why| panic!("{why}"))
        };
        let keeper = open();
        assert_eq!(keeper.begin("5x2..6", 2), Swept::new("5x2..6", 2));
        keeper.known(1, &7u32.into());
        keeper.add(serde_json::json!("a row"));
        keeper.end().unwrap();
        let keeper = open();
        assert_eq!(keeper.state().rows.len(), 1);
        let swept = keeper.begin("5x2..6", 2);
        assert_eq!(swept.numbers, [vec![], vec![7u32.into()]]);
        assert_eq!(keeper.begin("6x2..6", 1), Swept::new("6x2..6", 1));
        keeper.line_is_done();
        keeper.end().unwrap();
        assert_eq!(open().state().swept, None);
    }
}
