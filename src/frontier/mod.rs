//! The frontier engine.
pub mod feasibility;
pub mod fold;
pub mod kernel;
pub mod layer;
pub mod matching;
pub mod observer;
pub mod plan;
pub mod problem;
pub mod signature;
pub mod stride;
pub mod sweep;
pub mod weight;

use num_bigint::BigUint;

/// What a sweep found and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The number of tours.
    pub count: BigUint,
    /// For a family of boards, the numbers for the shorter ones, in order.
    pub shorter: Vec<BigUint>,
    /// States of the greatest layer.
    pub peak_states: u64,
    /// Weights of the greatest layer, zeros included.
    pub peak_weights: u64,
    /// States of all layers together.
    pub states: u64,
    /// Weights of all layers together, zeros included.
    pub weights: u64,
    /// Weights read and added.
    pub transitions: u64,
    /// Bytes held at once at most, layers and tables.
    pub peak_bytes: u64,
    /// Seconds taken.
    pub seconds: f64,
}

/// Why a sweep gave no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The memory ceiling was reached.
    #[error("step {step} of {steps} does not fit into {limit} bytes")]
    Memory {
        /// The step.
        step: usize,
        /// Steps in all.
        steps: usize,
        /// The ceiling in bytes.
        limit: u64,
    },
    /// More tours than the widest weight can count.
    #[error("a number of tours exceeds {bits} bits")]
    TooManyTours {
        /// Bits of the widest weight.
        bits: u32,
    },
    /// The observer stopped the sweep.
    #[error("stopped after step {step} of {steps}")]
    Stopped {
        /// Steps done.
        step: usize,
        /// Steps in all.
        steps: usize,
    },
}
