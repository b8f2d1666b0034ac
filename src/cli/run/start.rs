//! A job as the command line or a checkpoint gives it.

use std::path::PathBuf;

use crate::cli::how::RunArgs;
use crate::cli::wanted::Wanted;
use ktour::batch::{Checkpoint, CheckpointFile, Shard};
use ktour::count::Request;

/// A job to be run.
#[derive(Debug)]
pub struct Start {
    /// What to count.
    pub request: Request,
    /// Which part of it.
    pub shard: Shard,
    /// How to report.
    pub wanted: Wanted,
    /// How to run it.
    pub how: RunArgs,
    /// Where to save progress.
    pub checkpoint: Option<PathBuf>,
    /// What a checkpoint says is done already, and the lock on it, held since it was read.
    pub resumed: Option<(Checkpoint, CheckpointFile)>,
}
