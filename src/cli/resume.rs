//! `ktour resume`: go on with an interrupted run.

use std::path::PathBuf;

use clap::Args;

use super::failure::Failure;
use super::run::{RunArgs, Start};
use super::wanted::Wanted;
use crate::batch::{Checkpoint, CheckpointFile};
use crate::report::tell;

/// Go on with an interrupted run.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    how: RunArgs,
}

impl ResumeArgs {
    /// Goes on.
    pub fn run(&self) -> Result<(), Failure> {
        if !CheckpointFile::exists(&self.file) {
            // A wrong name leaves no lock behind.
            Checkpoint::load(&self.file)?;
        }
        // Nobody else may be writing while it is read.
        let lock = CheckpointFile::lock(&self.file)?;
        let loaded = Checkpoint::load(&self.file)?;
        if let Some(error) = loaded.fallback {
            lock.set_aside()?;
            tell(format_args!("warning: {error}; going on from the generation before"));
        }
        let checkpoint = loaded.checkpoint;
        let wanted: Wanted = serde_json::from_value(checkpoint.output.clone()).map_err(|error| {
            Failure::failed(format!("{} has unknown options: {error}", self.file.display()))
        })?;
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
}
