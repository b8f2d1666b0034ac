//! Reports of results, and display of progress. Only this module writes to the terminal.
//!
//! Results go to standard output, everything else to standard error.

mod count_report;
mod count_rows;
mod growth_plot;
mod output;
mod png;
mod progress;
mod series_report;
mod statistics;
mod streamed_table;
mod symmetric_record;
mod table;
mod terminal_sharing;

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

pub use count_report::{CountResult, KindCounts, group_digits, kind_table};
pub use count_rows::{count_rows, wrap_name};
pub use growth_plot::growth_plot;
pub use output::{Output, OutputError, is_closed_pipe, terminal_columns, terminal_has_colours};
pub use png::render_png;
pub use progress::{Progress, ProgressMode, Spinner};
pub use series_report::{BfileError, BoardRow, SeriesReport, format_bfile, ordinal};
pub use statistics::{
    HistogramExample, SampleInfo, board_name, heat_map_picture, heat_map_svg, histogram_json, histogram_rows,
    histogram_table, measures_json, measures_rows, measures_table, new_tour_rows, pairs_json, pairs_rows,
    pairs_table, squares_cell, statistics_json, statistics_rows, statistics_table, tour_set_fields,
};
pub use streamed_table::StreamedTable;
pub use symmetric_record::SymmetryRecord;
pub use table::{Cell, ColumnWidths, NamedCells, Table, to_pretty_json};
pub use terminal_sharing::{record_echo, remove_bars};

/// The MPI rank of this process. Processes of different ranks run the same command.
static RANK: AtomicUsize = AtomicUsize::new(0);

/// Sets the MPI rank of this process. Afterwards only rank 0 prints notices, because all ranks
/// would print the same ones.
#[cfg(feature = "mpi")]
pub fn set_rank(rank: usize) {
    RANK.store(rank, Ordering::Relaxed);
}

/// What standard error shows besides errors and warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing (`--quiet`).
    Quiet,
    /// Notices and progress; job lines unless standard error is a terminal.
    Normal,
    /// Notices, progress and job lines (`--verbose`).
    Verbose,
}

/// The verbosity of this process, as its number.
static VERBOSITY: AtomicUsize = AtomicUsize::new(Verbosity::Normal as usize);

/// Sets what standard error shows.
pub fn set_verbosity(verbosity: Verbosity) {
    VERBOSITY.store(verbosity as usize, Ordering::Relaxed);
}

fn has_verbosity(verbosity: Verbosity) -> bool {
    VERBOSITY.load(Ordering::Relaxed) == verbosity as usize
}

/// Prints a line on standard error that describes a job, or its numbers at the end. A terminal shows it only if
/// `--verbose` is given, because the result stands above it; a log keeps it.
pub fn print_job_line(line: impl std::fmt::Display) {
    if has_verbosity(Verbosity::Verbose) || !std::io::stderr().is_terminal() {
        print_notice(line);
    }
}

/// Prints a notice line on standard error, on rank 0 only. A closed standard error is ignored.
pub fn print_notice(line: impl std::fmt::Display) {
    if RANK.load(Ordering::Relaxed) == 0 && !has_verbosity(Verbosity::Quiet) {
        write_stderr(&format!("ktour: {line}\n"));
    }
}

/// Writes `line` to standard error in one call, so that lines of several processes do not mix. A closed
/// standard error is ignored.
pub fn write_stderr(line: &str) {
    let _ = terminal_sharing::with_bars_hidden(|| std::io::stderr().write_all(line.as_bytes()));
}

/// Prints a warning line on standard error. Every rank prints its own warnings.
pub fn print_warning(line: impl std::fmt::Display) {
    write_stderr(&match RANK.load(Ordering::Relaxed) {
        0 => format!("ktour: warning: {line}\n"),
        rank => format!("ktour: rank {rank}: {line}\n"),
    });
}
