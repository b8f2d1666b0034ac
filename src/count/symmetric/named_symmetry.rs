//! The symmetries of tours that have names.

use crate::board::Symmetry;

use crate::tour::{Action, Kind};

/// A named symmetry that a tour can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum NamedSymmetry {
    /// A half turn
    Rot180,
    /// A quarter turn
    Rot90,
    /// A reflection in an axis of the board
    Axial,
    /// A reflection in a diagonal
    ///
    /// Impossible for knight's tours of a full board.
    Diagonal,
    /// A half turn that preserves the direction of a closed tour
    Eulerian,
    /// A half turn that reverses the direction of a closed tour
    Bergholtian,
}

impl NamedSymmetry {
    /// All symmetries.
    pub const ALL: [Self; 6] =
        [Self::Rot180, Self::Rot90, Self::Axial, Self::Diagonal, Self::Eulerian, Self::Bergholtian];

    /// Returns the name used in options and tables.
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

    /// Returns the symmetry with the given name, or `None` if there is none.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|named| named.name() == name)
    }

    /// Returns true if this name stands for a symmetry of the board that has this effect on the
    /// direction of a tour.
    #[must_use]
    pub const fn matches(self, symmetry: Symmetry, action: Action) -> bool {
        match self {
            Self::Rot180 => matches!(symmetry, Symmetry::Rotate180),
            Self::Rot90 => matches!(symmetry, Symmetry::Rotate90 | Symmetry::Rotate270),
            Self::Axial => matches!(symmetry, Symmetry::FlipVertical | Symmetry::FlipHorizontal),
            Self::Diagonal => matches!(symmetry, Symmetry::FlipDiagonal | Symmetry::FlipAntiDiagonal),
            Self::Eulerian => matches!((symmetry, action), (Symmetry::Rotate180, Action::Preserves)),
            Self::Bergholtian => matches!((symmetry, action), (Symmetry::Rotate180, Action::Reverses)),
        }
    }

    /// Returns true if tours of this kind can have the symmetry. Paths cannot have a symmetry that
    /// is defined by its effect on the direction of a closed tour.
    #[must_use]
    pub fn applies_to(self, kind: Kind) -> bool {
        kind == Kind::Closed || !matches!(self, Self::Eulerian | Self::Bergholtian)
    }
}
