//! `ktour resume`: resumes an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::args::output_options::OutputOptions;
use super::args::run_options::RunOptions;
use super::error::CliError;
use super::mpi::{is_first_rank, mpi_ranks, require_all};
use super::run::RunRequest;
use super::run::context::lock_checkpoint;
use crate::report::print_warning;
use ktour::batch::{Checkpoint, CheckpointFile, SeriesCheckpoint};

const EXAMPLES: &str = "\
Examples:
  ktour count 7x7 --kind paths --engine multipath --checkpoint run.ckpt
  ktour resume run.ckpt                 after an interrupt, a crash, a power cut
  ktour resume run.ckpt --threads 64    on another machine
  ktour series 5x2..400 --kind closed --checkpoint rows.ckpt
  ktour resume rows.ckpt                all rows, saved rows first

The checkpoint stores what is counted and where the result goes; run options may change.";

/// Resume an interrupted run
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    run_options: RunOptions,
}

impl ResumeArgs {
    /// Returns the file, the run options and the saved command line if the file is the checkpoint
    /// of a series, otherwise `None`.
    pub fn load_series(&self) -> Result<Option<(PathBuf, RunOptions, Vec<String>)>, CliError> {
        if !SeriesCheckpoint::exists_at(&self.file) {
            return Ok(None);
        }
        let command = SeriesCheckpoint::load(&self.file)?.checkpoint.command;
        Ok(Some((self.file.clone(), self.run_options.clone(), command)))
    }

    /// Resumes the count of one board from its checkpoint.
    pub fn run(&self) -> Result<(), CliError> {
        let (checkpoint, lock, output) = require_all(self.load_count())?;
        RunRequest {
            request: checkpoint.job.request.clone(),
            shard: checkpoint.job.shard,
            output,
            run_options: self.run_options.clone(),
            checkpoint: None,
            resumed_checkpoint: Some((checkpoint, lock)),
        }
        .run()
    }

    fn load_count(&self) -> Result<(Checkpoint, CheckpointFile, OutputOptions), CliError> {
        let file = mpi_ranks().map_or(self.file.clone(), |ranks| ranks.rank_file(&self.file));
        if !CheckpointFile::exists(&file) && mpi_ranks().is_some() && !is_first_rank() {
            let why = format!("{} does not exist; resume with the same number of ranks", file.display());
            return Err(CliError::failed(why));
        }
        if !CheckpointFile::exists(&file) && !CheckpointFile::is_lock_present(&file) {
            // A misspelt name must not leave a lock file behind.
            Checkpoint::load(&file)?;
        }
        // No other process may write while the checkpoint is read.
        let lock = lock_checkpoint(&file)?;
        let loaded = Checkpoint::load(&file)?;
        if let Some(error) = loaded.fallback {
            lock.rename_damaged()?;
            print_warning(format_args!("{error}; resuming from the previous checkpoint"));
        }
        let checkpoint = loaded.checkpoint;
        let output = serde_json::from_value(checkpoint.output.clone()).map_err(|error| {
            CliError::failed(format!(
                "{} has unknown options ({error}); resume with the \
                version of ktour that wrote it",
                file.display()
            ))
        })?;
        Ok((checkpoint, lock, output))
    }
}
