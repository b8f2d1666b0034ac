//! The report of a run goes to the output files and to standard output, its notes to standard error.

use crate::cli::failure::Failure;
use crate::report::{CountResult, tell};
use ktour::board::Rectangle;
use ktour::count::Request;
use ktour::tour::Kind;

use super::execute::Counted;
use super::ready::Ready;

/// Reports the result and prints the `done` line.
pub fn report(mut ready: Ready, counted: &Counted) -> Result<(), Failure> {
    let shown = show(&mut ready, &counted.result);
    // The `done` line holds the numbers even if an output file could not be written.
    tell(format_args!("done {}", counted.result.proof()));
    shown
}

/// Writes a result to the output files and to standard output.
pub fn show(ready: &mut Ready, result: &CountResult) -> Result<(), Failure> {
    let is_shown = ready.files.as_ref().is_some_and(|files| !files.is_quiet());
    note_conventions(&ready.request, result, is_shown);
    match ready.files.take() {
        Some(files) => ready.wanted.report(files, result),
        None => Ok(()),
    }
}

/// Prints notes on the conventions for one vertex and no vertex, and on a row that is missing from a printed
/// table.
fn note_conventions(request: &Request, result: &CountResult, is_shown: bool) {
    if result.arena.is_empty() {
        tell(format_args!("note: the graph has no vertex and thus no tour; an empty path does not count"));
    }
    if result.arena.len() == 1 && result.numbers.kinds().any(|(kind, _)| kind != Kind::Closed) {
        // Published tables exist for the knight only.
        let published = if result.arena.rectangle().is_some_and(Rectangle::is_knights) {
            " (as in OEIS A165134; A308131 says 0)"
        } else {
            ""
        };
        let what = if result.arena.is_board() { "square" } else { "vertex" };
        tell(format_args!("note: one {what} has one path, without moves and with one direction{published}"));
    }
    if is_shown && request.end.is_some() && request.kind.is_none() {
        tell(format_args!("note: a closed tour has no end, so the table has no row for closed tours"));
    }
}
