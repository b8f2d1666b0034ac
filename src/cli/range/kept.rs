//! The checkpoint of a series: one file for all boards.
//!
//! ```text
//! FILE          completed rows, state of the sweeps of a line, and the command
//! FILE.sweep    layers of a suspended sweep
//! FILE.5x17     if boards are counted one by one: checkpoint of the current board, removed when it is done
//! ```

use std::path::{Path, PathBuf};

use super::asked::RangeRun;
use crate::cli::failure::Failure;
use crate::cli::human::rest_of;
use crate::cli::lock::lock;
use crate::cli::run::CHECKPOINT_EVERY;
use crate::report::{BoardRow, tell, warn};
use ktour::batch::{CheckpointFile, FamilyCheckpoint, FamilyKeeper, now, with_suffix};
use ktour::board::Board;

/// The open checkpoint of a series, and the rows of earlier sessions.
pub struct Kept {
    pub keeper: FamilyKeeper,
    /// Rows of earlier sessions.
    pub before: Vec<BoardRow>,
}

/// Returns the checkpoint file of one board while it is counted.
pub fn of_board(file: &Path, board: &Board) -> PathBuf {
    with_suffix(file, &format!(".{board}"))
}

/// Returns the command line, so that a later run can parse it again.
///
/// # Errors
/// An argument is not valid Unicode.
fn command() -> Result<Vec<String>, Failure> {
    let word = |word: std::ffi::OsString| {
        let unreadable = |word| {
            Failure::usage(format!(
                "--checkpoint: the argument {} cannot be saved because it is not valid Unicode; rename it",
                PathBuf::from(word).display()
            ))
        };
        word.into_string().map_err(unreadable)
    };
    std::env::args_os().skip(1).map(word).collect()
}

impl Kept {
    /// Locks the checkpoint for this process and loads it, if it exists.
    ///
    /// # Errors
    /// The file is in use, damaged, or belongs to another job.
    pub fn open(path: &Path, run: &RangeRun) -> Result<Self, Failure> {
        let file = lock(path)?;
        let path = file.path();
        let other = |what: String| {
            Failure::failed(format!("--checkpoint: {} {what}; name another file", path.display()))
        };
        let job = run.what();
        let boards = run.boards.boards().count();
        let mut state = if !CheckpointFile::exists(path) {
            FamilyCheckpoint { job, boards, started: now(), ..FamilyCheckpoint::default() }
        } else if FamilyCheckpoint::is_at(path) {
            let loaded = FamilyCheckpoint::load(path)?;
            if loaded.checkpoint.job != job {
                return Err(other(format!("belongs to another job ({})", loaded.checkpoint.job)));
            }
            if let Some(error) = loaded.fallback {
                file.set_aside()?;
                warn(format_args!("{error}; resuming from the previous checkpoint"));
            }
            loaded.checkpoint
        } else {
            return Err(other("is not the checkpoint of a series".to_owned()));
        };
        state.command = run.asked.clone().map_or_else(command, Ok)?;
        let rows = state.rows.iter().map(|row| serde_json::from_value(row.clone()));
        let before: Vec<BoardRow> = rows
            .collect::<Result<_, _>>()
            .map_err(|error| other(format!("has rows of another version of ktour: {error}")))?;
        let every = run.how.checkpoint_every;
        let pace = (every.unwrap_or(CHECKPOINT_EVERY), every.is_none());
        let keeper = FamilyKeeper::new(file, state, pace, |error| {
            warn(format_args!(
                "cannot save the checkpoint: {error}; the run continues, the previous \
                checkpoint stays valid"
            ));
        });
        Ok(Self { keeper, before })
    }

    /// Prints the job line by `print_job`, and the point of the resumption. Prints nothing for a new run.
    pub fn tell(&self, tell_job: impl FnOnce()) {
        let state = self.keeper.begun();
        if state.seconds == 0.0 {
            return;
        }
        tell_job();
        let (done, boards, seconds) = (self.before.len(), state.boards, state.seconds);
        tell(format_args!("resuming after {done} of {boards} boards, {seconds:.1} s"));
        if let Some(snapshot) = state.swept.as_ref().and_then(|swept| swept.at_rest.as_ref()) {
            tell(format_args!("resuming the current sweep after {}", rest_of(snapshot)));
        }
    }

    /// Adds a row.
    pub fn add(&self, row: &BoardRow) {
        self.keeper.add(serde_json::to_value(row).expect("a row can be written"));
    }

    /// Saves the current state.
    pub fn save(&self) -> Result<(), Failure> {
        self.keeper.save().map_err(|error| self.unsaved(&error))
    }

    /// Saves the row of a board that was counted alone, and removes its checkpoint.
    pub fn board_is_done(&self, board: &Board) -> Result<(), Failure> {
        self.save()?;
        let own = of_board(self.keeper.file().path(), board);
        if CheckpointFile::exists(&own) {
            lock(&own)?.remove();
        }
        Ok(())
    }

    /// Returns the advice how to resume the series.
    pub fn how(&self) -> String {
        format!("resume with: ktour resume {}", self.keeper.file().path().display())
    }

    /// Saves the final state.
    pub fn end(self) -> Result<(), Failure> {
        let path = self.keeper.file().path().to_owned();
        let unsaved = |error| Failure::failed(format!("cannot save {}: {error}", path.display()));
        self.keeper.end().map_err(unsaved)
    }

    fn unsaved(&self, error: &str) -> Failure {
        Failure::failed(format!("cannot save {}: {error}", self.keeper.file().path().display()))
    }
}
