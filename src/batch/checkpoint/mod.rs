//! Checkpoints: the saved progress of a run, in files that survive kills and power cuts.
//!
//! ```text
//! RunState, SeriesState -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                                |           |
//!                                                +-> newest intact generation -> Checkpoint
//! ```

mod file;
mod format;
pub use file::{CheckpointFile, Loaded, load_command};
pub use format::{Checkpoint, CheckpointError, JobState, SavedCommand, has_checkpoint_header};
