//! A square of a box is named by file, rank and layer: `a1.1`.

use std::fmt;
use std::str::FromStr;

use super::area::{RangeSquare, SquareListError, parse_square_list};
use super::square::Square;

/// A square of one layer of a box. Ordered by layer, then as squares are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BoxSquare {
    /// Layer, from 0.
    layer: u16,
    square: Square,
}

/// Text that is not the name of a square of a box.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a square of a box; write file, rank and layer, such as a1.1")]
pub struct ParseBoxSquareError(String);

impl BoxSquare {
    /// Creates the square `square` of a layer, from 0.
    #[must_use]
    pub const fn new(square: Square, layer: u16) -> Self {
        Self { layer, square }
    }

    /// Returns the square within its layer.
    #[must_use]
    pub const fn square(self) -> Square {
        self.square
    }

    /// Returns the layer from the bottom, from 0.
    #[must_use]
    pub const fn layer(self) -> u16 {
        self.layer
    }
}

impl RangeSquare for BoxSquare {
    fn count_to(self, other: Self) -> usize {
        (usize::from(self.layer.abs_diff(other.layer)) + 1).saturating_mul(self.square.count_to(other.square))
    }

    fn range_to(self, other: Self) -> Vec<Self> {
        let layers = self.layer.min(other.layer)..=self.layer.max(other.layer);
        let squares = self.square.range_to(other.square);
        layers.flat_map(|layer| squares.iter().map(move |&square| Self { layer, square })).collect()
    }
}

/// Parses a list of squares of a box, `a1.1,b2.1-c3.2`; `-` is the empty list.
///
/// # Errors
/// An item is neither a square nor a range, or the list has more than 2^24 squares.
pub fn parse_box_squares(text: &str) -> Result<Vec<BoxSquare>, SquareListError> {
    parse_square_list(text)
}

impl fmt::Display for BoxSquare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.square, u32::from(self.layer) + 1)
    }
}

impl FromStr for BoxSquare {
    type Err = ParseBoxSquareError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let cube = || {
            let (square, layer) = text.split_once('.')?;
            let square = square.parse().ok()?;
            let number = layer.parse::<u32>().ok().filter(|_| !layer.starts_with(['+', '0']))?;
            Some(Self { layer: u16::try_from(number - 1).ok()?, square })
        };
        cube().ok_or_else(|| ParseBoxSquareError(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::area;

    #[test]
    fn box_square_names_round_trip() {
        for (layer, square) in
            [(0, Square::new(0, 0)), (8, Square::new(26, 11)), (u16::MAX, Square::new(3, 1))]
        {
            let cube = BoxSquare::new(square, layer);
            assert_eq!(cube.to_string().parse(), Ok(cube));
            assert_eq!((cube.layer(), cube.square()), (layer, square));
        }
        assert_eq!("b3.2".parse(), Ok(BoxSquare::new(Square::new(1, 2), 1)));
        for bad in ["a1", "a1.", "a1.0", ".1", "a1.+1", "a1.65537", "a1.1.1"] {
            assert!(bad.parse::<BoxSquare>().is_err(), "{bad}");
        }
    }

    #[test]
    fn range_covers_box_between_corners() {
        let cubes: Vec<BoxSquare> = area::parse_square_list("a1.1-b2.2,c3.3").unwrap();
        assert_eq!(cubes.len(), 9);
        assert_eq!(cubes[7].to_string(), "b2.2");
    }
}
