//! The result of a run, everywhere it is wanted.

use crate::cli::failure::Failure;
use crate::cli::wanted::proof;
use crate::report::tell;
use ktour::batch::Record;

use super::execute::Counted;
use super::ready::Ready;

/// Reports, and says that the run is done.
pub fn report(mut ready: Ready, counted: &Counted) -> Result<(), Failure> {
    show(&mut ready, &counted.record)?;
    tell(format_args!("done {}", proof(&counted.record)));
    Ok(())
}

/// Writes a record to the files and to standard output.
pub fn show(ready: &mut Ready, record: &Record) -> Result<(), Failure> {
    note_conventions(ready.request.arena.len(), record);
    match ready.files.take() {
        Some(files) => ready.wanted.report(files, record),
        None => Ok(()),
    }
}

/// Which convention was used, where there are two.
fn note_conventions(squares: usize, record: &Record) {
    if squares == 1 && record.counts.keys().any(|kind| kind != "closed") {
        tell(format_args!(
            "note: one square has one path, of no moves, with one direction (as in OEIS A165134; A308131 says 0)"
        ));
    }
}
