//! The errors of text forms of boards, of vertex names and of custom graphs.

use super::automorphisms::MAX_GROUP_ELEMENTS;
use super::graph6::Graph6Error;
use super::piece::PieceError;
use super::rectangle::RectangleError;
use super::square::{BoxSquare, ParseBoxSquareError, ParseSquareError, Square, SquareListError};
use super::wrap::WrapError;

/// An error in the name of a vertex. The messages contain no remedy; the caller adds the remedy
/// that fits the user's input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Text that is not the name of a square.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A square outside the rectangle, or a removed square.
    #[error("square {0} is not on the board")]
    NotOnBoard(Square),
    /// Text that is not the name of a square of a box.
    #[error(transparent)]
    BoxSquare(#[from] ParseBoxSquareError),
    /// A square outside the box, or a removed square.
    #[error("square {0} is not in the box")]
    NotInBox(BoxSquare),
    /// Text that is not a list of squares.
    #[error(transparent)]
    SquareList(#[from] SquareListError),
    /// A name that no vertex of the graph has.
    #[error("`{0}` is not a vertex of the graph")]
    NotInGraph(String),
}

/// An error in the text form of a board, or in the parts that a board is made from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoardError {
    /// A word `key=value` that is missing, unknown or not valid. The field holds the message.
    #[error("not the text form of a board: {0}")]
    TextForm(String),
    /// An error in the size or the removed squares of a rectangle or box.
    #[error(transparent)]
    Rectangle(#[from] RectangleError),
    /// An error in the name or the leapers of a piece.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// An unknown way to join the edges of a rectangle.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// A graph whose text is not valid graph6 or sparse6.
    #[error(transparent)]
    Graph6(#[from] Graph6Error),
    /// Vertex names, a layout or symmetries that do not fit the graph of the board.
    #[error(transparent)]
    CustomGraph(#[from] CustomGraphError),
    /// A removed square that is not on the board.
    #[error(transparent)]
    Name(#[from] NameError),
    /// Moves that cannot be required or forbidden.
    #[error(transparent)]
    Restriction(#[from] RestrictionError),
}

/// Vertex names, a layout or symmetries that do not fit the graph of a custom board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CustomGraphError {
    /// A list whose length differs from the number of vertices of the graph.
    #[error("{count} {items} do not fit a graph of {vertices} vertices; give one for each vertex")]
    Count {
        /// Contents of the list, as a plural noun such as `names`.
        items: &'static str,
        /// Length of the list.
        count: usize,
        /// Number of vertices, the required length.
        vertices: usize,
    },
    /// A name that two vertices share, or an empty name.
    #[error("vertex name `{0}` is empty or used twice; give every vertex a name of its own")]
    EmptyOrDuplicateName(String),
    /// A position in pictures that is infinite or not a number, or positions that are too far apart.
    #[error("a position of a vertex is not finite; give finite numbers")]
    NotFinite,
    /// A pair of vertices that is marked as a move across a seam, but not joined by an edge.
    #[error("vertices {0} and {1} are not adjacent; a move across a seam must be an edge")]
    SeamNotAdjacent(u32, u32),
    /// A generator of the symmetries that maps some edge to a pair of vertices without an edge, or
    /// that is not a permutation.
    #[error("a generator of the symmetries is not an automorphism; every edge must be mapped to an edge")]
    NotAutomorphism,
    /// Generators of a symmetry group with more than [`MAX_GROUP_ELEMENTS`] elements.
    #[error(
        "the symmetries generate a group of more than {MAX_GROUP_ELEMENTS} elements; omit some generators"
    )]
    GroupTooLarge,
}

/// The reason why moves cannot be required or forbidden.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RestrictionError {
    /// Two squares that no move joins. The fields hold their names.
    #[error("no move joins {0} and {1}")]
    NotAMove(String, String),
    /// A square with three or more required moves.
    #[error("square {0} has {1} required moves; a tour has two moves at a square")]
    TooManyMoves(String, usize),
    /// Required moves that form a cycle without visiting all squares. The field holds a square of
    /// the cycle.
    #[error("the required moves through {0} form a cycle that does not visit all squares")]
    ShortCycle(String),
    /// A move that is both required and forbidden.
    #[error("the move {0}-{1} is both required and forbidden")]
    RequiredAndForbidden(String, String),
}
