//! Checkpoints: the saved progress of a run, in files that survive kills and power cuts.
//!
//! ```text
//! RunState -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                                |           |
//!                                                +-> newest intact generation -> Checkpoint
//! ```

mod error;
mod family;
mod file;
mod form;
mod frame;
mod generations;

pub use error::CheckpointError;
pub use family::SeriesCheckpoint;
pub use file::CheckpointFile;
pub use form::Checkpoint;
pub use frame::CheckpointFormat;
pub use generations::Loaded;
