//! Rules are what all boards of a series have in common: how their edges are joined, and the piece.

use crate::board::{Board, Piece, Rectangle, Wrap, WrappedBoard};

/// The wrap and the piece of every board of a series.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesRules {
    /// The edges that are joined.
    pub wrap: Wrap,
    /// The piece.
    pub piece: Piece,
}

impl SeriesRules {
    /// Returns one of the boards, with this wrap and piece.
    #[must_use]
    pub fn to_board(&self, board: Rectangle) -> Board {
        WrappedBoard::new(board, self.wrap, self.piece.clone()).into()
    }

    /// Returns the rules for boards turned by a quarter: rows and columns of the wrap are exchanged, and the
    /// piece stays as it is because its set of moves is symmetric.
    ///
    /// `None` for the Moebius strip and the Klein bottle: their turned forms are not among the wraps.
    #[must_use]
    pub fn to_turned(&self) -> Option<Self> {
        let wrap = match self.wrap {
            Wrap::Cols => Wrap::Rows,
            Wrap::Rows => Wrap::Cols,
            Wrap::None | Wrap::Torus | Wrap::Projective => self.wrap,
            Wrap::Mobius | Wrap::Klein => return None,
        };
        Some(Self { wrap, piece: self.piece.clone() })
    }
}
