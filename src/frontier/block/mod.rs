//! Vectors of weights indexed by matchings, and the maps between them.

pub mod effects;
pub mod kernel;
pub mod permutation;
pub mod stride;
pub mod tables;
pub mod weight;
pub mod weights;
