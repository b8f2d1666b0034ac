pub mod blocks;
mod edges;
mod layout;
mod links;
mod rng;
pub mod solve;
pub mod strip;
pub use rng::Rng;
