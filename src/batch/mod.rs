//! Long runs: jobs in text form, shards, checkpoints, records and their sums.
//!
//! ```text
//! Request -> Job -> units of a Shard -> Sums -> Record -> merge -> Record
//!                         |    ^
//!                         v    |
//!                       Checkpoint
//! ```
//!
//! The code of this module is independent of how a unit is counted.

mod checkpoint;
mod checkpointer;
mod count_outcome;
mod filesystem;
mod job;
mod merge;
#[cfg(feature = "mpi")]
mod mpi;
mod record;
mod run;
mod run_state;
mod series_checkpointer;
mod shard;
mod spill_dir;
mod unit_bitset;

pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointFile, CheckpointFormat, Loaded, SeriesCheckpoint,
};
pub use checkpointer::CheckpointWriter;
pub use checkpointer::SaveOptions;
pub use count_outcome::CountOutcome;
pub use filesystem::with_suffix;
pub use filesystem::{append_line, parent_folder, read_bounded, resolve_links, sync_parent_folder};
pub use job::{Job, ParseJobError};
pub use merge::{MergeError, ShardSums, merge, read_shard_sums, torn_lines};
pub use merge::{find_exact, join_residues};
#[cfg(feature = "mpi")]
pub use mpi::MpiWorld;
pub use record::{ClassNumbers, DoubleCheck, KindNumbers, Record, RecordError, RunInfo, StartNumbers};
pub use record::{MachineInfo, now_utc, peak_memory_kib};
pub use run::{RunResult, run_shard};
pub use run_state::{RunState, SuspendedUnit};
pub use series_checkpointer::SeriesCheckpointer;
pub use shard::{Coverage, MAX_SHARDS, ParseShardError, Shard, check_coverage};
pub use spill_dir::SpillDir;
