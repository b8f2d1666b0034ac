//! Checkpoints: the saved progress of a run, in files that survive kills and power cuts.
//!
//! ```text
//! RunState -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                                |           |
//!                                                +-> newest intact generation -> Checkpoint
//! ```

pub(super) mod file;
pub(super) mod format;
pub use file::{CheckpointFile, Loaded};
pub use format::{Checkpoint, CheckpointError, CheckpointFormat};
