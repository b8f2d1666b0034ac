//! The frontier engine: counts tours without visiting them.
//!
//! Squares are processed one by one. A *configuration* is a set of moves in
//! which every processed square has both its edges, no two unprocessed squares
//! are joined, and no cycle has closed. Two configurations have the same future
//! if they agree on the *frontier*, the unprocessed squares that touch a
//! processed one: which are *bare*, which *inner* (both edges), which *ends* of a
//! partial path, and who is whose *mate* at the path's other end.
//!
//! ```text
//!  # # # #     # processed
//!  # # # #     - bare
//!  a b - o     o inner
//!  b - a .     a, b ends, mates by letter;  . untouched
//! ```
//!
//! A *layer* gives every such state a *weight*, the number of configurations; a
//! *step* processes a square and maps a layer to the next. The last layer has one
//! state, whose weight is the answer.
//!
//! What makes it fast here:
//!
//! - **Blocks instead of keys** (`layer`, `matching`). The states with the same degrees (the
//!   same *signature*) form a vector with one place for each of the `(ends - 1)!!` matchings. A step
//!   takes a vector to a vector by fixed index maps, so no state is ever hashed, compared or even
//!   stored: a weight is 4 bytes, a transition about a nanosecond of CPU.
//! - **Exact degree feasibility** (`feasibility`). Signatures that cannot be completed are known
//!   beforehand from bit tables, 81 signatures to a machine operation.
//! - **A good order** (`order`), found for every board by annealing.
//! - **Folding** (`fold`): mirror images have equally many completions.
//! - **The apex** (`problem`): paths are cycles through one more vertex, which merges more states
//!   than bookkeeping about their ends could.
//! - **Narrow weights** (`weights`), widened where they must be; a wrapped number is impossible.
//! - **Room** (`shelf`, `store`): what does not fit into memory goes to a store, and comes back when its
//!   turn comes; a sweep at rest (`snapshot`) is in the store as a whole.
//! - **Cut classes** (`cut`): independent parts of a sweep, for several machines.
//! - **Ranks** (`peers`, `spread`): one sweep on several machines, which exchange parts of layers.
//!
//! Graphs whose frontier is too wide for tables of signatures are swept with a
//! hash table (`hashed`), which is also the independent check of the rest.
//!
//! ```text
//! Field -> Problem -> orders -> Plan -> Sweep { Advance { Stride: chunks -> chunk }: Shelf -> Shelf } -> Outcome
//! ```
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4; Zhao Hui Du 2011;
//! G. Stertenbrink 2023; frontier-based search of Sekine, Imai, Kawahara and
//! Minato. Blocks indexed by matchings, the search for orders and the exact
//! feasibility were not found there.
//!
//! # Example
//!
//! ```
//! use ktour::board::Leaper;
//! use ktour::frontier::{Field, Options, Silent, Tours, count};
//!
//! let field = Field::board(&"6x6".parse().unwrap(), Leaper::KNIGHT);
//! let outcome = count(&field, Tours::Closed, &Options::default(), &mut Silent).unwrap();
//! assert_eq!(outcome.count.to_string(), "9862");
//! ```

mod block;
mod layer;
mod problem;
mod ranks;
mod run;
mod state;

pub use block::width::Width;
pub use layer::snapshot::{Snapshot, check_stored};
pub use layer::store::Store;
pub use problem::cycles::Tours;
pub use problem::field::{Factors, Field};
#[doc(hidden)] // Ranks that are threads of one process: for tests.
pub use ranks::peers::Team;
pub use ranks::peers::{Peers, all_well, consult};
#[doc(hidden)] // Counts ask for starts by `Request::per_start`; this is for tests of sweeps alone.
pub use run::engine::per_start;
pub use run::engine::{Method, Options, Storage, count, count_stored, plan_digest, series};
pub use run::estimate::{Estimate, estimate};
#[doc(hidden)] // Keeps every report: for tests.
pub use run::observer::Journal;
pub use run::observer::{Observer, Pulse, Silent, StepReport};
pub use state::cut::Cut;

use num_bigint::BigUint;

use crate::frontier::layer::totals::Totals;

/// What a sweep found and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of tours; with factors, the absolute value of the sum of their products.
    pub count: BigUint,
    /// Whether that sum is below zero.
    pub negative: bool,
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
    /// Bytes held at once at most, layers and tables; by the rank that held most.
    pub peak_bytes: u64,
    /// Bytes in the store at most.
    pub peak_stored: u64,
    /// Bytes written to the store.
    pub written: u64,
    /// Bytes sent between ranks.
    pub sent: u64,
    /// Seconds taken.
    pub seconds: f64,
}

impl Outcome {
    /// The outcome of a sweep that took these totals.
    fn of(totals: Totals, count: BigUint, shorter: Vec<BigUint>) -> Self {
        Self {
            negative: false,
            count,
            shorter,
            peak_states: totals.peak_states,
            peak_weights: totals.peak_weights,
            states: totals.states,
            weights: totals.weights,
            transitions: totals.transitions,
            peak_bytes: totals.peak_bytes,
            peak_stored: totals.peak_stored,
            written: totals.written,
            sent: totals.sent,
            seconds: totals.seconds,
        }
    }

    /// The same with a count modulo `2^bits` taken for the number nearest to zero.
    fn signed(mut self, bits: u32) -> Self {
        if self.count.bits() == u64::from(bits) {
            (self.count, self.negative) = ((BigUint::from(1u8) << bits) - self.count, true);
        }
        self
    }
}

/// Why a sweep gave no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The memory ceiling was reached.
    #[error("step {step} of {steps} does not fit into {limit} bytes: allow more memory")]
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
    /// Blocks have no sign.
    #[error("the sweep by blocks takes factors below zero modulo a power of two only: choose a width")]
    Factors,
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
