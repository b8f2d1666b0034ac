//! Resources of a sweep: used now, and in total so far.
//!
//! Counts of signatures, states and transitions of a step.

use serde::{Deserialize, Serialize};

/// Totals of a sweep so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepTotals {
    /// States of the greatest layer.
    pub peak_states: u64,
    /// Weights of the greatest layer.
    pub peak_weights: u64,
    /// States of all layers together.
    pub states: u64,
    /// Weights of all layers together.
    pub weights: u64,
    /// Weights read and added.
    pub transitions: u64,
    /// Greatest number of bytes in memory.
    pub peak_bytes: u64,
    /// Greatest number of bytes in the store.
    pub peak_stored: u64,
    /// Bytes written to the store.
    pub written: u64,
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Duration in seconds.
    pub seconds: f64,
}

impl SweepTotals {
    /// Adds a step.
    pub fn add_step(&mut self, tally: &StepTally, usage: &ResourceUsage) {
        self.peak_states = self.peak_states.max(tally.states);
        self.peak_weights = self.peak_weights.max(tally.weights);
        self.states += tally.states;
        self.weights += tally.weights;
        self.transitions += tally.transitions;
        self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
        self.sent += usage.sent;
    }

    /// Adds a sweep that ran after this one.
    pub fn add_sweep(&mut self, other: &Self) {
        self.peak_states = self.peak_states.max(other.peak_states);
        self.peak_weights = self.peak_weights.max(other.peak_weights);
        self.states += other.states;
        self.weights += other.weights;
        self.transitions += other.transitions;
        self.peak_bytes = self.peak_bytes.max(other.peak_bytes);
        self.peak_stored = self.peak_stored.max(other.peak_stored);
        self.written += other.written;
        self.sent += other.sent;
        self.seconds += other.seconds;
    }
}

/// Resources in use after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// Bytes in memory, of the layer and tables.
    pub bytes: u64,
    /// Greatest number of bytes in memory so far; with several ranks, that of the rank with the most.
    pub peak_bytes: u64,
    /// Bytes in the store.
    pub stored: u64,
    /// Bytes sent to other ranks in the step.
    pub sent: u64,
}

impl ResourceUsage {
    /// Returns the usage of two ranks together.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            stored: self.stored + other.stored,
            sent: self.sent + other.sent,
        }
    }
}

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
