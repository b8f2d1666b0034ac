//! What a step did, and why it may have stopped short.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Signatures present after the step.
    pub signatures: u64,
    /// States (weights that are not zero) after the step.
    pub states: u64,
    /// Weights held after the step, zeros included.
    pub weights: u64,
    /// Weights read and added.
    pub transitions: u64,
    /// Signatures that were reached but cannot be completed.
    pub pruned: u64,
    /// Signatures merged with their mirror image.
    pub folded: u64,
    /// Bits of the greatest weight.
    pub bits: u32,
}

impl Work {
    /// The work of two parts together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            signatures: self.signatures + other.signatures,
            states: self.states + other.states,
            weights: self.weights + other.weights,
            transitions: self.transitions + other.transitions,
            pruned: self.pruned + other.pruned,
            folded: self.folded + other.folded,
            bits: self.bits.max(other.bits),
        }
    }
}

/// Why a step was not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The memory limit was reached, and nothing more could be put aside.
    Memory,
    /// A sum outgrew the widest type.
    TooMany,
    /// The store failed.
    Store(String),
}

impl Display for Halt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory => f.write_str("no room in memory"),
            Self::TooMany => f.write_str("too many tours"),
            Self::Store(what) => f.write_str(what),
        }
    }
}
