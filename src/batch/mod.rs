//! Long runs: jobs in text form, admission, shards, checkpoints, records of results, and merging of records.
//!
//! ```text
//! Request -> CountJob { Job } -> admit -> units of a Shard -> Sums -> Record -> merge -> Record
//!                                               |    ^
//!                                               v    |
//!                                             Checkpoint
//! ```
//!
//! The code of this module is independent of how a unit is counted.

mod checkpoint;
mod checkpointer;
mod count_job;
mod filesystem;
mod index_job;
mod job;
mod merge;
#[cfg(feature = "mpi")]
mod mpi;
mod record;
mod run;
mod series_job;
mod series_state;
mod shard;
mod spill_dir;
mod symmetric_job;
mod unit_bitset;

// Hidden items serve the program and the Python module; a record is for all readers.
#[doc(hidden)]
pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointFile, JobState, Loaded, SavedCommand, load_command,
};
#[doc(hidden)]
pub use checkpointer::{Checkpointer, SaveError, SaveOptions};
#[doc(hidden)]
pub use count_job::{
    AdmittedCount, CountJob, CountLimits, CountNumbers, CountRun, CountRunError, LONG_JOB_SECONDS,
};
#[doc(hidden)]
pub use filesystem::{
    append_line, parent_folder, read_bounded, resolve_links, sync_parent_folder, with_suffix,
};
#[doc(hidden)]
pub use index_job::IndexJob;
#[doc(hidden)]
pub use job::{Job, ParseJobError, RunState, SuspendedUnit};
#[doc(hidden)]
pub use merge::{
    MergeError, ReadShards, ReadShardsError, ShardFileFault, ShardSums, find_exact, join_residues, merge,
    merge_each_modulus, read_shard_sums,
};
#[doc(hidden)]
#[cfg(feature = "mpi")]
pub use mpi::MpiWorld;
pub use record::{
    ClassNumbers, DoubleCheck, KindNumbers, Record, RecordError, RunInfo, StartNumbers, round_to_milliseconds,
};
#[doc(hidden)]
pub use run::{CountOutcome, RunResult};
#[doc(hidden)]
pub use series_job::SeriesJob;
#[doc(hidden)]
pub use series_state::SeriesState;
#[doc(hidden)]
pub use shard::{Coverage, MAX_SHARDS, ParseShardError, Shard, check_coverage};
#[doc(hidden)]
pub use spill_dir::SpillDir;
#[doc(hidden)]
pub use symmetric_job::{SuspendedPart, SymmetricJob, SymmetricResult, SymmetricState};
