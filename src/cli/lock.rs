//! The lock on a checkpoint: one writer at a time, and patience with one that is just ending.

use std::path::Path;
use std::time::Duration;

use crate::report::tell;
use ktour::batch::{CheckpointError, CheckpointFile};

/// How long a lock is waited for. A run of many gigabytes that was killed holds its lock for seconds, until the
/// system has taken all of its memory back.
const PATIENCE: Duration = Duration::from_secs(5);

/// Takes a checkpoint file for this process; says so if that takes a while.
pub fn lock(path: &Path) -> Result<CheckpointFile, CheckpointError> {
    CheckpointFile::lock_within(path, PATIENCE, || {
        let (path, seconds) = (path.display(), PATIENCE.as_secs());
        tell(format_args!("{path} is in use by another run: waiting up to {seconds} s for it to end"));
    })
}
