//! The index of all tours: the k-th of them, the number of a given one, uniform ones, exact statistics of all.
//!
//! A sweep that keeps its layers numbers all tours of an arena, from 0 to one less than the count, though nobody has
//! visited them. So the k-th of 13,267,364,410,532 tours can be named, a uniform number gives a uniform tour, and
//! numbers in a row are a list that can begin anywhere. The order is that of the sweep's plan: it has no meaning
//! beyond being always the same for the same arena, kind, ends and plan, and the plan's name goes with the numbers.
//!
//! ```text
//! Numbered (arena, kind, ends) -> Demand -> Index { trails } -> tour(k), number(&tour), sample(&mut rng), Statistics
//!                              -> Sweeps without an index -> Histogram, Pairs, Statistics::counted
//! ```
//!
//! Layers are in memory or in a folder, which is made once and used again and again; see
//! [`Trails`](crate::frontier::Trails). With a fixed start, closed tours are numbered in both directions, a tour and
//! its reverse one after the other. Open tours have no numbers of their own: they are the paths that are not
//! re-entrant, and are sampled as such.
//!
//! ```
//! use ktour::index::{Index, Numbered, Place};
//! use ktour::{Control, Kind};
//!
//! let index = Index::new(&Numbered::new("5x6".parse()?, Kind::Closed), &Place::Memory, &Control::new())?;
//! assert_eq!(index.total().to_string(), "8");
//! let tour = index.tour(&5u32.into())?;
//! assert_eq!(index.number(&tour)?, 5u32.into());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod class;
mod counted;
mod draw;
mod error;
mod histogram;
mod numbered;
mod sampled;
mod sequence;
mod statistics;
mod sweeps;
#[cfg(test)]
mod tests;
mod tours;
mod way;

pub use crate::frontier::{Demand, Lack, Place, is_whole};
pub use class::{ClassError, MoveClass};
pub use counted::Pairs;
pub use error::IndexError;
pub use histogram::Histogram;
pub use numbered::Numbered;
pub use sampled::{Measure, measurable, quarters};
pub use statistics::{Statistics, share};
pub use tours::{Each, Index, Room};
