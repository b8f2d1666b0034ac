//! The checkpoint of a series: one file for all boards.
//!
//! ```text
//! FILE          completed rows, state of the sweeps of a line, and the command
//! FILE.sweep    layers of a suspended sweep
//! FILE.5x17     if boards are counted one by one: checkpoint of the current board, removed when it is done
//! ```

use std::path::{Path, PathBuf};

use super::config::SeriesRun;
use crate::cli::checkpoint_lock::lock_checkpoint;
use crate::cli::error::CliError;
use crate::cli::format_units::format_sweep_progress;
use crate::cli::run::DEFAULT_CHECKPOINT_INTERVAL;
use crate::report::{BoardRow, print_notice, print_warning};
use ktour::batch::{CheckpointFile, SeriesCheckpoint, SeriesCheckpointer, now_utc, with_suffix};
use ktour::board::Rectangle;

/// The open checkpoint of a series, and the rows of earlier sessions.
pub struct SeriesSession {
    pub checkpointer: SeriesCheckpointer,
    /// Rows of earlier sessions.
    pub earlier_rows: Vec<BoardRow>,
}

/// Returns the checkpoint file of one board while it is counted.
pub fn board_checkpoint_path(file: &Path, board: &Rectangle) -> PathBuf {
    with_suffix(file, &format!(".{board}"))
}

/// Returns the command line, so that a later run can parse it again.
///
/// # Errors
/// An argument is not valid Unicode.
fn command_line() -> Result<Vec<String>, CliError> {
    let word = |word: std::ffi::OsString| {
        let unreadable = |word| {
            CliError::usage(format!(
                "--checkpoint: the argument {} cannot be saved because it is not valid Unicode; rename it",
                PathBuf::from(word).display()
            ))
        };
        word.into_string().map_err(unreadable)
    };
    std::env::args_os().skip(1).map(word).collect()
}

impl SeriesSession {
    /// Locks the checkpoint for this process and loads it, if it exists.
    ///
    /// # Errors
    /// The file is in use, damaged, or belongs to another job.
    pub fn open(path: &Path, run: &SeriesRun) -> Result<Self, CliError> {
        let file = lock_checkpoint(path)?;
        let path = file.path();
        let other = |what: String| {
            CliError::failed(format!("--checkpoint: {} {what}; name another file", path.display()))
        };
        let job = run.job_line();
        let boards = run.boards.boards().count();
        let mut state = if !CheckpointFile::exists(path) {
            SeriesCheckpoint { job, boards, started: now_utc(), ..SeriesCheckpoint::default() }
        } else if SeriesCheckpoint::exists_at(path) {
            let loaded = SeriesCheckpoint::load(path)?;
            if loaded.checkpoint.job != job {
                return Err(other(format!("belongs to another job ({})", loaded.checkpoint.job)));
            }
            if let Some(error) = loaded.fallback {
                file.rename_damaged()?;
                print_warning(format_args!("{error}; resuming from the previous checkpoint"));
            }
            loaded.checkpoint
        } else {
            return Err(other("is not the checkpoint of a series".to_owned()));
        };
        state.command = run.saved_command.clone().map_or_else(command_line, Ok)?;
        let rows = state.rows.iter().map(|row| serde_json::from_value(row.clone()));
        let before: Vec<BoardRow> = rows
            .collect::<Result<_, _>>()
            .map_err(|error| other(format!("has rows of another version of ktour: {error}")))?;
        let every = run.run_options.checkpoint_every;
        let pace = (every.unwrap_or(DEFAULT_CHECKPOINT_INTERVAL), every.is_none());
        let keeper = SeriesCheckpointer::new(file, state, pace, |error| {
            print_warning(format_args!(
                "cannot save the checkpoint: {error}; the run continues, the previous \
                checkpoint stays valid"
            ));
        });
        Ok(Self { checkpointer: keeper, earlier_rows: before })
    }

    /// Prints the job line by `print_job`, and the point of the resumption. Prints nothing for a new run.
    pub fn print_resumption(&self, print_job: impl FnOnce()) {
        let state = self.checkpointer.resumed_state();
        if state.seconds == 0.0 {
            return;
        }
        print_job();
        let (done, boards, seconds) = (self.earlier_rows.len(), state.boards, state.seconds);
        print_notice(format_args!("resuming after {done} of {boards} boards, {seconds:.1} s"));
        if let Some(snapshot) = state.swept.as_ref().and_then(|swept| swept.suspended.as_ref()) {
            print_notice(format_args!(
                "resuming the current sweep after {}",
                format_sweep_progress(snapshot)
            ));
        }
    }

    /// Adds a row.
    pub fn add_row(&self, row: &BoardRow) {
        self.checkpointer.add_row(serde_json::to_value(row).expect("a row can be written"));
    }

    /// Saves the current state.
    pub fn save(&self) -> Result<(), CliError> {
        self.checkpointer.save().map_err(|error| self.save_error(&error))
    }

    /// Saves the row of a board that was counted alone, and removes its checkpoint.
    pub fn finish_board(&self, board: &Rectangle) -> Result<(), CliError> {
        self.save()?;
        let board_file = board_checkpoint_path(self.checkpointer.file().path(), board);
        if CheckpointFile::exists(&board_file) {
            lock_checkpoint(&board_file)?.remove();
        }
        Ok(())
    }

    /// Returns the advice how to resume the series.
    pub fn resume_hint(&self) -> String {
        format!("resume with: ktour resume {}", self.checkpointer.file().path().display())
    }

    /// Saves the final state.
    pub fn finish(self) -> Result<(), CliError> {
        let path = self.checkpointer.file().path().to_owned();
        let unsaved = |error| CliError::failed(format!("cannot save {}: {error}", path.display()));
        self.checkpointer.finish().map_err(unsaved)
    }

    fn save_error(&self, error: &str) -> CliError {
        CliError::failed(format!("cannot save {}: {error}", self.checkpointer.file().path().display()))
    }
}
