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

pub use checkpoint::{Checkpoint, CheckpointError, CheckpointFile, FamilyCheckpoint, Loaded, Saved};
pub use disk::{append_line, behind_links, folder_of, read_bounded, sync_names};
pub use family::FamilyKeeper;
pub use folder::Folder;
pub use job::{Job, ParseJobError};
pub use keeper::Saving;
pub use machine::{Machine, now, peak_memory};
pub use merge::{MergeError, Part, merge, read_parts, torn_lines};
#[cfg(feature = "mpi")]
pub use mpi::World;
pub use reckoning::Reckoning;
pub use record::{ClassNumbers, DoubleCheck, Number, Record, RecordError, Run, Start};
pub use residues::{agreed, join};
pub use run::{Progressed, run};
pub use saver::Saver;
pub use shard::{Cover, MAX_SHARDS, ParseShardError, Shard, cover};
pub use state::{AtRest, State};
pub use suffix::with_suffix;
