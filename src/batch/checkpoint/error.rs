//! What can be wrong with a checkpoint.

use std::io;
use std::path::PathBuf;

/// Version of the form: the first line of a checkpoint.
pub const HEAD: &str = "ktour checkpoint 3";

/// The same of the checkpoint of a family of boards.
pub const FAMILY: &str = "ktour family 1";

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read.
    #[error("cannot read {0}: {1}", .path.display(), .source)]
    Read {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
    /// Another version of the form, or of a family and not of a board, or the other way round.
    #[error("{0} has another format: it begins `{1}`, not {2}", .path.display(), .head, other(.head))]
    Format {
        /// The file.
        path: PathBuf,
        /// Its first line, as far as it is text.
        head: String,
    },
    /// Cut, changed or not a checkpoint.
    #[error("{0} is damaged: {1}", .path.display(), .what)]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Somebody else writes it.
    #[error("{0} is in use by another run", .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A folder, a device or a pipe.
    #[error("{0} is no file that a run can be saved in", .path.display())]
    NoFile {
        /// What is under that name.
        path: PathBuf,
    },
    /// Its folder is missing.
    #[error("cannot write {0}: there is no folder {1}, make it first", .path.display(), .folder.display())]
    NoFolder {
        /// The file.
        path: PathBuf,
        /// Where it should be.
        folder: PathBuf,
    },
    /// The lock cannot be made.
    #[error("cannot lock {0}: {1}", .path.display(), .source)]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What went wrong.
        source: io::Error,
    },
}

/// What a checkpoint should have begun with, and what to do with one that does not.
fn other(head: &str) -> String {
    match head {
        HEAD => format!("`{FAMILY}`; it is that of one board: go on with that"),
        FAMILY => format!("`{HEAD}`; it is that of a range of boards: go on with that"),
        head => {
            let wanted = if head.starts_with("ktour family ") { FAMILY } else { HEAD };
            format!("`{wanted}`; go on with the version of ktour that saved it")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_says_what_to_do() {
        let head = "ktour checkpoint 2".to_owned();
        let error = CheckpointError::Format { path: "run".into(), head };
        let line = "run has another format: it begins `ktour checkpoint 2`, not `ktour checkpoint 3`; \
                    go on with the version of ktour that saved it";
        assert_eq!(error.to_string(), line);
    }
}
