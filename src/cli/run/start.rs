//! [`RunRequest`] is a counting job as the command line or a checkpoint gives it, before its files are
//! opened.

use std::path::PathBuf;

use crate::cli::how::RunOptions;
use crate::cli::wanted::OutputOptions;
use ktour::batch::{Checkpoint, CheckpointFile, Shard};
use ktour::count::Request;

/// A request to run a counting job.
#[derive(Debug)]
pub struct RunRequest {
    /// Tours to count.
    pub request: Request,
    /// Shard of the job to run.
    pub shard: Shard,
    /// Output options.
    pub output: OutputOptions,
    /// Options that do not change the result.
    pub run_options: RunOptions,
    /// Checkpoint file of a new run.
    pub checkpoint: Option<PathBuf>,
    /// Loaded checkpoint of a resumed run, and its file, which is locked since it was read.
    pub resumed_checkpoint: Option<(Checkpoint, CheckpointFile)>,
}
