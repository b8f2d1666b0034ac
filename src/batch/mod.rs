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
mod disk;
mod family;
mod folder;
mod job;
mod keeper;
mod machine;
mod merge;
#[cfg(feature = "mpi")]
mod mpi;
mod pace;
mod reckoning;
mod record;
mod residues;
mod run;
mod saver;
mod shard;
mod state;
mod suffix;
mod units;

pub use checkpoint::{
    Checkpoint, CheckpointError, CheckpointFile, CheckpointFormat, Loaded, SeriesCheckpoint,
};
pub use disk::{append_line, parent_folder, read_bounded, resolve_links, sync_parent_folder};
pub use family::SeriesCheckpointer;
pub use folder::SpillDir;
pub use job::{Job, ParseJobError};
pub use keeper::SaveOptions;
pub use machine::{MachineInfo, now_utc, peak_memory_kib};
pub use merge::{MergeError, ShardSums, merge, read_shard_sums, torn_lines};
#[cfg(feature = "mpi")]
pub use mpi::MpiWorld;
pub use reckoning::CountOutcome;
pub use record::{ClassNumbers, DoubleCheck, KindNumbers, Record, RecordError, RunInfo, StartNumbers};
pub use residues::{find_exact, join_residues};
pub use run::{RunResult, run_shard};
pub use saver::CheckpointWriter;
pub use shard::{Coverage, MAX_SHARDS, ParseShardError, Shard, check_coverage};
pub use state::{RunState, SuspendedUnit};
pub use suffix::with_suffix;
