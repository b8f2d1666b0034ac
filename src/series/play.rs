//! What all boards of a family have in common: how their edges are joined, and the piece.

use crate::board::{Arena, Board, Piece, Surface, Wrap};

/// The wrap and the piece of every board of a family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Play {
    /// Edges that are joined.
    pub wrap: Wrap,
    /// The piece.
    pub piece: Piece,
}

impl Play {
    /// One of the boards as an arena.
    #[must_use]
    pub fn on(&self, board: Board) -> Arena {
        Surface::new(board, self.wrap, self.piece.clone()).into()
    }

    /// The same on boards that are turned by a quarter: a piece has the same steps there.
    ///
    /// `None` for a wrap that is none of the plain ones then.
    #[must_use]
    pub fn turned(&self) -> Option<Self> {
        let wrap = match self.wrap {
            Wrap::Cols => Wrap::Rows,
            Wrap::Rows => Wrap::Cols,
            Wrap::None | Wrap::Torus | Wrap::Projective => self.wrap,
            Wrap::Mobius | Wrap::Klein => return None,
        };
        Some(Self { wrap, piece: self.piece.clone() })
    }
}
