//! Counts and lists every knight's tour of a board, exactly, in parallel.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod batch;
pub mod board;
pub mod cli;
pub mod count;
pub mod cpu;
pub mod frontier;
pub mod heuristic;
pub mod report;
pub mod search;
pub mod tour;
