//! [`RunRequest`] is a counting job as the command line or a checkpoint gives it, before its files are
//! opened.

use std::path::PathBuf;

use crate::cli::how::RunArgs;
use crate::cli::wanted::Wanted;
use ktour::batch::{Checkpoint, CheckpointFile, Shard};
use ktour::count::Request;

/// A request to run a counting job.
#[derive(Debug)]
pub struct Start {
    /// Tours to count.
    pub request: Request,
    /// Shard of the job to run.
    pub shard: Shard,
    /// Output options.
    pub wanted: Wanted,
    /// Options that do not change the result.
    pub how: RunArgs,
    /// Checkpoint file of a new run.
    pub checkpoint: Option<PathBuf>,
    /// Loaded checkpoint of a resumed run, and its file, which is locked since it was read.
    pub resumed: Option<(Checkpoint, CheckpointFile)>,
}
