//! Runs a counting job from the request to the report, for `count` and `resume`.
//!
//! ```text
//! RunRequest -> prepare -> RunContext -> admit, execute -> CountedRun -> double check -> CountedRun -> report
//!                                          |                  |
//!                                          +------------------+-> stopped: checkpoint saved, resume command printed
//! ```

pub(crate) mod admission;
pub(crate) mod context;
pub(crate) mod execution;
#[cfg(test)]
pub mod test_support;

pub use admission::{RefusedRun, admit_in_memory, admit_series_sweep, check_series_sweep, run_in_memory};
pub use context::{RunRequest, shorten_job};
