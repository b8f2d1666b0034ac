//! The index of all tours: the tour with a number, the number of a tour, uniform samples, and exact
//! statistics of all tours.
//!
//! A sweep that stores its layers numbers all tours of a board, from 0 to one less than the count, without
//! visiting them. So each of 13,267,364,410,532 tours can be computed from its number, a uniform number gives
//! a uniform tour, and consecutive numbers are a list that can begin anywhere. The order is that of the
//! sweep's plan. It has no meaning, but is fixed for each board, kind, ends and plan; the name of the plan
//! accompanies the numbers.
//!
//! ```text
//! TourSet (board, kind, ends)
//!     -> IndexEstimate -> Index { layers }  -> tour(k), number(&tour), sample(&mut rng), Statistics
//!     -> CountingSweeps without an index    -> Histogram, MovePairs, Statistics::by_counting
//! ```
//!
//! Layers are in memory or in a folder, which is built once and reused; see
//! [`IndexLayers`](crate::frontier::IndexLayers). With a fixed start, closed tours are numbered in both
//! directions, each tour next to its reverse. Open tours have no numbers of their own: they are the paths
//! that are not re-entrant, and are sampled as such.
//!
//! ```
//! use ktour::index::{Index, IndexLocation, TourSet};
//! use ktour::{Control, Kind};
//!
//! let index = Index::new(&TourSet::new("5x6".parse()?, Kind::Closed), &IndexLocation::Memory, &Control::new())?;
//! assert_eq!(index.total().to_string(), "8");
//! let tour = index.tour(&5u32.into())?;
//! assert_eq!(index.number(&tour)?, 5u32.into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod counting_sweeps;
mod error;
mod histogram;
mod move_class;
mod sample;
mod statistics;
#[cfg(test)]
mod tests;
mod tour_index;
mod tour_set;

pub use crate::frontier::{IndexEstimate, IndexLocation, Shortfall, is_complete_index};
pub use error::IndexError;
pub use histogram::Histogram;
pub use move_class::{MoveClass, MoveClassError};
pub use sample::{Measure, check_measurable, quarter_moves};
pub use statistics::{MovePairs, Statistics, share};
pub use tour_index::{Index, IndexResources, TourCallback};
pub use tour_set::TourSet;
