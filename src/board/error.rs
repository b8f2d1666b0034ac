//! Why there is no arena, or no vertex of a name.

use super::area::AreaError;
use super::automorphisms::MOST_ELEMENTS;
use super::cube::{Cube, ParseCubeError};
use super::graph6::Graph6Error;
use super::leaper::LeaperError;
use super::piece::PieceError;
use super::shape::BoardError;
use super::square::{ParseSquareError, Square};
use super::wrap::WrapError;

/// A name that no vertex has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Not a square's name.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A square beyond the board, or removed.
    #[error("square {0} is not on the board")]
    NotOnBoard(Square),
    /// Not a name of a square of a box.
    #[error(transparent)]
    Cube(#[from] ParseCubeError),
    /// A square beyond the box, or removed.
    #[error("square {0} is not in the box")]
    NotInBox(Cube),
    /// Not a list of squares.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// A name that the graph does not have.
    #[error("`{0}` is not a vertex of the graph")]
    NotInGraph(String),
}

/// Text that is no arena, or parts that do not make one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArenaError {
    /// A word is missing, is not known, or cannot be read.
    #[error("not an arena: {0}")]
    Words(String),
    /// The board cannot be.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The piece cannot be.
    #[error(transparent)]
    Leaper(#[from] LeaperError),
    /// The piece cannot be.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// Edges cannot be joined so.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// The graph cannot be read.
    #[error(transparent)]
    Graph6(#[from] Graph6Error),
    /// What was given with a graph does not fit it.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// No square has the name.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Something that does not fit the graph it was given with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GivenError {
    /// Not as many as vertices.
    #[error("{found} {what} were given for a graph of {vertices} vertices")]
    Count {
        /// Of what.
        what: &'static str,
        /// How many.
        found: usize,
        /// How many there should be.
        vertices: usize,
    },
    /// Two vertices of the same name, or one without.
    #[error("`{0}` is the name of two vertices, or of none")]
    Name(String),
    /// A seam where no move is.
    #[error("{0}-{1} is no move, it cannot go over a seam")]
    Seam(u32, u32),
    /// A symmetry that does not map moves to moves.
    #[error("a permutation was given as a symmetry that does not map moves to moves")]
    Symmetry,
    /// More symmetries than are written down.
    #[error("the given symmetries generate a group of more than {MOST_ELEMENTS} elements")]
    Order,
}
