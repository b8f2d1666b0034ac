//! The frontier engine.
pub mod feasibility;
pub mod kernel;
pub mod layer;
pub mod matching;
pub mod plan;
pub mod problem;
pub mod signature;
pub mod sweep;
pub mod weight;
