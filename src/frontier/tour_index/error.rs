//! The error type of an index of tours: reasons why it cannot be built or read.

use std::io;
use std::path::{Path, PathBuf};

use crate::budget::Refusal;
use crate::frontier::ranks::error::Error;
use crate::memory::format_bytes;
use crate::text_format::describe_io_error;

/// The reason why an index of tours cannot be built or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexLayersError {
    /// An error of the sweep that makes the layers.
    #[error(transparent)]
    Sweep(#[from] Error),
    /// The frontier has too many slots for layers of blocks.
    #[error("the frontier has {width} slots, too wide for an index of all tours")]
    Width {
        /// Number of slots of the frontier.
        width: usize,
    },
    /// The board has more squares than an index supports.
    #[error("the board has {squares} squares, and an index supports at most {}", u16::MAX - 1)]
    TooManySquares {
        /// Number of squares of the board.
        squares: usize,
    },
    /// Memory is insufficient for the completions of two layers.
    #[error(
        "statistics of all moves need at least {} of memory, but only {} may be used",
        format_bytes(*needed),
        format_bytes(*limit)
    )]
    Memory {
        /// Smallest number of bytes that the process needs.
        needed: u64,
        /// Memory limit in bytes.
        limit: u64,
    },
    /// The index needs more time, memory or disk space than it may use.
    #[error("an index {}; use a smaller board", .0.shortage)]
    Refused(Box<Refusal>),
    /// An operation on a file or folder failed.
    #[error("{}: {}", path.display(), describe_io_error(source))]
    File {
        /// Path of the file or folder.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The folder contains something else than the index of these tours.
    #[error("{} is {what}", path.display())]
    ForeignFolder {
        /// Path of the folder.
        path: PathBuf,
        /// Description of the folder, such as "an index with another numbering of the tours".
        what: String,
    },
    /// The folder contains an index of other tours.
    #[error("{} is an index of other tours: {found}, not {wanted}", path.display())]
    OtherTours {
        /// Path of the folder.
        path: PathBuf,
        /// Description of the tours of the index in the folder.
        found: String,
        /// Description of the tours that were asked for.
        wanted: String,
    },
    /// Another process is building an index in this folder.
    #[error("another process is building an index in {}; wait until it ends", .0.display())]
    Locked(PathBuf),
    /// A layer is missing, or differs from the layer that was written.
    #[error(
        "layer {step} of the index is {}{}",
        damage_kind(path.as_deref()),
        path_suffix(path.as_deref())
    )]
    Damaged {
        /// Number of the layer's step, from 1.
        step: usize,
        /// File of the layer; `None` if the layer is in memory.
        path: Option<PathBuf>,
    },
    /// The edges form no tour that has a number.
    #[error("the edges form none of the numbered tours")]
    NotATour,
}

fn damage_kind(path: Option<&Path>) -> &'static str {
    if path.is_some_and(|path| !path.exists()) { "missing" } else { "damaged" }
}

fn path_suffix(path: Option<&Path>) -> String {
    path.map_or(String::new(), |path| format!(": {}", path.display()))
}

impl IndexLayersError {
    /// Returns a function that wraps a system error into an error about `path`.
    pub(super) fn file_error(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| {
            // The system error may contain a temporary file name, which means nothing to the user.
            let source = if source.get_ref().is_some() { source.kind().into() } else { source };
            Self::File { path: path.to_owned(), source }
        }
    }
}
