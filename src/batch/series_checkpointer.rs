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

use super::checkpoint::{CheckpointFile, CheckpointFormat, SeriesCheckpoint};
use super::checkpointer::CheckpointSchedule;
use super::spill_dir::SpillDir;
use crate::frontier::{Snapshot, Store};
use crate::lock::lock;
use crate::series::{SavedSweeps, SweepSaver};

/// Saves the progress of a series in a checkpoint file.
pub struct SeriesCheckpointer {
    file: CheckpointFile,
    spill_dir: SpillDir,
    state: Mutex<SeriesCheckpoint>,
    earlier_seconds: f64,
    start_time: Instant,
    schedule: Mutex<CheckpointSchedule>,
    /// Called with the reason if a checkpoint cannot be saved.
    on_failure: fn(&str),
}

impl SeriesCheckpointer {
    /// Creates a checkpointer that continues from `state`. Sweeps are saved every `interval`. If
    /// `limits_overhead`, they are saved less often where saving takes much of the time.
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

    /// Returns the number of bytes that layers may take on the disk, if it is known.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        self.spill_dir.free_bytes().ok()
    }

    /// Returns the saved state, with the seconds of the earlier sessions only.
    #[must_use]
    pub fn resumed_state(&self) -> SeriesCheckpoint {
        self.lock_state().clone()
    }

    /// Returns the present state.
    #[must_use]
    pub fn current_state(&self) -> SeriesCheckpoint {
        let state = self.lock_state();
        SeriesCheckpoint {
            seconds: self.earlier_seconds + self.start_time.elapsed().as_secs_f64(),
            ..state.clone()
        }
    }

    /// Adds a row. It is saved with the next checkpoint.
    pub fn add_row(&self, row: serde_json::Value) {
        self.lock_state().rows.push(row);
    }

    /// Removes the state of the line whose sweeps have ended.
    pub fn finish_line(&self) {
        self.lock_state().swept = None;
    }

    /// Saves the present state.
    ///
    /// # Errors
    /// The reason why the state is not saved. The older generations are unchanged then.
    pub fn save(&self) -> Result<(), String> {
        let state = self.current_state();
        let saved = self.spill_dir.sync().and_then(|()| self.file.save(&state));
        saved.map_err(|error| error.to_string())?;
        self.spill_dir
            .pin(state.snapshot().map_or_else(Vec::new, |snapshot| snapshot.store_numbers().collect()));
        Ok(())
    }

    /// Saves the last state, and releases the file.
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

    /// Removes the file and its sidecar files.
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

    fn is_due(&self) -> bool {
        lock(&self.schedule).is_due()
    }

    fn begin_save(&self) {
        lock(&self.schedule).begin_save();
    }

    fn save_sweep(&self, snapshot: &Snapshot) {
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
        let keeper = open();
        assert_eq!(keeper.begin_line("5x2..6", 2), SavedSweeps::new("5x2..6", 2));
        keeper.add_number(1, &7u32.into());
        keeper.add_row(serde_json::json!("a row"));
        keeper.finish().unwrap();
        let keeper = open();
        assert_eq!(keeper.current_state().rows.len(), 1);
        let swept = keeper.begin_line("5x2..6", 2);
        assert_eq!(swept.numbers, [vec![], vec![7u32.into()]]);
        assert_eq!(keeper.begin_line("6x2..6", 1), SavedSweeps::new("6x2..6", 1));
        keeper.finish_line();
        keeper.finish().unwrap();
        assert_eq!(open().current_state().swept, None);
    }
}
