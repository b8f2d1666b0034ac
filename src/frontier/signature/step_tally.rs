//! Counts of signatures, states and transitions of a step.

use serde::{Deserialize, Serialize};

/// Counts of a step, or of a part of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTally {
    /// Number of signatures present after the step.
    pub signatures: u64,
    /// Number of states (nonzero weights) after the step.
    pub states: u64,
    /// Number of weights after the step, zeros included.
    pub weights: u64,
    /// Number of weights read and added.
    pub transitions: u64,
    /// Number of signatures that were reached but cannot be completed.
    pub pruned: u64,
    /// Number of signatures merged with their mirror image.
    pub folded: u64,
    /// Number of bits of the greatest weight.
    pub bits: u32,
}

impl StepTally {
    /// Returns the counts of two parts of a step together.
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
