//! Layers of a sweep: the weights of all states after a step, their storage, and the computation of
//! the next layer.
//!
//! A layer consists of *chunks*: a chunk has the weights of all signatures with the same leading
//! digits. It is computed from chunks of the layer before, a great chunk by several threads. A
//! [`LayerStore`](layer_store::LayerStore) holds the chunks of a layer: in memory as long as the
//! [`MemoryPool`](memory_pool::MemoryPool) has memory for them, else in a [`Store`](store::Store)
//! on disk.
//!
//! ```text
//! chunks of the layer before -> CompiledStep, ChunkComputation -> chunk
//!     -> LayerStore { memory within the MemoryPool's limit | chunk format -> Store }
//! ```
//!
//! A [`Snapshot`](snapshot::Snapshot) names the stored chunks of a sweep, so that another process
//! can resume the sweep.

pub mod chunk;
pub mod chunk_computation;
pub mod chunk_decoder;
pub mod chunk_format;
#[cfg(test)]
mod chunk_fuzz;
pub mod chunk_readers;
pub mod compiled_step;
pub mod layer_join;
pub mod layer_store;
pub mod memory_pool;
pub mod snapshot;
pub mod store;
pub mod sweep_totals;
pub mod weight_group;
