//! Layers: the weights of all states after a step.
//!
//! A layer is cut into *chunks*, the blocks of one range of words each. A chunk is made whole by one thread
//! from chunks of the layer before, and lies on the layer's *shelf*: in memory as long as the *keeper* has
//! room for it, else in the store.
//!
//! ```text
//! chunks of the layer before -> Stride, Fill -> chunk -> Shelf { memory under the Keeper's ceiling | codec -> Store }
//! ```
//!
//! A *snapshot* names what of a sweep is in the store, so that another process can go on with it.

pub mod account;
pub mod chunk;
pub mod codec;
pub mod decode;
pub mod encode;
pub mod entry;
pub mod fill;
#[cfg(test)]
mod fuzz;
pub mod group;
pub mod joining;
pub mod keeper;
pub mod kept;
pub mod shelf;
pub mod snapshot;
pub mod step;
pub mod store;
pub mod stride;
pub mod totals;
