//! Showing results and progress: the only room that writes to the terminal.
//!
//! Results go to standard output, everything else to standard error.

mod csv;
mod output;
mod progress;
mod text;

pub use csv::write_csv;
pub use output::{Output, OutputError, is_closed_pipe};
pub use progress::{Progress, ProgressMode};
pub use text::{per_start_table, table};
