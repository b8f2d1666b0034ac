//! Long runs: jobs in normal form, shards, checkpoints, records and their sums.
//!
//! ```text
//! Request -> Job -> units of a Shard -> Sums -> Record -> merge -> Record
//!                         |    ^
//!                         v    |
//!                       Checkpoint
//! ```
//!
//! Nothing here knows how a unit is counted.

mod checkpoint;
mod checkpoint_file;
mod folder;
mod job;
mod machine;
mod merge;
#[cfg(feature = "mpi")]
mod mpi;
mod record;
mod run;
mod shard;

pub use checkpoint::{AtRest, Checkpoint, CheckpointError, Loaded};
pub use checkpoint_file::{CheckpointFile, with_suffix};
pub use folder::Folder;
pub use job::{Job, ParseJobError};
pub use machine::{Machine, now, peak_memory};
pub use merge::{MergeError, Part, merge, read_parts};
#[cfg(feature = "mpi")]
pub use mpi::World;
pub use record::{ClassNumbers, DoubleCheck, Number, Record, RecordError, Run, Start};
pub use run::{Progressed, Save, Saving, State, run};
pub use shard::{Cover, MAX_SHARDS, ParseShardError, Shard, cover};
