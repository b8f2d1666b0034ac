//! Squares of a board by name: one place for all arenas that are made of one board.

use super::Board;
use super::error::NameError;

impl Board {
    /// The name of the square of a number.
    ///
    /// # Panics
    /// If there are not so many squares.
    pub(super) fn name(&self, v: u32) -> String {
        self.square(v).to_string()
    }

    /// The number of the square of a name.
    pub(super) fn vertex(&self, name: &str) -> Result<u32, NameError> {
        let square = name.parse()?;
        self.index(square).ok_or(NameError::NotOnBoard(square))
    }
}
