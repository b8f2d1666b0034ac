//! `ktour resume`: go on with an interrupted run.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::common::ProgressArgs;
use super::failure::Failure;
use super::run::{Start, Wanted};
use super::size;
use crate::batch::{Checkpoint, CheckpointFile};
use crate::report::tell;

/// Go on with an interrupted run.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Seconds between checkpoints
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86400))]
    checkpoint_every: u64,

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
            checkpoint: Some((self.file.clone(), Duration::from_secs(self.checkpoint_every))),
            resumed: Some(checkpoint),
            memory: self.memory,
            verbose: self.verbose,
        }
        .run()
    }
}
