//! [`Rectangle`]: a rectangle of squares, some of which may be removed.

use std::fmt;
use std::str::FromStr;

use super::Square;

/// A rectangle of `rows` x `cols` squares, some of which may be removed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rectangle {
    rows: u16,
    cols: u16,
    /// The removed squares, sorted, without duplicates.
    removed: Vec<Square>,
}

/// An error in the size or the removed squares of a rectangle or box.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RectangleError {
    /// A side of length 0.
    #[error("board `{0}` has no squares; write ROWSxCOLS with both at least 1, such as 6x8")]
    Empty(String),
    /// Text that is neither a size `ROWSxCOLS` nor a number `N` for a square board.
    #[error("`{0}` is not a board; write ROWSxCOLS, such as 6x8, or N for a square board")]
    Parse(String),
    /// A side longer than 65535, or a box of more than 2^24 squares.
    #[error("board `{0}` is too large; a side has at most 65535 squares, a box at most 16777216 in all")]
    TooLarge(String),
    /// A removed square outside the rectangle.
    #[error("square {square} is not on the {rows}x{cols} board; name a square inside it")]
    NotOnBoard {
        /// The removed square.
        square: Square,
        /// Number of rows of the rectangle.
        rows: u16,
        /// Number of columns of the rectangle.
        cols: u16,
    },
}

impl Rectangle {
    /// Creates the `rows` x `cols` rectangle without removed squares.
    ///
    /// # Errors
    /// [`RectangleError::Empty`] if a side is 0.
    pub fn new(rows: u16, cols: u16) -> Result<Self, RectangleError> {
        if rows == 0 || cols == 0 {
            return Err(RectangleError::Empty(format!("{rows}x{cols}")));
        }
        Ok(Self { rows, cols, removed: Vec::new() })
    }

    /// Removes the given squares, in addition to those already removed.
    ///
    /// # Errors
    /// [`RectangleError::NotOnBoard`] if a square is outside the rectangle.
    pub fn without(mut self, squares: impl IntoIterator<Item = Square>) -> Result<Self, RectangleError> {
        for square in squares {
            if !self.is_inside(square) {
                return Err(RectangleError::NotOnBoard { square, rows: self.rows, cols: self.cols });
            }
            self.removed.push(square);
        }
        self.removed.sort_unstable();
        self.removed.dedup();
        Ok(self)
    }

    /// Returns the number of rows (ranks).
    #[must_use]
    pub const fn rows(&self) -> u16 {
        self.rows
    }

    /// Returns the number of columns (files).
    #[must_use]
    pub const fn cols(&self) -> u16 {
        self.cols
    }

    /// Returns the removed squares, ascending.
    #[must_use]
    pub fn removed(&self) -> &[Square] {
        &self.removed
    }

    /// Returns the number of squares that are not removed.
    #[must_use]
    pub fn len(&self) -> usize {
        usize::from(self.rows) * usize::from(self.cols) - self.removed.len()
    }

    /// Returns true if every square has been removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the square is inside the rectangle, removed or not.
    #[must_use]
    pub const fn is_inside(&self, square: Square) -> bool {
        square.file() < self.cols && square.rank() < self.rows
    }

    /// Returns true if the square is inside the rectangle and not removed.
    #[must_use]
    pub fn contains(&self, square: Square) -> bool {
        self.is_inside(square) && self.removed.binary_search(&square).is_err()
    }

    /// Returns the index of a square, from 0, in the ascending list of squares that are not
    /// removed; `None` if the square is removed or outside the rectangle. Cost O(log removed
    /// squares).
    #[must_use]
    pub fn index(&self, square: Square) -> Option<u32> {
        if !self.is_inside(square) {
            return None;
        }
        let before = self.removed.binary_search(&square).err()?;
        Some(self.grid_index(square) - before as u32)
    }

    /// Returns the square with index `index` in the ascending list of squares that are not removed.
    /// Cost O(log removed squares).
    ///
    /// # Panics
    /// If the rectangle has no square with this index.
    #[must_use]
    pub fn square(&self, index: u32) -> Square {
        assert!(
            (index as usize) < self.len(),
            "{self} has {} squares, none has the number {index}",
            self.len()
        );
        let place =
            remaining_position(index, self.removed.len(), |place| self.grid_index(self.removed[place]));
        let cols = u32::from(self.cols);
        Square::new((place % cols) as u16, (place / cols) as u16)
    }

