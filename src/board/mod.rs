//! Boards, pieces, graphs and symmetries: everything that a tour is defined on.
//!
//! ```text
//! Rectangle, Leaper ------> LeaperBoard --+
//! Rectangle, Wrap, Piece -> WrappedBoard -+
//! BoxSides, Piece --------> BoxBoard -----+-> Board: graph, names, symmetries, layout, text form
//! graph file, names, ... -> CustomGraph --+
//! ```
//!
//! A tour visits every vertex of a [`Graph`] once; the engines work on the graph alone. A [`Board`] is a
//! graph with the names of its vertices, a [`SymmetryGroup`] that defines which vertices are equivalent, and,
//! if the vertices have positions in the plane, a [`Layout`]. Four types implement [`BoardKind`], the trait
//! behind [`Board`]:
//!
//! - [`LeaperBoard`], the most frequent kind: a [`Rectangle`] of squares, some of them removed, and one
//!   [`Leaper`];
//! - [`WrappedBoard`]: a rectangle whose opposite edges may be joined, and any [`Piece`];
//! - [`BoxBoard`]: a three-dimensional box of squares, and any piece;
//! - [`CustomGraph`]: any other graph; its symmetries are computed.
//!
//! To add a kind of board, implement [`BoardKind`] for one more type. This module depends neither
//! on tours nor on engines.

mod any_board;
mod automorphisms;
mod bitboard;
mod board_kind;
mod box_board;
mod colour_refinement;
mod custom_graph;
mod drawing;
mod error;
mod graph;
pub mod graph6;
pub mod graph_file;
mod layout;
mod leaper_board;
mod piece;
mod rectangle;
pub mod sparse6;
mod square;
mod symmetry_group;
mod text_form;
mod wrap;
mod wrapped_board;

pub use any_board::Board;
pub use automorphisms::{Automorphisms, MAX_GROUP_ELEMENTS, MAX_SEARCH_STEPS, find_automorphism_group};
pub use bitboard::{Bitboard, SquareIter};
pub use board_kind::{BoardKind, LineScan};
pub use box_board::{BoxBoard, BoxSides};
pub use custom_graph::CustomGraph;
pub use drawing::{Drawing, DrawingError, DrawingSigns, parse_drawing};
pub use error::{BoardError, CustomGraphError, NameError};
pub use graph::{Graph, PossibleEnds, Vertex};
pub use layout::Layout;
pub use leaper_board::LeaperBoard;
pub use piece::{Leaper, LeaperError, Piece, PieceError};
pub use rectangle::{Rectangle, RectangleError};
pub use square::{
    BoxSquare, ParseBoxSquareError, ParseSquareError, Square, SquareListError, parse_box_squares,
    parse_squares,
};
pub use symmetry_group::{Element, GroupOrder, Symmetry, SymmetryGroup};
pub use text_form::{KeyValues, escape_word, unescape_word};
pub use wrap::{Wrap, WrapError};
pub use wrapped_board::WrappedBoard;
