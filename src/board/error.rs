//! Errors in text forms of boards, in vertex names and in custom graphs.

use super::automorphisms::MAX_GROUP_ELEMENTS;
use super::graph6::Graph6Error;
use super::piece::{LeaperError, PieceError};
use super::rectangle::RectangleError;
use super::square::{BoxSquare, ParseBoxSquareError, ParseSquareError, Square, SquareListError};
use super::wrap::WrapError;

/// An error in the name of a vertex. The messages have no remedy; the caller adds one that fits its input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// Text that is not the name of a square.
    #[error(transparent)]
    Square(#[from] ParseSquareError),
    /// A square outside the rectangle, or a removed one.
    #[error("square {0} is not on the board")]
    NotOnBoard(Square),
    /// Text that is not the name of a square of a box.
    #[error(transparent)]
    BoxSquare(#[from] ParseBoxSquareError),
    /// A square outside the box, or a removed one.
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
    /// A `key=value` word that is missing, unknown or not valid; contains the message.
    #[error("not the text form of a board: {0}")]
    TextForm(String),
    /// A rectangle or box that is not valid.
    #[error(transparent)]
    Rectangle(#[from] RectangleError),
    /// A leaper that is not valid.
    #[error(transparent)]
    Leaper(#[from] LeaperError),
    /// A piece that is not valid.
    #[error(transparent)]
    Piece(#[from] PieceError),
    /// An unknown way to join edges.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// A graph that is not valid graph6 or sparse6.
    #[error(transparent)]
    Graph6(#[from] Graph6Error),
    /// Names, a layout or symmetries that do not fit their graph.
    #[error(transparent)]
    CustomGraph(#[from] CustomGraphError),
    /// A removed square that is not on the board.
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Names, a layout or symmetries that do not fit the graph they belong to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CustomGraphError {
    /// A list whose length differs from the number of vertices.
    #[error("{count} {items} do not fit a graph of {vertices} vertices; give one for each vertex")]
    Count {
        /// Contents of the list, as a plural noun.
        items: &'static str,
        /// Length of the list.
        count: usize,
        /// Number of vertices, the required length.
        vertices: usize,
    },
    /// A name that two vertices share, or an empty name.
    #[error("vertex name `{0}` is empty or used twice; give every vertex a name of its own")]
    EmptyOrDuplicateName(String),
    /// A pair of vertices marked as a seam move, but not joined by an edge.
    #[error("vertices {0} and {1} are not adjacent; a move across a seam must be an edge")]
    SeamNotAdjacent(u32, u32),
    /// A permutation that maps some edge to a pair of vertices without an edge, or an image list that is not
    /// a permutation.
    #[error("a generator of the symmetries is not an automorphism; every edge must be mapped to an edge")]
    NotAutomorphism,
    /// Generators of a group with more than [`MAX_GROUP_ELEMENTS`] elements.
    #[error(
        "the symmetries generate a group of more than {MAX_GROUP_ELEMENTS} elements; leave out some generators"
    )]
    GroupTooLarge,
}
