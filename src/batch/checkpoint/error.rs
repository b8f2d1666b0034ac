//! What can be wrong with a checkpoint.

use std::io;
use std::path::PathBuf;

/// Version of the form: the first line of a checkpoint.
pub const HEAD: &str = "ktour checkpoint 3";

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
    /// Another version of the form.
    #[error(
        "{0} has another format: it begins `{1}`, not `{HEAD}`; go on with the version of ktour that saved it",
        .path.display(), .head
    )]
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