    /// Returns the index of a square, from 0, in the ascending list of all squares, removed squares
    /// included.
    fn grid_index(&self, square: Square) -> u32 {
        // The result is below 65535 squared, so it fits a `u32`.
        u32::from(square.rank()) * u32::from(self.cols) + u32::from(square.file())
    }

    /// Returns the squares that are not removed, ascending.
    pub fn squares(&self) -> impl Iterator<Item = Square> + '_ {
        (0..self.rows)
            .flat_map(move |rank| (0..self.cols).map(move |file| Square::new(file, rank)))
            .filter(move |square| self.removed.is_empty() || self.contains(*square))
    }
}

impl fmt::Display for Rectangle {
    /// Writes the size of the rectangle, such as `6x8`, and omits the removed squares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}", self.rows, self.cols))
    }
}

/// Characters between the sides of a board, as in 6x8.
pub const SIDE_SEPARATORS: [char; 3] = ['x', 'X', '×'];

impl FromStr for Rectangle {
    type Err = RectangleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (rows, cols) = text.split_once(SIDE_SEPARATORS).unwrap_or((text, text));
        let (rows, cols) = (parse_side(rows, text)?, parse_side(cols, text)?);
        if rows == 0 || cols == 0 {
            return Err(RectangleError::Empty(text.to_owned()));
        }
        Self::new(rows, cols)
    }
}

/// Parses the length of one side of the board with the size `board`.
pub(super) fn parse_side(side: &str, board: &str) -> Result<u16, RectangleError> {
    if side.is_empty() || !side.bytes().all(|b| b.is_ascii_digit()) {
        return Err(RectangleError::Parse(board.to_owned()));
    }
    side.parse().map_err(|_| RectangleError::TooLarge(board.to_owned()))
}

/// Returns the position, in the ascending list of all squares, of the square with index `index` in
/// the list of squares that are not removed. `removed_position` returns the position of each of the
/// `removed_count` removed squares, ascending. Cost O(log removed squares).
pub(super) fn remaining_position(
    index: u32,
    removed_count: usize,
    removed_position: impl Fn(usize) -> u32,
) -> u32 {
    // Binary search for the number of removed squares before the result: a removed square comes before it
    // if at most `index` remaining squares precede the removed one.
    let (mut first, mut last) = (0, removed_count);
    while first < last {
        let middle = usize::midpoint(first, last);
        if removed_position(middle) - middle as u32 <= index {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    index + first as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_rows_by_columns() {
        let board: Rectangle = "6x8".parse().unwrap();
        assert_eq!((board.rows(), board.cols(), board.len()), (6, 8, 48));
        assert_eq!("7".parse::<Rectangle>().unwrap().to_string(), "7x7");
        for bad in ["", "6x", "x6", "6x8x2", "-1", "6 x 8", "six"] {
            assert!(matches!(bad.parse::<Rectangle>(), Err(RectangleError::Parse(_))), "{bad}");
        }
        assert!(matches!("0x5".parse::<Rectangle>(), Err(RectangleError::Empty(_))));
        assert!(matches!("70000".parse::<Rectangle>(), Err(RectangleError::TooLarge(_))));
    }

    #[test]
    fn removed_squares_are_not_listed() {
        let squares = ["a1", "c2", "a1"].map(|s| s.parse().unwrap());
        let board = Rectangle::new(2, 3).unwrap().without(squares).unwrap();
        let left: Vec<String> = board.squares().map(|s| s.to_string()).collect();
        assert_eq!(left, ["b1", "c1", "a2", "b2"]);
        assert_eq!(board.len(), 4);
        assert!(Rectangle::new(2, 3).unwrap().without(["d1".parse().unwrap()]).is_err());
    }

    #[test]
    fn index_and_square_are_inverse() {
        for removed in [&[][..], &["a1", "b1"], &["c2", "d3", "a2", "d1"]] {
            let squares = removed.iter().map(|s| s.parse().unwrap());
            let board = Rectangle::new(3, 4).unwrap().without(squares).unwrap();
            for (number, square) in (0..).zip(board.squares()) {
                assert_eq!(board.index(square), Some(number));
                assert_eq!(board.square(number), square);
            }
            assert!(board.removed().iter().all(|&square| board.index(square).is_none()));
            assert_eq!(board.index(Square::new(4, 0)), None);
        }
    }
}
