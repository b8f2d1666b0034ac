//! Layers: chunks of blocks, their place in memory or in a store, snapshots.

pub mod chunk;
pub mod shelf;
pub mod snapshot;
pub mod step;
pub mod store;
