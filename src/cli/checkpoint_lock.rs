//! The lock on a checkpoint file: one process writes at a time.

use std::path::Path;
use std::time::Duration;

use crate::report::print_notice;
use ktour::batch::{CheckpointError, CheckpointFile};

/// Longest wait for a lock. A killed run with many gigabytes holds its lock for seconds, until the system has
/// freed its memory.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Locks a checkpoint file for this process. Prints a line if it has to wait.
pub fn lock_checkpoint(path: &Path) -> Result<CheckpointFile, CheckpointError> {
    CheckpointFile::lock_within(path, LOCK_TIMEOUT, || {
        let (path, seconds) = (path.display(), LOCK_TIMEOUT.as_secs());
        print_notice(format_args!("{path} is in use by another run; waiting up to {seconds} s"));
    })
}
