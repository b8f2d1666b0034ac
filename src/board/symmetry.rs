//! A [`Symmetry`] is one of the eight named symmetries of a square. A rectangle has 4 of them, a square
//! rectangle all 8. If squares are removed, the symmetries that map removed squares to removed squares
//! remain. Each symmetry maps leaper moves to leaper moves, so it permutes the tours.

use super::Square;

/// One of the eight symmetries of a square, acting on the squares of a rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Symmetry {
    /// The identity.
    Identity,
    /// Quarter turn, counter-clockwise (square boards).
    Rotate90,
    /// Half turn.
    Rotate180,
    /// Quarter turn, clockwise (square boards).
    Rotate270,
    /// Ranks reversed: top and bottom exchanged.
    FlipVertical,
    /// Files reversed: left and right exchanged.
    FlipHorizontal,
    /// Reflection in the diagonal through `a1` (square boards).
    FlipDiagonal,
    /// Reflection in the other diagonal (square boards).
    FlipAntiDiagonal,
}

impl Symmetry {
    /// All eight symmetries, identity first.
    pub const ALL: [Self; 8] = [
        Self::Identity,
        Self::Rotate90,
        Self::Rotate180,
        Self::Rotate270,
        Self::FlipVertical,
        Self::FlipHorizontal,
        Self::FlipDiagonal,
        Self::FlipAntiDiagonal,
    ];

    /// Returns true if the symmetry exchanges rows and columns, so that only square boards have it.
    #[must_use]
    pub const fn needs_square(self) -> bool {
        matches!(self, Self::Rotate90 | Self::Rotate270 | Self::FlipDiagonal | Self::FlipAntiDiagonal)
    }

    /// Returns the image of a square of a `rows` x `cols` rectangle.
    ///
    /// # Panics
    /// If the square is outside the rectangle, or if [`Self::needs_square`] and the rectangle is not square.
    #[must_use]
    pub fn apply(self, square: Square, rows: u16, cols: u16) -> Square {
        assert!(square.file() < cols && square.rank() < rows, "{square} is not on {rows}x{cols}");
        assert!(rows == cols || !self.needs_square(), "{self:?} needs a square board");
        let (file, rank) = (square.file(), square.rank());
        let (far_file, far_rank) = (cols - 1 - file, rows - 1 - rank);
        match self {
            Self::Identity => square,
            Self::Rotate90 => Square::new(far_rank, file),
            Self::Rotate180 => Square::new(far_file, far_rank),
            Self::Rotate270 => Square::new(rank, far_file),
            Self::FlipVertical => Square::new(file, far_rank),
            Self::FlipHorizontal => Square::new(far_file, rank),
            Self::FlipDiagonal => Square::new(rank, file),
            Self::FlipAntiDiagonal => Square::new(far_rank, far_file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn apply_permutes_corners() {
        let corners = [(0, 0), (3, 0), (0, 3), (3, 3)].map(|(file, rank)| Square::new(file, rank));
        for symmetry in Symmetry::ALL {
            let mut images = corners.map(|corner| symmetry.apply(corner, 4, 4));
            images.sort_unstable();
            assert_eq!(images, corners);
        }
        assert_eq!(Symmetry::Rotate90.apply(corners[0], 4, 4), corners[1]);
        assert_eq!(Symmetry::FlipVertical.apply(Square::new(4, 0), 2, 5), Square::new(4, 1));
    }
}
