//! Checkpoints: the saved progress of a run, in files that survive kills and power cuts.
//!
//! ```text
//! RunState -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                                |           |
//!                                                +-> newest intact generation -> Checkpoint
//! ```

mod count_checkpoint;
mod envelope;
mod file;
mod load;
mod series_checkpoint;

pub use count_checkpoint::Checkpoint;
pub use envelope::CheckpointError;
pub use envelope::CheckpointFormat;
pub use file::CheckpointFile;
pub use load::Loaded;
pub use series_checkpoint::SeriesCheckpoint;
