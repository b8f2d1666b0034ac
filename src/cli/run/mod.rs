//! Runs a counting job from the request to the report, for `count` and `resume`.
//!
//! ```text
//! RunRequest -> prepare -> RunContext -> admit, execute -> CountResult -> double check -> CountResult -> report
//!                                          |                  |
//!                                          +------------------+-> stopped: checkpoint saved, resume command printed
//! ```

pub(crate) mod admission;
pub(crate) mod context;
pub(crate) mod execution;
#[cfg(test)]
pub mod test_support;

pub use admission::{RefusedRun, admit_in_memory, check_in_memory, print_in_memory, run_in_memory};
pub use context::{RunRequest, shorten_job};
