//! search
pub mod backtrack;
pub mod meter;
pub mod multipath;
pub mod order;
pub mod prefix;
pub mod probe;
pub mod problem;
pub mod split;
pub mod visitor;
pub mod workers;
