//! Why layers cannot be kept or read.

use std::io;
use std::path::{Path, PathBuf};

use crate::frontier::ranks::error::Error;
use crate::memory::in_words;

/// Why an index of tours cannot be made, or says nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrailError {
    /// The sweep that makes the layers.
    #[error(transparent)]
    Sweep(#[from] Error),
    /// The frontier is too wide for layers of blocks.
    #[error("the frontier is {width} wide, too wide for an index of all tours")]
    Width {
        /// Slots.
        width: usize,
    },
    /// More vertices than there can be.
    #[error("an index is of at most {} squares, not of {squares}", u16::MAX - 1)]
    Large {
        /// How many.
        squares: usize,
    },
    /// Tours that count for anything but 1, or weights that are too great.
    #[error("there are too many tours for an index: a number of more than {most} bits")]
    TooGreat {
        /// Bits that a weight may have.
        most: u32,
    },
    /// There is no room for the numbers of two layers.
    #[error(
        "statistics of all moves need at least {} of memory, and {} may be used",
        in_words(*needed),
        in_words(*limit)
    )]
    Memory {
        /// Bytes of the process at most.
        needed: u64,
        /// The ceiling.
        limit: u64,
    },
    /// Whoever was told what the layers take did not agree.
    #[error("{0}")]
    Refused(String),
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder holds something else.
    #[error("{} is {what}", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// A folder in which somebody else makes an index.
    #[error("another process is making an index in {}: wait for it", .0.display())]
    Busy(PathBuf),
    /// A layer is not what was written.
    #[error("layer {step} of the index is {}{}", what(path.as_deref()), at(path.as_deref()))]
    Damaged {
        /// Its step, from 1.
        step: usize,
        /// Its file, if it is in one.
        path: Option<PathBuf>,
    },
    /// A sequence of edges that is no tour of these.
    #[error("it is not one of the tours that are numbered")]
    NoTour,
}

fn what(path: Option<&Path>) -> &'static str {
    if path.is_some_and(|path| !path.exists()) { "missing" } else { "damaged" }
}

fn at(path: Option<&Path>) -> String {
    path.map_or(String::new(), |path| format!(": {}", path.display()))
}

impl TrailError {
    /// What a system said of a path.
    pub(super) fn file(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| {
            // Beside the error of the system there may be a temporary name, which means nothing to anybody.
            let source = if source.get_ref().is_some() { source.kind().into() } else { source };
            Self::File { path: path.to_owned(), source }
        }
    }
}
