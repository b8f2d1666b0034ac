//! One sweep, from its options to its outcome.
//!
//! - `PreparedSweep` is a planned sweep: it estimates its size, computes the digest of its plan, and runs.
//! - `Engine` runs the sweep by blocks, or with a hash table where the frontier is too wide or there are few
//!   states.
//! - `BlockSweep` runs one group of steps after the other, and a `GroupExecution` the steps of a group, class by
//!   class. In a `StepExecution` all threads take target chunks from a `ChunkQueue`, and a `ChunkBuilder`
//!   computes each of them.
//! - A two-sided sweep has a left and a right half and joins the two layers at the cut.
//! - An `Observer` receives a report after every step and can suspend or stop the sweep; a suspended sweep
//!   resumes from a snapshot. `SweepStats` add up all sessions, and `Outcome` contains the count and the
//!   totals.
//! - The hashed sweep stores states by the mates of their slots, with signed weights of any size.
//!
//! ```text
//! Options -> PreparedSweep -> Estimate
//!             |-> Engine -> BlockSweep { GroupExecution { StepExecution { .. } }, Observer } -> Outcome
//!                   |-----> hashed sweep { mates of slots, signed weights } ------------------> Outcome
//! ```

pub mod block_sweep;
pub mod checkpoint;
pub mod chunk_builder;
pub mod cost_model;
pub mod count;
pub mod dry_run;
pub mod engine;
pub mod group_execution;
pub mod hashed_sweep;
pub mod mate_array;
pub mod options;
pub mod plan_choice;
pub mod prepared_sweep;
pub mod report;
pub mod rough_estimate;
pub mod series;
pub mod spill_estimate;
pub mod step_execution;
pub mod sweep_estimate;
pub mod sweep_tables;
pub mod two_sided;
pub mod upper_bound;
