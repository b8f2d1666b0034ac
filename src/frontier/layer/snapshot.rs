//! A sweep at rest: all that is needed to go on with it.
//!
//! The chunks themselves are in the store; a snapshot names them. A sweep rests
//! between two target chunks of a step (between two steps, if ranks share it), so what is lost by a kill is at most what
//! was done since the last snapshot.

use num_bigint::BigUint;
use serde::{Deserialize, Serialize};

use crate::frontier::Outcome;
use crate::frontier::layer::shelf::Kept;
use crate::frontier::state::cut::Cut;
use crate::frontier::state::tally::Tally;

/// A sweep at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The vertices in the order of processing.
    pub order: Vec<usize>,
    /// Whether mirror images are folded.
    pub fold: bool,
    /// Digest of the plan that order and folding make: states mean something by it alone.
    pub plan: u64,
    /// The part of the count that the sweep makes.
    pub cut: Option<Cut>,
    /// Which of how many ranks its part of the layer belongs to.
    #[serde(default = "alone")]
    pub rank: (usize, usize),
    /// Digest of which rank holds which chunk of the layer.
    #[serde(default)]
    pub spread: u64,
    /// Steps done.
    pub step: usize,
    /// The layer after them, by chunk: those still needed if the next step has begun.
    pub layer: Vec<(usize, Kept)>,
    /// Target chunks of the next step that are done.
    pub done: Vec<usize>,
    /// Those of them that are not empty.
    pub next: Vec<(usize, Kept)>,
    /// The work of the step that has begun.
    pub work: Tally,
    /// Totals of the steps done.
    pub totals: Totals,
}

const fn alone() -> (usize, usize) {
    (0, 1)
}

/// What a sweep took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Totals {
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
    /// Bytes in memory at most.
    pub peak_bytes: u64,
    /// Bytes in the store at most.
    pub peak_stored: u64,
    /// Bytes written to the store.
    pub written: u64,
    /// Bytes sent to other ranks.
    #[serde(default)]
    pub sent: u64,
    /// Seconds taken.
    pub seconds: f64,
}

impl Totals {
    /// The outcome of a sweep that took these.
    #[must_use]
    pub fn outcome(self, count: BigUint, shorter: Vec<BigUint>) -> Outcome {
        let Self { peak_states, peak_weights, states, weights, transitions, .. } = self;
        let Self { peak_bytes, peak_stored, written, sent, seconds, .. } = self;
        Outcome {
            negative: false,
            count,
            shorter,
            peak_states,
            peak_weights,
            states,
            weights,
            transitions,
            peak_bytes,
            peak_stored,
            written,
            sent,
            seconds,
        }
    }
}

impl Snapshot {
    /// The items of the store that it names.
    pub(in crate::frontier) fn kept(&self) -> impl Iterator<Item = Kept> {
        self.layer.iter().chain(&self.next).map(|&(_, kept)| kept)
    }

    /// Their numbers.
    pub fn numbers(&self) -> impl Iterator<Item = u64> {
        self.kept().map(|kept| kept.number)
    }
}
