//! Showing results and progress: the only room that writes to the terminal.
//!
//! Results go to standard output, everything else to standard error.

mod csv;
mod output;
mod progress;
mod series;
mod symmetry;
mod text;

pub use csv::write_csv;
pub use output::{Output, OutputError, is_closed_pipe};
pub use progress::{Progress, ProgressMode};
pub use series::SeriesReport;
pub use symmetry::{SymmetryRecord, SymmetryRow, symmetry_table};
pub use text::{classes_tables, per_start_table, table};

/// Says a line on standard error. If that is closed, the run goes on without.
pub fn tell(line: impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "ktour: {line}");
}
