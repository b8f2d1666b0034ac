//! The rectangle also converts between its squares and vertex names, for every kind of board that is made
//! from one rectangle.

use super::Rectangle;
use super::error::NameError;

impl Rectangle {
    /// Returns the name of square number `v`.
    ///
    /// # Panics
    /// If the rectangle has no square number `v`.
    pub(super) fn square_name(&self, v: u32) -> String {
        self.square(v).to_string()
    }

    /// Returns the number of the square with the given name.
    ///
    /// # Errors
    /// The name is not a square, or the square is outside the rectangle or removed.
    pub(super) fn vertex_named(&self, name: &str) -> Result<u32, NameError> {
        let square = name.parse()?;
        self.index(square).ok_or(NameError::NotOnBoard(square))
    }
}
