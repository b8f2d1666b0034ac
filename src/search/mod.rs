//! Searching: two kernels that visit every tour, and the units into which their work is cut. A count by the first of
//! them remembers what was below pieces that it has met (`endgames`), and need not visit all.
//!
//! ```text
//! Problem -> Plan (units) -> Multipath --+
//!                                        +-> Visitor (count, list, stop)
//! Problem -> PrefixPlan   -> Backtrack --+
//! ```
//!
//! [`multipath`] is the fast one; [`backtrack`] keeps the order of plain
//! backtracking and checks the other. Both take any graph of at most
//! [`MAX_SQUARES`](width::MAX_SQUARES) vertices, with any group of its symmetries.
//! Units are numbered, depend on the question alone, and are run on all cores by
//! [`workers`] (for counting) or [`ordered`] (for listing: [`list`](mod@list) as text,
//! [`list::for_each`] by a visitor, [`tours`] as an iterator). [`probe`] estimates the
//! work beforehand.

pub mod backtrack;
pub mod chunk;
pub mod degrees;
pub(crate) mod endgames;
mod forms;
pub mod list;
pub mod multipath;
pub mod order;
pub mod ordered;
mod pieces;
pub mod prefix;
pub mod probe;
pub mod problem;
mod refine;
#[cfg(test)]
mod samples;
pub mod source;
pub mod split;
pub mod stop;
mod tables;
mod tours;
pub mod visitor;
pub mod width;
pub mod workers;

pub use tours::{Pass, TourIter, tours};
