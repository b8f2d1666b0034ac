//! Complete searches: two kernels that visit every tour, and the units into which their work is split.
//!
//! ```text
//! Problem -> MultipathPlan (units) -> Multipath --+
//!                                                 +-> Visitor (count, list, stop)
//! Problem -> BacktrackPlan (units) -> Backtrack --+
//! ```
//!
//! [`multipath`] is the fast kernel. When it counts, a transposition table saves the subtrees whose counts
//! are already known. [`backtrack`] visits tours in the order of plain backtracking, and checks the other
//! kernel. Both take any graph of at most [`MAX_SQUARES`](bitboard_graph::MAX_SQUARES) vertices with any
//! group of its symmetries.
//!
//! Units are numbered and depend only on the problem. [`parallel_units`] runs them on all cores, in any order
//! for counting or with results in order for listing. Tours are listed as text by [`list`](mod@list), by a
//! visitor with [`list::for_each`], or by an iterator with [`tours`]. [`tree_size_estimate`] estimates the
//! work beforehand.

pub mod backtrack;
pub mod backtrack_plan;
pub mod bitboard_graph;
pub mod list;
pub mod multipath;
pub mod multipath_plan;
pub mod parallel_units;
mod path_fragments;
pub mod problem;
mod symmetry_breaking;
#[cfg(test)]
mod test_graphs;
pub mod tour_batch;
mod tour_iter;
pub(crate) mod transposition_table;
pub mod tree_size_estimate;
pub mod visitor;

pub use tour_iter::{SourceLister, SourcePool, TourIter, tours};
