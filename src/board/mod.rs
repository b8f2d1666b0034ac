//! Boards, pieces, graphs and symmetries: everything that a tour is defined on.
//!
//! ```text
//! Rectangle, Leaper -------> LeaperBoard --+
//! BoardSides, Wrap, Piece -> LatticeBoard -+-> Board: graph, names, symmetries, layout, text form
//! graph file, names, ... --> CustomGraph --+
//!
//! Board, required and forbidden moves -> RestrictedBoard -> Board
//! ```
//!
//! A tour visits every vertex of a [`Graph`] once; the engines work on the graph alone. A [`Board`] is a
//! graph with the names of its vertices, a [`SymmetryGroup`] that defines which vertices are equivalent, and,
//! if the vertices have positions in the plane, a [`Layout`]. Four types implement [`BoardKind`], the trait
//! behind [`Board`]:
//!
//! - [`LeaperBoard`], the most frequent kind: a [`Rectangle`] of squares, some of them removed, and one
//!   [`Leaper`];
//! - [`LatticeBoard`]: a rectangle whose opposite edges may be joined, or a three-dimensional box of
//!   squares, and any [`Piece`];
//! - [`CustomGraph`]: any other graph; its symmetries are computed;
//! - [`RestrictedBoard`]: any of these boards, with moves that every tour must contain, and moves that no tour
//!   may contain.
//!
//! To add a kind of board, implement [`BoardKind`] for one more type. This module depends neither
//! on tours nor on engines.

mod any_board;
mod automorphisms;
mod bitboard;
mod board_kind;
mod colour_refinement;
mod custom_graph;
mod drawing;
mod error;
mod graph;
pub mod graph6;
pub mod graph_file;
mod lattice_board;
mod lattice_symmetry;
mod layout;
mod leaper_board;
mod move_list;
mod parse_board;
mod picture_positions;
mod piece;
mod rectangle;
mod restricted_board;
mod sides;
pub mod sparse6;
mod square;
mod symmetry_group;
mod text_form;
mod wrap;

pub use any_board::Board;
pub(crate) use automorphisms::OrbitUnionFind;
#[cfg(test)]
pub(crate) use automorphisms::find_automorphism_group;
pub use automorphisms::{Automorphisms, MAX_GROUP_ELEMENTS, MAX_SEARCH_STEPS};
pub use bitboard::{Bitboard, SquareIter};
pub use board_kind::{BoardKind, LineScan};
pub use custom_graph::CustomGraph;
pub use drawing::{Drawing, DrawingError, DrawingSigns, parse_drawing};
pub use error::{BoardError, CustomGraphError, NameError, RestrictionError};
pub use graph::{Graph, Move, PossibleEnds, Vertex};
pub use lattice_board::LatticeBoard;
pub use layout::Layout;
pub use leaper_board::LeaperBoard;
pub use move_list::{MoveListError, MovePaths, moves_of_sequences, parse_move_sequences};
pub use picture_positions::PicturePositions;
pub(crate) use picture_positions::fit_unit_square;
pub use piece::{Leaper, LeaperError, Piece, PieceError};
pub(crate) use rectangle::SIDE_SEPARATORS;
pub use rectangle::{Rectangle, RectangleError};
pub use restricted_board::RestrictedBoard;
pub use sides::{BoardSides, BoxSides};
pub use square::{
    BoxSquare, ParseBoxSquareError, ParseSquareError, Square, SquareListError, parse_box_squares,
    parse_squares,
};
pub(crate) use symmetry_group::image_of_move;
pub use symmetry_group::{Element, GroupOrder, PermutationCycles, Symmetry, SymmetryGroup};
pub use text_form::{KeyValues, escape_word, unescape_word};
pub use wrap::{Wrap, WrapError};
