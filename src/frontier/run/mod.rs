//! One sweep, from its options to its outcome.
//!
//! - `PreparedSweep` is a planned sweep: it estimates its size, gives its digest, and runs.
//! - `Engine` runs it by blocks, or with a hash table where the frontier is too wide or the states are few.
//! - `BlockSweep` runs one step after the other. In a `StepExecution` all threads take target chunks from a
//!   `ChunkQueue`, and a `ChunkBuilder` computes each of them.
//! - A two-sided sweep has a left and a right half and joins the two layers at the cut.
//! - An `Observer` receives a report after every step and can suspend or stop the sweep; a suspended sweep
//!   resumes from a snapshot. `SweepStats` add up all sessions, and `Outcome` contains the count and the
//!   totals.
//! - The hashed sweep stores states by the mates of their slots, with signed weights of any size.
//!
//! ```text
//! Options -> PreparedSweep -> Estimate
//!             |-> Engine -> BlockSweep { StepExecution { ChunkQueue, ChunkBuilder }, Observer } -> Outcome
//!                   |-----> hashed sweep { mates of slots, signed weights } ----------------> Outcome
//! ```

pub mod advance;
pub mod amount;
pub mod bound;
pub mod choice;
pub mod count;
pub mod ends;
pub mod engine;
pub mod estimate;
pub mod hashed;
pub mod joined;
pub mod junction;
pub mod maker;
pub mod mates;
pub mod meter;
pub mod nature;
pub mod observer;
pub mod options;
pub mod outcome;
pub mod outlook;
pub mod outside;
pub mod prepare;
pub mod queue;
pub mod residues;
pub mod rest;
pub mod series;
pub mod sweep;
pub mod tariff;
pub mod trace;
