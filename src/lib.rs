//! Counts and lists every knight's tour of a board, exactly, in parallel.
//!
//! ```text
//! args -> Job -> board, graph, symmetry -> engine -> sums -> theorems -> record -> report
//!                                            |
//!                  backtrack | multipath | frontier | heuristic
//! ```
//!
//! [`board`] and [`tour`] say what is counted, [`search`] visits every tour, [`frontier`] counts without
//! visiting any, [`heuristic`] finds one, [`count`] turns requests into checked numbers, and [`batch`] makes
//! long runs safe. The program `ktour` shows their results; it is a crate of its own on top of this one.

#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod batch;
pub mod board;
pub mod control;
pub mod count;
pub mod cpu;
pub mod digest;
pub mod frontier;
pub mod heuristic;
mod lock;
pub mod memory;
pub mod random;
pub mod search;
pub mod tour;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
