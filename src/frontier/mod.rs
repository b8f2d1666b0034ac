//! The frontier engine: counts Hamiltonian cycles and paths by dynamic programming over the frontier of a
//! graph (a transfer matrix method). It never visits single tours.
//!
//! Vertices are processed one by one. A *configuration* is a set of edges in which every processed vertex has
//! degree two, no edge joins two unprocessed vertices, and no cycle is closed. The *frontier* is the set of
//! unprocessed vertices with a processed neighbour. A frontier vertex is *bare* (degree 0), an *end* of a
//! partial path (degree 1), or *inner* (degree 2); the two ends of a partial path are *mates*. Two
//! configurations have the same completions if they agree on these degrees and mates, so they are one
//! *state*:
//!
//! ```text
//!  # # # #     # processed
//!  # # # #     - bare
//!  a b - o     o inner
//!  b - a .     a, b ends, mates by letter;  . untouched
//! ```
//!
//! A *layer* maps every state to its *weight*, the number of its configurations. A *step* processes one
//! vertex and turns one layer into the next. The last layer has one state; its weight is the count.
//!
//! These techniques make the sweep fast:
//!
//! - **Dense blocks instead of hash keys** (`layer`, `signature`, `weights`). The states with equal degrees
//!   (equal *signatures*) form a vector with one weight for each of the `(ends - 1)!!` perfect matchings of
//!   the ends. A step maps vectors to vectors by fixed index maps, so states are neither hashed nor compared
//!   nor stored: a narrow weight takes 4 bytes, a residue 1, 2 or 4, a transition about a nanosecond of CPU time.
//! - **Exact degree feasibility** (`signature`). Bit tables list the signatures that can still be completed;
//!   they are computed backwards before the sweep, 81 signatures per machine operation.
//! - **A good vertex order** (`planning`). Boards of up to 128 squares are ordered by simulated annealing.
//!   Boards that are counted often have a stored order from long searches.
//! - **Folding** (`signature`). A state and its mirror image have equally many completions, so one of the two
//!   is enough.
//! - **The apex** (`planning`). Paths are cycles through one extra vertex that is joined to every square.
//!   This merges more states than any explicit treatment of path ends.
//! - **Narrow weights** (`weights`). Weights are as narrow as possible and widened on overflow; an overflow
//!   is always detected.
//! - **Sparse vectors** (`weights`). In the first half of a sweep most weights are zero and are not stored.
//! - **Spilling and checkpoints** (`layer`). Chunks of layers that do not fit into memory are written to a
//!   store on disk and loaded when they are needed. A suspended sweep is completely in the store, described
//!   by a snapshot.
//! - **Groups of steps** (`planning`, `sweep`). Steps that leave some slots untouched, such as those of a row of the
//!   board, are executed class by class, one class for all digits of these slots. The layers inside the row are
//!   never complete: they take less memory, and a class stays in the caches. Sweeps with fewer than 18 slots, of a
//!   series, of several ranks, and those that build an index execute single steps.
//! - **Two-sided sweeps** (`planning`, `sweep`, `weights`). A long sweep is split into a left and a right
//!   half. Where they meet, their layers are joined by a sum over pairs of matchings, which costs as much as
//!   a few steps.
//! - **Shards** (`signature`). A sweep can be split into independent parts for several machines.
//! - **Ranks** (`ranks`). Several processes can run one sweep together and exchange chunks of its layers.
//!
//! Frontiers that are too wide for tables of signatures are swept with a hash table of states (`sweep`),
//! which is also the independent check of the block engine.
//!
//! ```text
//! SweepGraph, Tours, Options -> PreparedSweep { Cycles -> orders -> Plan -> SignatureSpace } -> Estimate
//!                                 |
//!                              BlockSweep { GroupExecution { StepExecution { CompiledStep: chunks -> chunk } }:
//!                                           LayerStore -> LayerStore, JoinExecution } -> Outcome
//! ```
//!
//! A step can be applied to other values than exact numbers. One row for each set of values, with the
//! operations that add the terms of a state and that combine a term with its choice:
//!
//! ```text
//! exact numbers          +, x factor       weights::block_sum, in registers weights::lane_sum, of many limbs weights::limbs
//! residues               + modulo, x       weights::modulus with the same sums
//! numbers of 2-factors   +, x              sweep::upper_bound: the bound of residue counts, without matchings
//! present signatures     or, and           signature::feasibility backwards, sweep::dry_run forwards
//! numbers by hash key    +, x              sweep::hashed_sweep: the independent check
//! completions            +, backwards      tour_index::completions in tour_index::backward_sweep
//! edges of a class       max, + backwards  tour_index::extreme_tour in tour_index::backward_sweep
//! single choices         listed backwards  tour_index::predecessors, for the ranking of a tour
//! ```
//!
//! If the memory of the pool is short, `layer::layer_store` evicts the chunk that is read last, in the order that
//! `sweep::step_execution` and `sweep::group_execution` give. `layer::memory_pool` writes it to a store and reads it
//! again. A suspended sweep is written and resumed by `sweep::checkpoint`, as a `layer::snapshot`; an index whose
//! construction stopped is continued by `tour_index::build`, by the layers in its `tour_index::manifest`.
//!
//! Folders, from the lowest to the highest; imports point to lower ones only:
//!
//! - `planning`: the graph, the vertex order, the plan of steps and slots, and the phases of a sweep;
//! - `signature`: degree vectors as bits and numbers, the choices of a step, feasibility, folding, shards, ranks of matchings;
//! - `weights`: vectors of weights, the index maps that steps apply to matchings, and the loops that add weights;
//! - `layer`: chunks of a layer, their storage, and the computation of one step;
//! - `ranks`: several processes that share a sweep;
//! - `sweep`: one sweep from its options to its outcome, and estimates of its time, memory and disk;
//! - `tour_index`: stored layers, and the ranking and unranking of single tours with them.
//!
//! Sources: Knuth, The Art of Computer Programming, 7.2.2.4; Zhao Hui Du 2011; G. Stertenbrink 2023;
//! frontier-based search of Sekine, Imai, Kawahara and Minato. Blocks indexed by matchings, the search for
//! orders and the exact feasibility are not in these sources.
//!
//! # Example
//!
//! ```
//! use ktour::frontier::{NoObserver, Options, PreparedSweep, Storage, SweepGraph, Tours};
//!
//! let graph = SweepGraph::from_board(&"6x6".parse().unwrap());
//! let mut prepared = PreparedSweep::new(&graph, Tours::Closed, &Options::default()).unwrap();
//! assert!(prepared.estimate().unwrap().peak_bytes < 1 << 30);
//! let outcome = prepared.sweep(Storage::default(), &mut NoObserver).unwrap();
//! assert_eq!(outcome.count.to_string(), "9862");
//! ```

