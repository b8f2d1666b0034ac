//! Why a sweep gave no number: its own reasons, and those of the ranks that share it.

use crate::memory::in_words;

/// Why a sweep gave no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The memory ceiling was reached.
    #[error("{} not fit into {}: allow more memory", what_does(*.step, *.steps), in_words(*.limit))]
    Memory {
        /// The step.
        step: usize,
        /// Steps in all.
        steps: usize,
        /// The ceiling in bytes.
        limit: u64,
    },
    /// The order asked for is not one.
    #[error("the order is not a permutation of the squares 0 to {}", squares - 1)]
    Order {
        /// Number of squares.
        squares: usize,
    },
    /// More squares on the frontier than there can be slots.
    #[error("the frontier is {width} wide, too wide for this sweep")]
    Width {
        /// Squares on the frontier at once.
        width: usize,
    },
    /// Blocks have no sign.
    #[error("the sweep by blocks takes factors below zero modulo a power of two only: choose a width")]
    Factors,
    /// A count by residues that has no bound, or contradicts itself.
    #[error("the residues do not fit together, or nothing tells how many are enough")]
    Residues,
    /// The store failed.
    #[error("step {step} of {steps}: {what}")]
    Store {
        /// The step.
        step: usize,
        /// Steps in all.
        steps: usize,
        /// What it said.
        what: String,
    },
    /// A snapshot of something else.
    #[error("the snapshot is of another sweep, or of a version that sweeps otherwise")]
    Snapshot,
    /// The connection to the other ranks is lost before the first step.
    #[error("the connection between the ranks is lost: {what}")]
    Unconnected {
        /// What was said.
        what: String,
    },
    /// Another rank has come to an end.
    #[error("rank {rank}: {what}")]
    Peer {
        /// Which.
        rank: usize,
        /// What it said.
        what: String,
    },
    /// The connection to the other ranks is lost.
    #[error("step {step} of {steps}: the connection between the ranks is lost: {what}")]
    Lost {
        /// The step.
        step: usize,
        /// Steps in all.
        steps: usize,
        /// What was said.
        what: String,
    },
    /// Ranks share blocks, and there are none.
    #[error("a frontier of {width} squares is swept with a hash table, which ranks do not share")]
    Shared {
        /// Squares on the frontier at once.
        width: usize,
    },
    /// Ranks that do not do the same.
    #[error(
        "the ranks do not sweep alike: start all with the same program, arguments and set of checkpoints"
    )]
    Apart,
    /// The observer stopped the sweep.
    #[error("stopped after step {step} of {steps}")]
    Stopped {
        /// Steps done.
        step: usize,
        /// Steps in all.
        steps: usize,
    },
}

/// What does not fit: a step, or the tables that come before all steps.
fn what_does(step: usize, steps: usize) -> String {
    match step {
        0 => "the tables of the sweep do".to_owned(),
        step => format!("step {step} of {steps} does"),
    }
}
