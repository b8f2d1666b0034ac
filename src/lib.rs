//! Counts and lists every knight's tour of a board, exactly, in parallel.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod board;
pub mod heuristic;
pub mod tour;
