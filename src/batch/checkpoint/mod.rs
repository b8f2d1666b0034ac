//! Checkpoints: what a run has done, in a file that survives anything.
//!
//! ```text
//! State -> Checkpoint -> text -> FILE.new -> FILE -> FILE.previous
//!                                              |           |
//!                                              +-> newest whole generation -> Checkpoint
//! ```

mod error;
mod family;
mod file;
mod form;
mod frame;
mod generations;

pub use error::CheckpointError;
pub use family::FamilyCheckpoint;
pub use file::CheckpointFile;
pub use form::Checkpoint;
pub use frame::Saved;
pub use generations::Loaded;
