//! Errors of checkpoints, and the common form of all checkpoint files.

use std::io;
use std::path::PathBuf;

/// First line of the checkpoint of a count. The number is the version of the format.
pub const COUNT_HEADER: &str = "ktour checkpoint 3";

/// First line of the checkpoint of a series. The number is the version of the format.
pub const SERIES_HEADER: &str = "ktour family 1";

/// The reason why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}", .path.display(), .source)]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file has another version of the format, or is the checkpoint of a series instead of a count, or
    /// the other way round.
    #[error("{0} has another format: it begins with `{1}`, not with {2}", .path.display(), .header, describe_expected(.header))]
    Format {
        /// The file.
        path: PathBuf,
        /// The first line of the file, with invalid UTF-8 replaced.
        header: String,
    },
    /// The file is truncated, changed, or not a checkpoint.
    #[error("{0} is damaged: {1}", .path.display(), .reason)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Another process writes the file.
    #[error("{0} is in use by another run; wait until it ends, or give another file", .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The path is a folder, a device or a pipe.
    #[error("{0} is not a regular file; give another path for the checkpoint", .path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The folder of the file does not exist.
    #[error("cannot write {0}: there is no folder {1}; create it first", .path.display(), .folder.display())]
    MissingFolder {
        /// The file.
        path: PathBuf,
        /// The missing folder.
        folder: PathBuf,
    },
    /// The lock file cannot be created or locked.
    #[error("cannot lock {0}: {1}", .path.display(), .source)]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
}

/// Returns the expected first line of a checkpoint, with a remedy, for the error about the first line `head`.
fn describe_expected(head: &str) -> String {
    match head {
        COUNT_HEADER => {
            format!("`{SERIES_HEADER}`; it is the checkpoint of one board, resume that count with it")
        }
        SERIES_HEADER => {
            format!("`{COUNT_HEADER}`; it is the checkpoint of a series, resume that series with it")
        }
        head => {
            let expected = if head.starts_with("ktour family ") { SERIES_HEADER } else { COUNT_HEADER };
            format!("`{expected}`; resume it with the version of ktour that saved it")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_error_names_both_headers() {
        let head = "ktour checkpoint 2".to_owned();
        let error = CheckpointError::Format { path: "run".into(), header: head };
        let line = error.to_string();
        for named in ["run ", "`ktour checkpoint 2`", "`ktour checkpoint 3`", "version of ktour"] {
            assert!(line.contains(named), "{line}");
        }
    }
}
