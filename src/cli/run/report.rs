//! The result of a run, everywhere it is wanted.

use crate::cli::failure::Failure;
use crate::report::{CountResult, tell};
use ktour::tour::Kind;

use super::execute::Counted;
use super::ready::Ready;

/// Reports, and says that the run is done.
pub fn report(mut ready: Ready, counted: &Counted) -> Result<(), Failure> {
    show(&mut ready, &counted.result)?;
    tell(format_args!("done {}", counted.result.proof()));
    Ok(())
}

/// Writes a result to the files and to standard output.
pub fn show(ready: &mut Ready, result: &CountResult) -> Result<(), Failure> {
    note_conventions(result);
    match ready.files.take() {
        Some(files) => ready.wanted.report(files, result),
        None => Ok(()),
    }
}

/// Which convention was used, where there are two.
fn note_conventions(result: &CountResult) {
    if result.arena.len() == 1 && result.numbers.kinds().any(|(kind, _)| kind != Kind::Closed) {
        tell(format_args!(
            "note: one square has one path, of no moves, with one direction (as in OEIS A165134; A308131 says 0)"
        ));
    }
}
