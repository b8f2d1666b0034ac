//! Layers: the weights of all states after a step.
//!
//! A layer consists of *chunks*: a chunk has the blocks of all signatures with the same leading digits. One
//! thread computes a whole chunk from chunks of the layer before. A [`LayerStore`](layer_store::LayerStore)
//! holds the chunks of a layer: in memory as long as the [`MemoryPool`](memory_pool::MemoryPool) has memory
//! for them, else in a [`Store`](store::Store) on disk.
//!
//! ```text
//! chunks of the layer before -> CompiledStep, ChunkComputation -> chunk
//!     -> LayerStore { memory within the MemoryPool's limit | chunk format -> Store }
//! ```
//!
//! A [`Snapshot`](snapshot::Snapshot) names the stored chunks of a sweep, so that another process can resume
//! it.

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
