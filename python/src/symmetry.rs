//! Checks of arguments about symmetry.

use ktour::board::Board as LibraryBoard;
use pyo3::PyResult;

use crate::errors::invalid_input;

/// Returns an error if the symmetries of the board could not be found. `what` is the argument or
/// function that needs them.
pub fn check_symmetries_known(library_board: &LibraryBoard, what: &str) -> PyResult<()> {
    if library_board.has_known_symmetries() {
        return Ok(());
    }
    Err(invalid_input(format!(
        "{} has too many symmetries, or they take too long to find; omit {what}",
        library_board.title()
    )))
}
