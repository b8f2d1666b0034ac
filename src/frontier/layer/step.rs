//! Why a step may have stopped short.

use std::fmt::{self, Display, Formatter};

/// Why a step was not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The memory limit was reached, and nothing more could be put aside.
    Memory,
    /// The store failed.
    Store(String),
}

impl Display for Halt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("no room in memory"),
            Self::Store(what) => f.write_str(what),
        }
    }
}