mod layer;
mod planning;
mod ranks;
mod signature;
mod sweep;
mod tour_index;
mod weights;

pub use layer::snapshot::Snapshot;
#[doc(hidden)] // For checkpoint files, which the module of the page lacks.
pub use layer::snapshot::check_stored;
pub use layer::store::Store;
pub use layer::sweep_totals::{ResourceUsage, StepTally, SweepTotals};
pub use planning::cancel::Cancel;
#[doc(hidden)] // Candidate orders for the benchmark that searches for better ones.
pub use planning::order_search::candidate_orders as orders;
pub use planning::phase::PhaseKind;
#[doc(hidden)] // Steps of a plan, from which transfer matrices are derived.
pub use planning::plan::{LaterNeighbour, Step};
pub use planning::problem::{Factors, SweepGraph, Tours};
pub use ranks::command::Command;
#[doc(hidden)] // Communicator whose ranks are threads of one process, for tests.
pub use ranks::communicator::ThreadCommunicator;
#[doc(hidden)] // For checkpoint files.
pub use ranks::communicator::check_all_ok;
pub use ranks::communicator::{Communicator, allgather_results};
pub use ranks::error::Error;
pub use signature::shard::SweepShard;
pub(crate) use sweep::count::chinese_remainder;
pub use sweep::count::{count, count_by_residues, count_with_storage, prime_moduli};
#[doc(hidden)]
pub use sweep::mate_array;
pub use sweep::options::{Method, Options, Storage, SweepSides};
pub use sweep::prepared_sweep::PreparedSweep;
pub use sweep::report::{NoObserver, Observer, Outcome, StepReport};
pub use sweep::series::{SeriesSweep, count_series, count_series_by_rows};
pub use sweep::sweep_estimate::Estimate;
pub use sweep::upper_bound::BoundMethod;
pub use tour_index::backward_sweep::BackwardOptions;
pub use tour_index::build::{AdmissionCheck, BuildOptions, BuildProgress};
pub use tour_index::edge_usage::EdgeUsage;
pub use tour_index::error::IndexLayersError;
pub use tour_index::index_estimate::IndexEstimate;
pub(crate) use tour_index::index_estimate::search_order;
pub use tour_index::index_layers::{IndexLayers, IndexLocation};
#[doc(hidden)] // For the commands with an index.
pub use tour_index::manifest::is_complete_index;
pub use weights::modulus::{Modulus, ResidueRing};
pub use weights::weight::Width;
