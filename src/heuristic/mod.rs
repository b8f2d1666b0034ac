mod edges;
mod links;
mod rng;
pub mod solve;
pub mod strip;
pub use rng::Rng;
