//! The index of all tours: the stored layers of a sweep, and the numbers and statistics of tours
//! that are computed from these layers.
//!
//! With the weight W(s) of every state s and the number N of tours, the layers of a sweep number
//! all tours:
//!
//! ```text
//! unrank k in 0..N:  from the last state backwards, visit the predecessors s' of the state in a fixed order;
//!                    while k >= W(s'), k -= W(s'); the first with k < W(s') is the state before,
//!                    and the choice that leads from it gives the edges of the vertex
//! rank a tour:       its states are computed directly; k is the sum of the weights skipped
//! ```
//!
//! After a folding step a state also represents its mirror image. Unranking visits the predecessors
//! of the state and of its mirror image. If it chooses a predecessor of the image, it mirrors all
//! edges found so far.
//!
//! A stored layer is packed: any weight is found by reading some hundred bytes. The bytes are the
//! same in memory and in a file, and every segment of them has a digest. Files are mapped into
//! memory; the system reads the pages that are accessed. When `IndexLayers` are built in a folder,
//! a `Manifest` is written after every layer, so that a later process can resume a killed build.
//!
//! Many tours are unranked together, from the last layer to the first. They are sorted by chunk, so
//! that every chunk is unpacked once. The stored layers also give exact statistics of all tours:
//! the numbers of completions are propagated from the last layer to the first, and the number of
//! tours that use a move is the sum of weights times completions.
//!
//! ```text
//! IndexEstimate -> sweep -> Chunk -> pack -> IndexLayer (memory | LayerWriter, file, Manifest) -> ChunkReader
//!     -> BackwardStep { predecessors of a state } -> rank | unrank
//!     -> BackwardSweep { Completions: +, x } -> usage of edges
//!     -> BackwardSweep { BestValues: max, + } -> extremal tour
//! ```

pub mod backward_sweep;
pub mod block_arithmetic;
pub mod build;
pub mod chunk_format;
pub mod completion_kernels;
mod completions;
pub mod edge_usage;
pub mod error;
pub mod extreme_tour;
mod forward_step;
pub mod index_estimate;
pub mod index_layers;
pub mod manifest;
pub mod predecessors;
pub mod ranking;
#[cfg(test)]
mod tests;
