//! What is counted while a step is made.

use serde::{Deserialize, Serialize};

/// What was counted of a step, or of a part of one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
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

impl Tally {
    /// That of two parts together.
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
