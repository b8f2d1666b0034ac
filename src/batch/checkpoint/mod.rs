//! Checkpoints: the saved progress of a run, in files that survive kills and power cuts.
//!
//! ```text
//! RunState, SeriesState -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                                |           |
//!                                                +-> newest intact generation -> Checkpoint
//! ```

mod file;
mod format;
mod generations;
pub use file::CheckpointFile;
#[cfg(test)]
pub(super) use format::samples;
pub use format::{Checkpoint, CheckpointError, JobState, SavedCommand, has_checkpoint_header};
pub use generations::{Loaded, load_command};
