//! Counters of a sweep: numbers of states, weights and transitions, and memory, disk and time, for
//! a step and in total.

use serde::{Deserialize, Serialize};

/// Totals of all steps of a sweep so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SweepTotals {
    /// Number of states of the layer with the most states.
    pub peak_states: u64,
    /// Number of weights of the layer with the most weights.
    pub peak_weights: u64,
    /// Number of states of all layers together.
    pub states: u64,
    /// Number of weights of all layers together.
    pub weights: u64,
    /// Number of weights read and added.
    pub transitions: u64,
    /// Greatest number of bytes in memory.
    pub peak_bytes: u64,
    /// Greatest number of bytes in the store for evicted chunks.
    pub peak_stored: u64,
    /// Number of bytes written to the store for evicted chunks.
    pub written: u64,
    /// Number of bytes sent to other ranks.
    pub sent: u64,
    /// Duration in seconds.
    pub seconds: f64,
}

impl SweepTotals {
    /// Adds the counters and the resource usage of a step.
    pub fn add_step(&mut self, tally: &StepTally, usage: &ResourceUsage) {
        self.peak_states = self.peak_states.max(tally.states);
        self.peak_weights = self.peak_weights.max(tally.weights);
        self.states += tally.states;
        self.weights += tally.weights;
        self.transitions += tally.transitions;
        self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
        self.sent += usage.sent;
    }

    /// Adds the totals of a sweep that ran after this sweep.
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

/// Resources that a sweep uses after a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// Number of bytes in memory for the layer and the tables.
    pub bytes: u64,
    /// Greatest number of bytes in memory so far. With several ranks, the number of the rank with
    /// the most.
    pub peak_bytes: u64,
    /// Number of bytes in the store for evicted chunks.
    pub stored: u64,
    /// Number of bytes written to the store so far.
    pub written: u64,
    /// Number of bytes sent to other ranks in the step.
    pub sent: u64,
}

impl ResourceUsage {
    /// Returns the combined usage of this rank and the rank `other`.
    #[must_use]
    pub fn combined_with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            peak_bytes: self.peak_bytes.max(other.peak_bytes),
            stored: self.stored + other.stored,
            written: self.written + other.written,
            sent: self.sent + other.sent,
        }
    }
}

/// Counters of a step, or of a part of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepTally {
    /// Number of signatures that have a block after the step.
    pub signatures: u64,
    /// Number of states after the step: matchings with a nonzero weight.
    pub states: u64,
    /// Number of weights after the step, zeros included.
    pub weights: u64,
    /// Number of weights read and added.
    pub transitions: u64,
    /// Number of weights read and added for the largest part of a chunk that one thread computes alone: for the
    /// undivided blocks of the part only. Blocks that are divided among threads are not counted.
    #[serde(default)]
    pub largest_part: u64,
    /// Number of signatures that were reached but cannot be completed.
    pub pruned: u64,
    /// Number of signatures merged with their mirror image.
    pub folded: u64,
    /// Number of bits of the greatest weight.
    pub bits: u32,
}

impl StepTally {
    /// Returns the combined counters of two parts of a step.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            signatures: self.signatures + other.signatures,
            states: self.states + other.states,
            weights: self.weights + other.weights,
            transitions: self.transitions + other.transitions,
            largest_part: self.largest_part.max(other.largest_part),
            pruned: self.pruned + other.pruned,
            folded: self.folded + other.folded,
            bits: self.bits.max(other.bits),
        }
    }
}
