//! `ktour resume`: go on with an interrupted run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::common::ProgressArgs;
use super::failure::Failure;
use super::run::{Start, Wanted};
use super::{size, time};
use crate::batch::{Checkpoint, CheckpointFile};
use crate::report::tell;

/// Go on with an interrupted run.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Time between checkpoints: seconds, or with s, m, h, d
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time::interval)]
    checkpoint_every: Duration,

    /// Ceiling for the memory of a sweep, such as 8G [default: 9/10 of what is available]
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    memory: Option<u64>,

    /// Tell every step of a sweep on standard error
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    progress: ProgressArgs,
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
        drop(lock);
        if let Some(error) = loaded.fallback {
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
            progress: self.progress.mode(),
            checkpoint: Some((self.file.clone(), self.checkpoint_every)),
            resumed: Some(checkpoint),
            memory: self.memory,
            verbose: self.verbose,
        }
        .run()
    }
}
