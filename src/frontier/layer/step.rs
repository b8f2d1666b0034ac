//! A [`StepError`] is the reason why memory for a chunk, or the chunk itself, was not available.

use std::fmt::{self, Display, Formatter};

/// The reason why a step was not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepError {
    /// The memory limit was reached, and no chunk could be evicted.
    Memory,
    /// The store failed; the text gives the reason.
    Store(String),
}

impl Display for StepError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("not enough memory"),
            Self::Store(what) => f.write_str(what),
        }
    }
}
