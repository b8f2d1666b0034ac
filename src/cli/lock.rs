//! The lock on a checkpoint file: one process writes at a time.

use std::path::Path;
use std::time::Duration;

use crate::report::tell;
use ktour::batch::{CheckpointError, CheckpointFile};

/// Longest wait for a lock. A killed run with many gigabytes holds its lock for seconds, until the system has
/// freed its memory.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locks a checkpoint file for this process. Prints a line if it has to wait.
pub fn lock(path: &Path) -> Result<CheckpointFile, CheckpointError> {
    CheckpointFile::lock_within(path, PATIENCE, || {
        let (path, seconds) = (path.display(), PATIENCE.as_secs());
        tell(format_args!("{path} is in use by another run; waiting up to {seconds} s"));
    })
}
