//! The frontier engine.
mod engine;
mod estimate;
mod feasibility;
mod field;
mod fold;
mod hashed;
mod kernel;
mod layer;
mod matching;
mod memory;
mod observer;
mod order;
mod plan;
mod problem;
mod signature;
mod stride;
mod sweep;
mod weight;

pub use engine::{Method, Options, count, per_start, series};
pub use estimate::{Estimate, estimate};
pub use field::Field;
pub use observer::{Journal, Observer, Silent, StepReport};
pub use problem::Tours;

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
    /// The order asked for is not one.
    #[error("the order is not a permutation of the squares 0 to {}", squares - 1)]
    Order {
        /// Number of squares.
        squares: usize,
    },
    /// More squares on the frontier than there can be slots.
    #[error("the frontier is {width} squares wide, too wide for this sweep")]
    Width {
        /// Squares on the frontier at once.
        width: usize,
    },
    /// No threads to be had.
    #[error("threads could not be started: {reason}")]
    Threads {
        /// What the system said.
        reason: String,
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
