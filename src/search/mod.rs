//! Complete searches: two kernels that visit every tour, the units into which their work is split,
//! listings of tours, and estimates of the work.
//!
//! ```text
//! Problem -> MultipathPlan (units) -> Multipath --+
//!                                                 +-> Visitor (count, list, stop)
//! Problem -> BacktrackPlan (units) -> Backtrack --+
//! ```
//!
//! `multipath` is the fast kernel. When it counts, a transposition table lets it skip the
//! subtrees whose counts are already known. `backtrack` visits tours in the order of plain
//! backtracking, and serves to check the other kernel. Both kernels take any graph of at most
//! `bitboard_graph::MAX_SQUARES` vertices with any group of its symmetries.
//!
//! Units are numbered and depend only on the problem. `unit_runner` runs them on all cores, in
//! any order for counting or with results in order for listing. [`list`](mod@list) lists tours as
//! text, [`list::for_each`] passes them to a function, and [`tours`] returns an iterator.
//! `tree_size_estimate` estimates the work beforehand, and `list_size` the size of a list. `numbered_squares` is a
//! search of its own, for tours in which some squares have given numbers.

// Hidden modules serve the program and the Python module.
#[doc(hidden)]
pub mod backtrack;
#[doc(hidden)]
pub mod backtrack_plan;
#[doc(hidden)]
pub mod bitboard_graph;
pub mod list;
#[doc(hidden)]
pub mod list_size;
#[doc(hidden)]
pub mod multipath;
#[doc(hidden)]
pub mod multipath_plan;
#[doc(hidden)]
pub mod numbered_squares;
mod ordered_batches;
mod path_fragments;
#[doc(hidden)]
pub mod problem;
mod symmetry_breaking;
#[cfg(test)]
mod test_graphs;
#[doc(hidden)]
pub mod tour_batch;
mod tour_iter;
pub(crate) mod transposition_table;
#[doc(hidden)]
pub mod tree_size_estimate;
#[doc(hidden)]
pub mod unit_runner;
#[doc(hidden)]
pub mod visitor;

pub use tour_iter::{SourceLister, SourcePool, TourIter, tours};
