//! Symmetries of tours by name.

use crate::board::Symmetry;
use crate::tour::Kind;

use super::walks::Action;

/// A symmetry that a tour can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    /// A half turn.
    Rot180,
    /// A quarter turn.
    Rot90,
    /// A reflection in an axis of the board.
    Axial,
    /// A reflection in a diagonal (never for the knight on a full board).
    Diagonal,
    /// A half turn that keeps the direction of a closed tour.
    Eulerian,
    /// A half turn that reverses the direction of a closed tour.
    Bergholtian,
}

impl Named {
    /// All.
    pub const ALL: [Self; 6] =
        [Self::Rot180, Self::Rot90, Self::Axial, Self::Diagonal, Self::Eulerian, Self::Bergholtian];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rot180 => "rot180",
            Self::Rot90 => "rot90",
            Self::Axial => "axial",
            Self::Diagonal => "diagonal",
            Self::Eulerian => "eulerian",
            Self::Bergholtian => "bergholtian",
        }
    }

    /// The symmetry of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|named| named.name() == name)
    }

    /// Whether a board's symmetry with this action is one.
    #[must_use]
    pub const fn is(self, symmetry: Symmetry, action: Action) -> bool {
        match self {
            Self::Rot180 => matches!(symmetry, Symmetry::Rotate180),
            Self::Rot90 => matches!(symmetry, Symmetry::Rotate90 | Symmetry::Rotate270),
            Self::Axial => matches!(symmetry, Symmetry::FlipVertical | Symmetry::FlipHorizontal),
            Self::Diagonal => matches!(symmetry, Symmetry::FlipDiagonal | Symmetry::FlipAntiDiagonal),
            Self::Eulerian => matches!((symmetry, action), (Symmetry::Rotate180, Action::Keeps)),
            Self::Bergholtian => matches!((symmetry, action), (Symmetry::Rotate180, Action::Reverses)),
        }
    }

    /// Whether it speaks of tours of a kind: paths have no direction to keep.
    #[must_use]
    pub fn is_of(self, kind: Kind) -> bool {
        kind == Kind::Closed || !matches!(self, Self::Eulerian | Self::Bergholtian)
    }
}
