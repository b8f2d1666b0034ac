//! Layers that are kept, and single tours followed through them.
//!
//! With the weight W(s) of every state s and the number N of tours, the layers of a sweep number all tours:
//!
//! ```text
//! given k in 0..N:  from the last state backwards, go over the origins s' of a state in a fixed order;
//!                   while k >= W(s'), k -= W(s'); the first with k < W(s') is the state before,
//!                   and the choice that leads from it says which edges the vertex has
//! given a tour:     its states are known; k is the sum of the weights passed over
//! ```
//!
//! After a folding step a state stands for its mirror image as well. The origins of both are gone over, and if one of
//! the image's is taken, all edges found so far are mirrored.
//!
//! A layer is kept *packed*: bytes in which any weight is found by reading some hundred of them, the same in memory
//! and in a file, and every part of which has a digest. Files are mapped into memory; the system reads what is needed.
//! A *trails* value made in a folder writes a *manifest* after every layer, so that whoever is killed goes on.
//!
//! Many tours go through the layers together, last to first: sorted by chunk, every chunk is unpacked once.
//! The same layers hold exact statistics of all tours: `flow` brings the numbers of *completions* back from the last
//! layer to the first, and a move is used by as many tours as its weights times completions say.
//!
//! ```text
//! Demand -> sweep -> Chunk -> pack -> Layer (memory | Writer, file, Manifest) -> Packed -> Back { origins of a state }
//!     -> edges | number | Forth { completions } -> uses
//! ```

pub mod back;
pub mod completed;
pub mod completions;
pub mod demand;
pub mod error;
pub mod extreme;
pub mod flow;
pub mod flows;
pub mod forth;
pub mod layer;
pub mod make;
pub mod manifest;
pub mod many;
pub mod maps;
pub mod number;
pub mod origins;
pub mod pack;
pub mod packed;
pub mod planned;
pub mod state;
#[cfg(test)]
mod tests;
pub mod trails;
pub mod writer;
