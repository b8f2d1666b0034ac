//! The state of a series of boards, and the checkpointer as the saver of its sweeps.
//!
//! ```text
//! rows, numbers of a sweep -> Checkpointer<SeriesState> -> Checkpoint -> file
//! suspended sweep -> SpillDir --------^
//! ```

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use super::checkpoint::JobState;
use super::checkpointer::Checkpointer;
use crate::frontier::{Snapshot, Store};
use crate::series::{SavedSweeps, SweepSaver};
use crate::text_format::now_utc;

/// The finished rows of a series of boards, and the progress of the sweeps for the boards of one width.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeriesState {
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

impl SeriesState {
    /// Creates the state of a series of `boards` boards that starts now, without rows.
    #[must_use]
    pub fn new(boards: usize) -> Self {
        Self { boards, started: now_utc(), ..Self::default() }
    }
}

/// The text form of the job is chosen by the caller.
impl JobState for SeriesState {
    type Job = String;

    const KIND: &'static str = "series";

    fn describe_progress(&self, _job: &String) -> String {
        format!("{} of {} boards", self.rows.len(), self.boards)
    }

    fn seconds(&self) -> f64 {
        self.seconds
    }

    fn with_seconds(self, seconds: f64) -> Self {
        Self { seconds, ..self }
    }

    fn snapshot(&self) -> Option<&Snapshot> {
        self.swept.as_ref()?.suspended.as_ref()
    }

    fn replace_snapshot(&mut self, _sweep: usize, snapshot: Option<Snapshot>) -> Option<Snapshot> {
        std::mem::replace(&mut self.swept.as_mut()?.suspended, snapshot)
    }

    fn check(&self, _job: &String) -> Result<(), &'static str> {
        if self.rows.len() > self.boards { Err("it has more rows than boards") } else { Ok(()) }
    }
}

impl Checkpointer<'_, SeriesState> {
    /// Adds the finished row of a board. It is saved with the next checkpoint.
    pub fn add_row(&self, row: serde_json::Value) {
        self.lock_state().rows.push(row);
    }

    /// Removes the progress of the sweeps, because all boards of their
    /// [`BoardLine`](crate::series::BoardLine) are counted.
    pub fn finish_line(&self) {
        self.lock_state().swept = None;
    }
}

impl SweepSaver for Checkpointer<'_, SeriesState> {
    fn begin_line(&self, line: &str, sweeps: usize) -> SavedSweeps {
        let mut state = self.lock_state();
        if state.swept.as_ref().is_none_or(|swept| swept.line != line || swept.numbers.len() != sweeps) {
            state.swept = Some(SavedSweeps::new(line, sweeps));
        }
        state.swept.clone().expect("it was just set")
    }

    fn store(&self) -> Option<&dyn Store> {
        self.spill_dir().map(|folder| folder as &dyn Store)
    }

    fn add_number(&self, sweep: usize, number: &BigUint) {
        if let Some(swept) = &mut self.lock_state().swept {
            swept.numbers[sweep].push(number.clone());
        }
    }

    fn finish_sweep(&self) {
        self.lock_state().replace_snapshot(0, None);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::checkpoint::{Checkpoint, CheckpointFile};
    use super::super::checkpointer::SaveOptions;
    use super::*;

    #[test]
    fn begin_line_resumes_same_line_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        let file = CheckpointFile::lock(&path).unwrap();
        let folder = file.spill_dir::<SeriesState>();
        let load = || Checkpoint::<SeriesState>::load(&path).map(|loaded| loaded.checkpoint.state);
        let open = || {
            let saving = SaveOptions {
                file: Some(&file),
                spill_dir: Some(&folder),
                interval: Duration::MAX,
                ..SaveOptions::new(&|why| panic!("{why}"))
            };
            Checkpointer::new("a job".to_owned(), load().unwrap_or_else(|_| SeriesState::new(9)), saving)
        };
        let checkpointer = open();
        assert_eq!(checkpointer.begin_line("5x2..6", 2), SavedSweeps::new("5x2..6", 2));
        checkpointer.add_number(1, &7u32.into());
        checkpointer.add_row(serde_json::json!("a row"));
        checkpointer.save().unwrap();
        let checkpointer = open();
        assert_eq!(checkpointer.current_state().rows.len(), 1);
        let swept = checkpointer.begin_line("5x2..6", 2);
        assert_eq!(swept.numbers, [vec![], vec![7u32.into()]]);
        assert_eq!(checkpointer.begin_line("6x2..6", 1), SavedSweeps::new("6x2..6", 1));
        checkpointer.finish_line();
        checkpointer.save().unwrap();
        assert_eq!(load().unwrap().swept, None);
        file.remove();
        drop((file, folder));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
