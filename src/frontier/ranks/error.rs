//! The error type of sweeps, including errors of other ranks.

use crate::memory::format_bytes;

/// The reason why a sweep has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The memory limit is exceeded.
    #[error("{} not fit into {}", memory_subject(*.step, *.steps), format_bytes(*.limit))]
    Memory {
        /// Number of the step, from 1; 0 for the tables before all steps.
        step: usize,
        /// Number of steps of the sweep.
        steps: usize,
        /// Memory limit in bytes.
        limit: u64,
    },
    /// The given order is not a permutation of the squares.
    #[error("the order is not a permutation of the squares 0 to {}; list every square once", squares - 1)]
    InvalidOrder {
        /// Number of squares.
        squares: usize,
    },
    /// The frontier has more squares than the sweep supports.
    #[error("a frontier of {width} squares is too wide for this sweep")]
    TooWide {
        /// Number of squares on the widest frontier.
        width: usize,
    },
    /// The block engine counts negative factors only modulo a power of two.
    #[error("the block sweep counts negative factors only modulo a power of two; set such a modulus")]
    NegativeFactors,
    /// A count by residues has no upper bound, or the residues contradict each other.
    #[error("the residues contradict each other or have no upper bound; count without residues")]
    InconsistentResidues,
    /// The store for evicted chunks failed.
    #[error("step {step} of {steps}: {message}")]
    Store {
        /// Number of the step, from 1.
        step: usize,
        /// Number of steps of the sweep.
        steps: usize,
        /// Error message of the store.
        message: String,
    },
    /// The snapshot belongs to another sweep, or to an incompatible version.
    #[error("the snapshot belongs to another sweep or an incompatible version; start without it")]
    OtherSnapshot,
    /// The connection to the other ranks is lost before the first step.
    #[error("the connection between the ranks is lost ({message}); start all ranks again")]
    NotConnected {
        /// Error message of the connection.
        message: String,
    },
    /// Another rank has failed.
    #[error("rank {rank}: {message}")]
    RankFailed {
        /// Number of the rank that failed.
        rank: usize,
        /// Error message of the failed rank.
        message: String,
    },
    /// The connection to the other ranks is lost during a step.
    #[error(
        "step {step} of {steps}: the connection between the ranks is lost ({message}); start all ranks again"
    )]
    ConnectionLost {
        /// Number of the step, from 1.
        step: usize,
        /// Number of steps of the sweep.
        steps: usize,
        /// Error message of the connection.
        message: String,
    },
    /// Ranks can share a block sweep only, and the frontier is too wide for blocks.
    #[error("a frontier of {width} squares needs a hash table, which ranks cannot share")]
    NeedsHashTable {
        /// Number of squares on the widest frontier.
        width: usize,
    },
    /// The ranks run different sweeps.
    #[error(
        "the ranks run different sweeps; start all with the same program, arguments and set of checkpoints"
    )]
    RanksDiffer,
    /// The observer stopped the sweep.
    #[error("stopped after step {step} of {steps}")]
    Stopped {
        /// Number of finished steps.
        step: usize,
        /// Number of steps of the sweep.
        steps: usize,
    },
}

/// Returns the subject of the message of a memory error, with its auxiliary verb. The subject is a
/// step, or the tables that precede all steps.
fn memory_subject(step: usize, steps: usize) -> String {
    match step {
        0 => "the tables of the sweep do".to_owned(),
        step => format!("step {step} of {steps} does"),
    }
}
