//! The index of all tours of a board: the tour with a given number, the number of a given tour,
//! uniform samples, and exact statistics of all tours.
//!
//! A sweep that stores its layers (the weights of all states after each step) numbers all tours of
//! a board without visiting them. The numbers run from 0 to one less than the number of tours. So
//! each of 13,267,364,410,532 tours can be computed from its number, a uniform random number gives
//! a uniform random tour, and a list of tours with consecutive numbers can begin anywhere. The
//! order of the numbers comes from the plan of the sweep. It has no meaning, but it is fixed for
//! each board, kind, ends and plan; the name of the plan accompanies the numbers.
//!
//! ```text
//! TourSpec (board, kind, ends)
//!     -> IndexEstimate -> Index { layers }  -> tour(k), number(&tour), sample(&mut rng), Statistics
//!     -> CountingSweeps without an index    -> Histogram, MovePairs, Statistics::by_counting
//! ```
//!
//! The layers are in memory or in a folder, which is built once and reused; see
//! [`IndexLayers`](crate::frontier::IndexLayers). If the start of closed tours is fixed, both
//! directions of a tour have numbers, which follow each other. Open tours have no numbers of their
//! own. They are the paths that are not re-entrant, and a sample of them is drawn from the numbered
//! paths.
//!
//! ```
//! use ktour::index::{Index, IndexLocation};
//! use ktour::{Control, Kind, TourSpec};
//!
//! let index = Index::new(&TourSpec::all("5x6".parse()?, Kind::Closed), &IndexLocation::Memory, &Control::new())?;
//! assert_eq!(index.total().to_string(), "8");
//! let tour = index.tour(&5u32.into())?;
//! assert_eq!(index.number(&tour)?, 5u32.into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counting_sweeps;
mod error;
mod histogram;
mod move_class;
mod numbered_tours;
mod sample;
mod statistics;
#[cfg(test)]
mod tests;
mod tour_index;

#[doc(hidden)]
pub use crate::frontier::is_complete_index;
pub use crate::frontier::{IndexEstimate, IndexLocation};
pub use error::IndexError;
pub use histogram::Histogram;
pub use move_class::{MoveClass, MoveClassError};
pub use sample::{Measure, check_measurable, quarter_moves};
pub use statistics::{MovePairs, Statistics, share};
pub use tour_index::{Index, IndexResources, TourCallback};
