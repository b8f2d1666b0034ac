//! The report of a run goes to the output files and to standard output, its notes to standard error.

use crate::cli::failure::CliError;
use crate::report::{CountResult, print_notice};
use ktour::board::LeaperBoard;
use ktour::count::Request;
use ktour::tour::Kind;

use super::execute::CountedRun;
use super::ready::RunContext;

/// Reports the result and prints the `done` line.
pub fn report_result(mut ready: RunContext, counted: &CountedRun) -> Result<(), CliError> {
    let shown = write_result(&mut ready, &counted.result);
    // The `done` line holds the numbers even if an output file could not be written.
    print_notice(format_args!("done {}", counted.result.summary_line()));
    shown
}

/// Writes a result to the output files and to standard output.
pub fn write_result(ready: &mut RunContext, result: &CountResult) -> Result<(), CliError> {
    let is_shown = ready.output_files.as_ref().is_some_and(|files| !files.has_stdout());
    print_convention_notes(&ready.request, result, is_shown);
    match ready.output_files.take() {
        Some(files) => ready.output.report(files, result),
        None => Ok(()),
    }
}

/// Prints notes on the conventions for one vertex and no vertex, and on a row that is missing from a printed
/// table.
fn print_convention_notes(request: &Request, result: &CountResult, is_table_printed: bool) {
    if result.board.is_empty() {
        print_notice(format_args!(
            "note: the graph has no vertex and thus no tour; an empty path does not count"
        ));
    }
    if result.board.len() == 1 && result.outcome.counts_by_kind().any(|(kind, _)| kind != Kind::Closed) {
        // Published tables exist for the knight only.
        let published = if result.board.leaper_board().is_some_and(LeaperBoard::is_knight_board) {
            " (as in OEIS A165134; A308131 says 0)"
        } else {
            ""
        };
        let what = if result.board.has_squares() { "square" } else { "vertex" };
        print_notice(format_args!(
            "note: one {what} has one path, without moves and with one direction{published}"
        ));
    }
    if is_table_printed && request.end.is_some() && request.kind.is_none() {
        print_notice(format_args!(
            "note: a closed tour has no end, so the table has no row for closed tours"
        ));
    }
}
