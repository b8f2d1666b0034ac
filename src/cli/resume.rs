//! `ktour resume`: resumes an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::how::RunArgs;
use super::lock::lock;
use super::ranks::{is_first, ranks, together};
use super::run::Start;
use super::wanted::Wanted;
use crate::report::warn;
use ktour::batch::{Checkpoint, CheckpointFile, FamilyCheckpoint};

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
    how: RunArgs,
}

impl ResumeArgs {
    /// Returns the file, the run options and the saved command, if the file is the checkpoint of a series.
    pub fn family(&self) -> Result<Option<(PathBuf, RunArgs, Vec<String>)>, Failure> {
        if !FamilyCheckpoint::is_at(&self.file) {
            return Ok(None);
        }
        let asked = FamilyCheckpoint::load(&self.file)?.checkpoint.command;
        Ok(Some((self.file.clone(), self.how.clone(), asked)))
    }

    /// Resumes the run.
    pub fn run(&self) -> Result<(), Failure> {
        let (checkpoint, lock, wanted) = together(self.load())?;
        Start {
            request: checkpoint.job.request.clone(),
            shard: checkpoint.job.shard,
            wanted,
            how: self.how.clone(),
            checkpoint: None,
            resumed: Some((checkpoint, lock)),
        }
        .run()
    }

    fn load(&self) -> Result<(Checkpoint, CheckpointFile, Wanted), Failure> {
        let file = ranks().map_or(self.file.clone(), |ranks| ranks.own(&self.file));
        if !CheckpointFile::exists(&file) && ranks().is_some() && !is_first() {
            let why = format!("{} does not exist; resume with the same number of ranks", file.display());
            return Err(Failure::failed(why));
        }
        if !CheckpointFile::exists(&file) && !CheckpointFile::may_be_taken(&file) {
            // A misspelt name must not leave a lock file behind.
            Checkpoint::load(&file)?;
        }
        // No other process may write while the checkpoint is read.
        let lock = lock(&file)?;
        let loaded = Checkpoint::load(&file)?;
        if let Some(error) = loaded.fallback {
            lock.set_aside()?;
            warn(format_args!("{error}; resuming from the previous checkpoint"));
        }
        let checkpoint = loaded.checkpoint;
        let wanted = serde_json::from_value(checkpoint.output.clone()).map_err(|error| {
            Failure::failed(format!(
                "{} has unknown options ({error}); resume with the \
                version of ktour that wrote it",
                file.display()
            ))
        })?;
        Ok((checkpoint, lock, wanted))
    }
}
