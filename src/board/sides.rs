//! [`BoardSides`]: the lengths of the sides of a board, two for a rectangle and three for a box.
//!
//! ```text
//! 6x8      6 rows and 8 columns              8        8 rows and 8 columns
//! 2x3x4    2 layers of 3 rows and 4 columns
//! ```

use std::fmt;
use std::str::FromStr;

use super::rectangle::{SIDE_SEPARATORS, parse_side};
use super::{Rectangle, RectangleError};

/// The sides of a board: two for a rectangle, three for a box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoardSides {
    /// A rectangle: rows and columns.
    Rectangle(Rectangle),
    /// A box: layers, rows and columns.
    Box(BoxSides),
}

impl BoardSides {
    /// Returns the numbers of files, ranks and layers: the lengths of the axes in the order of
    /// coordinates. A rectangle has one layer.
    pub(super) fn axis_lengths(&self) -> [i64; 3] {
        match self {
            Self::Rectangle(rectangle) => [rectangle.cols().into(), rectangle.rows().into(), 1],
            Self::Box(sides) => [sides.cols, sides.rows, sides.layers].map(i64::from),
        }
    }
}

impl fmt::Display for BoardSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rectangle(rectangle) => rectangle.fmt(f),
            Self::Box(sides) => sides.fmt(f),
        }
    }
}

impl FromStr for BoardSides {
    type Err = RectangleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.matches(SIDE_SEPARATORS).count() {
            2 => text.parse().map(Self::Box),
            _ => text.parse().map(Self::Rectangle),
        }
    }
}

/// Lengths of the sides of a box: the numbers of layers, rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxSides {
    layers: u16,
    rows: u16,
    cols: u16,
}

/// Maximum number of squares of a box.
const MAX_BOX_SQUARES: usize = 1 << 24;

impl BoxSides {
    /// Creates the sides of a box from the numbers of layers, rows and columns.
    ///
    /// # Errors
    /// A length is 0, or the box has more than 2^24 squares.
    pub fn new(layers: u16, rows: u16, cols: u16) -> Result<Self, RectangleError> {
        let sides = Self { layers, rows, cols };
        let squares = usize::from(layers) * usize::from(rows) * usize::from(cols);
        match squares {
            0 => Err(RectangleError::Empty(sides.to_string())),
            1..=MAX_BOX_SQUARES => Ok(sides),
            _ => Err(RectangleError::TooLarge(sides.to_string())),
        }
    }

    /// Returns the numbers of layers, rows and columns, in this order.
    #[must_use]
    pub fn lengths(self) -> [usize; 3] {
        [self.layers, self.rows, self.cols].map(usize::from)
    }
}

impl fmt::Display for BoxSides {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}x{}x{}", self.layers, self.rows, self.cols))
    }
}

impl FromStr for BoxSides {
    type Err = RectangleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let sides: Vec<u16> =
            text.split(SIDE_SEPARATORS).map(|side| parse_side(side, text)).collect::<Result<_, _>>()?;
        let [layers, rows, cols] = sides[..] else { return Err(RectangleError::Parse(text.to_owned())) };
        Self::new(layers, rows, cols)
    }
}
