//! What a step did, and why it may have stopped short.

/// Most ends there can be on a frontier swept by blocks.
pub const MOST_ENDS: usize = 20;

/// Bits of the greatest weight, at most, by number of ends.
pub type EndBits = [u32; MOST_ENDS + 1];

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// Bits of the greatest weights.
    pub bits: EndBits,
}

impl Work {
    /// Bits of the greatest weight of all.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits.into_iter().max().unwrap_or(0)
    }

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
            bits: std::array::from_fn(|n| self.bits[n].max(other.bits[n])),
        }
    }
}

/// Why a step was not finished; the source layer is whole only after [`Halt::Narrow`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// A sum reached the upper half of the target's type.
    Narrow,
    /// The memory limit was reached.
    Memory,
}
