//! search
pub mod backtrack;
pub mod multipath;
pub mod order;
pub mod prefix;
pub mod problem;
pub mod split;
pub mod visitor;
