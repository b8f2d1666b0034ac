//! Showing results and progress: the only room that writes to the terminal.
//!
//! Results go to standard output, everything else to standard error.

mod csv;
mod json;
mod output;
mod progress;
mod text;

pub use csv::write_csv;
pub use json::write_json;
pub use output::{Output, OutputError, is_closed_pipe};
pub use progress::{Progress, ProgressMode};
pub use text::{per_start_table, table};

use crate::count::{Answer, Request};

/// A finished run with what belongs to its report.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What was asked.
    pub request: &'a Request,
    /// What came out.
    pub answer: &'a Answer,
    /// Whether the user wants a row for every start square.
    pub per_start: bool,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Threads used.
    pub threads: usize,
}

impl Report<'_> {
    /// The removed squares, separated by spaces.
    fn removed(&self) -> String {
        let names: Vec<String> = self.request.board.removed().iter().map(ToString::to_string).collect();
        names.join(" ")
    }
}
