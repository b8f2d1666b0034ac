//! The checkpoint of a range: one file for all of its boards.
//!
//! ```text
//! FILE          rows that are done, how far the sweeps of a line are, and the command
//! FILE.sweep    layers of a sweep at rest
//! FILE.5x17     where boards are counted one by one: the one that had begun; it goes when it is done
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

/// What a range keeps, and the rows that it has kept before.
pub struct Kept {
    pub keeper: FamilyKeeper,
    /// Rows of an earlier sitting.
    pub before: Vec<BoardRow>,
}

/// The checkpoint of one of the boards, while it is counted.
pub fn of_board(file: &Path, board: &Board) -> PathBuf {
    with_suffix(file, &format!(".{board}"))
}

/// The command as it was typed, to be read again.
fn command() -> Result<Vec<String>, Failure> {
    let word = |word: std::ffi::OsString| {
        let unreadable = |word| {
            Failure::usage(format!(
                "--checkpoint: {} cannot be saved: it is no text",
                PathBuf::from(word).display()
            ))
        };
        word.into_string().map_err(unreadable)
    };
    std::env::args_os().skip(1).map(word).collect()
}

impl Kept {
    /// Takes the file for this process, and reads what is kept in it.
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
                warn(format_args!("{error}; going on from the generation before"));
            }
            loaded.checkpoint
        } else {
            return Err(other("is not that of a range of boards".to_owned()));
        };
        state.command = run.asked.clone().map_or_else(command, Ok)?;
        let rows = state.rows.iter().map(|row| serde_json::from_value(row.clone()));
        let before: Vec<BoardRow> = rows
            .collect::<Result<_, _>>()
            .map_err(|error| other(format!("has rows of another version of ktour: {error}")))?;
        let every = run.how.checkpoint_every;
        let pace = (every.unwrap_or(CHECKPOINT_EVERY), every.is_none());
        let keeper = FamilyKeeper::new(file, state, pace, |error| {
            warn(format_args!("cannot save the checkpoint: {error}; the last one stands, the run goes on"));
        });
        Ok(Self { keeper, before })
    }

    /// Says from where it goes on, if there is something, after the job.
    pub fn tell(&self, tell_job: impl FnOnce()) {
        let state = self.keeper.begun();
        if state.seconds == 0.0 {
            return;
        }
        tell_job();
        let (done, boards, seconds) = (self.before.len(), state.boards, state.seconds);
        tell(format_args!("going on after {done} of {boards} boards, {seconds:.1} s"));
        if let Some(snapshot) = state.swept.as_ref().and_then(|swept| swept.at_rest.as_ref()) {
            tell(format_args!("the sweep that had begun goes on after {}", rest_of(snapshot)));
        }
    }

    /// Keeps a row.
    pub fn add(&self, row: &BoardRow) {
        self.keeper.add(serde_json::to_value(row).expect("a row can be written"));
    }

    /// Saves what is done.
    pub fn save(&self) -> Result<(), Failure> {
        self.keeper.save().map_err(|error| self.unsaved(&error))
    }

    /// A board that was counted by itself is done: its row is saved, and its own checkpoint goes.
    pub fn board_is_done(&self, board: &Board) -> Result<(), Failure> {
        self.save()?;
        let own = of_board(self.keeper.file().path(), board);
        if CheckpointFile::exists(&own) {
            lock(&own)?.remove();
        }
        Ok(())
    }

    /// How the range goes on.
    pub fn how(&self) -> String {
        format!("go on with: ktour resume {}", self.keeper.file().path().display())
    }

    /// Saves the last state.
    pub fn end(self) -> Result<(), Failure> {
        let path = self.keeper.file().path().to_owned();
        let unsaved = |error| Failure::failed(format!("{} could not be saved: {error}", path.display()));
        self.keeper.end().map_err(unsaved)
    }

    fn unsaved(&self, error: &str) -> Failure {
        Failure::failed(format!("{} could not be saved: {error}", self.keeper.file().path().display()))
    }
}
